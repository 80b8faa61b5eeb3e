/** A map that keeps the entries asked for last, up to a limit. */
export class RecentMap<Value> {
  readonly #entriesMax: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Value>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** The value of this key, if it is there still. */
  find(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** The value of this key, made now if it is not there. */
  getOrMake(key: string, make: () => Value): Value {
    const found = this.#entries.get(key);
    // While there is room for as many again, nothing is dropped soon: the order need not be kept.
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
