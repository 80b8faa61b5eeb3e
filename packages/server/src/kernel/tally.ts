/** Counts what is under way for each of several parties, none of whom may have more than the limit. */
export class Tally {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /** @param max how much each of them may have under way at once. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more. @returns what counts it off again, however often it is called; `undefined` at the limit. */
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

  #leave(party: string): void {
    const count = this.#counts.get(party) ?? 0;
    // Whoever has nothing under way takes no memory.
    if (count <= 1) this.#counts.delete(party);
    else this.#counts.set(party, count - 1);
  }
}
