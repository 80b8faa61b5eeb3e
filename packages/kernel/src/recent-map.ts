/** A least-recently-used cache with a limit of entries. */
export class RecentMap<Value> {
  readonly #entriesMax: number;
  /** Entries, the least recently used first. */
  readonly #entries = new Map<string, Value>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** The cached value of this key. */
  find(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** The value of this key; `make` is called when it is not cached. */
  getOrMake(key: string, make: () => Value): Value {
    const found = this.#entries.get(key);
    // While the cache is less than half full, no eviction is near, so the order of use is not
    // updated.
    if (found !== undefined && this.#entries.size * 2 <= this.#entriesMax) return found;
    const value = found ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#entriesMax) this.#dropOldest();
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}
