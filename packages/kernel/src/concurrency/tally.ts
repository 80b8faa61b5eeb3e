/** Counts running work per party, up to a limit per party. */
export class Tally {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /** @param max limit of concurrent pieces of work per party. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Increments the party's count.
   * @returns a function that decrements the count once, however often it is called; `undefined`
   * when the party is at its limit.
   */
  enter(party: string): (() => void) | undefined {
    const count = this.#counts.get(party) ?? 0;
    if (count >= this.#max) return undefined;
    this.#counts.set(party, count + 1);
    let isIn = true;
    return () => {
      if (isIn) this.#leave(party);
      isIn = false;
    };
  }

  /** Whether the party has running work. */
  has(party: string): boolean {
    return this.#counts.has(party);
  }

  #leave(party: string): void {
    const count = this.#counts.get(party) ?? 0;
    // A party without running work has no entry.
    if (count <= 1) this.#counts.delete(party);
    else this.#counts.set(party, count - 1);
  }
}
