import { TopK } from "./top-k.js";

/** A row whose score may be among the best. */
export interface Candidate {
  readonly slot: number;
  /** What its score is at most. */
  readonly upper: number;
}

/**
 * Collects the rows of a scan that may be among the best `limit`. Its threshold is the k-th best lower
 * bound so far: k rows are at least that good, so a row whose upper bound is below it is out. A row
 * that could only tie with the k-th stays: the tie order decides later.
 */
export class Candidates {
  readonly #lowest: number;
  readonly #lowerBounds: TopK<number>;
  readonly #slots: number[] = [];
  readonly #uppers: number[] = [];

  /** @param scoreMin no lower score is wanted. */
  constructor(limit: number, scoreMin: number) {
    this.#lowest = scoreMin;
    this.#lowerBounds = new TopK(limit, (a, b) => b - a);
  }

  /** Rows whose upper bound is below this are out. */
  threshold(): number {
    return Math.max(this.#lowest, this.#lowerBounds.last() ?? -Infinity);
  }

  add(slot: number, lower: number, upper: number): void {
    this.#slots.push(slot);
    this.#uppers.push(upper);
    this.#lowerBounds.add(lower);
  }

  /** Who is left, the highest upper bound first. */
  remaining(): readonly Candidate[] {
    const threshold = this.threshold();
    const remaining: Candidate[] = [];
    for (const [index, slot] of this.#slots.entries()) {
      const upper = this.#uppers[index] ?? -Infinity;
      if (upper >= threshold) remaining.push({ slot, upper });
    }
    return remaining.sort((a, b) => b.upper - a.upper);
  }
}
