import { TopK } from "./top-k.js";

/** A row whose score may be among the best. */
export interface Candidate {
  readonly slot: number;
  /** Upper bound of its score. */
  readonly upper: number;
}

/**
 * Collects the rows of a scan that may be among the best k (`limit`). Its threshold is the k-th best lower
 * bound so far. At least k rows score that much, so a row whose upper bound is lower cannot be among the
 * best. A row whose upper bound equals the threshold stays, because it may tie with the k-th and come
 * before it.
 */
export class Candidates {
  readonly #lowest: number;
  readonly #lowerBounds: TopK<number>;
  readonly #slots: number[] = [];
  readonly #uppers: number[] = [];

  /** @param scoreMin lower scores are not returned. */
  constructor(limit: number, scoreMin: number) {
    this.#lowest = scoreMin;
    this.#lowerBounds = new TopK(limit, (a, b) => b - a);
  }

  /** A row whose upper bound is lower than this cannot be among the best. */
  threshold(): number {
    return Math.max(this.#lowest, this.#lowerBounds.last() ?? -Infinity);
  }

  add(slot: number, lower: number, upper: number): void {
    this.#slots.push(slot);
    this.#uppers.push(upper);
    this.#lowerBounds.add(lower);
  }

  /** The rows that the final threshold does not rule out, the highest upper bound first. */
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
