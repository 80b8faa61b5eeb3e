/** Serializes asynchronous work by key: work under one key runs one after the other. */
export class KeyedMutex implements AsyncDisposable {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` after all earlier work under this key has settled, whether that work succeeded or
   * failed.
   */
  async runExclusive<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
