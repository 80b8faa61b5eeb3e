type Closable = AsyncDisposable | Disposable;

/**
 * Disposes of resources in reverse order of opening. A failure to close one does not keep the
 * others from being closed. (Node 20 lacks the platform's AsyncDisposableStack.)
 */
export class DisposalStack implements AsyncDisposable {
  readonly #opened: Closable[] = [];

  /**
   * Takes ownership of a resource.
   * @returns the same resource.
   */
  use<T extends Closable>(resource: T): T {
    this.#opened.push(resource);
    return resource;
  }

  /** @throws AggregateError with the errors of all resources that failed to close. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (let last = this.#opened.pop(); last !== undefined; last = this.#opened.pop()) {
      try {
        if (Symbol.asyncDispose in last) await last[Symbol.asyncDispose]();
        else last[Symbol.dispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, "not everything could be closed");
  }
}
