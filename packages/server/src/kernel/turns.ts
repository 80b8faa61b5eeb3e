/** Has pieces of work with the same key done one after the other. */
export class Turns implements AsyncDisposable {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` after what was asked for before under this key, however that ended. */
  async next<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
