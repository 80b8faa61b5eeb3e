import { resumption } from "./shared-result.js";

/** Serializes asynchronous work by key: work under one key runs one after the other. */
export class KeyedMutex implements AsyncDisposable {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` after all earlier work under this key has settled, whether that work succeeded or
   * failed.
   */
  async runExclusive<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const last = this.#last.get(key);
    // Work that finds its result in a cache takes no turn of its own.
    const done =
      last === undefined
        ? Promise.resolve().then(work)
        : last.then(() => resumption(key)).then(work);
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
