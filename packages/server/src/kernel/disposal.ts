/** Something with a lifetime. */
type Closable = AsyncDisposable | Disposable;

/**
 * Closes what was opened, in the reverse order, each whatever became of the others. (The platform's
 * AsyncDisposableStack, which Node 20 does not have.)
 */
export class DisposalStack implements AsyncDisposable {
  readonly #opened: Closable[] = [];

  /** Takes a resource over. @returns the same resource. */
  use<T extends Closable>(resource: T): T {
    this.#opened.push(resource);
    return resource;
  }

  /** @throws AggregateError of all that failed to close. */
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
