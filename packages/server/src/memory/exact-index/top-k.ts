import { assert } from "@steward/kernel/assert.js";

/** An entry that a search found. */
export interface Hit {
  /** UUID, lower case. */
  readonly entryId: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** In [-1, 1]. */
  readonly score: number;
  /** Present when two lists were fused. */
  readonly ranks?: Ranks;
}

/** The ranks of a hit in the fused lists, from 1. */
export interface Ranks {
  readonly vector?: number;
  readonly text?: number;
  /** The sort key: the sum of 1 / (60 + rank) over both ranks; absent when nothing was fused. */
  readonly fused?: number;
}

/** Order of results: the higher score, then the newer entry, then the smaller id (Decision §12). */
export function compareHits(a: Hit, b: Hit): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  return a.entryId < b.entryId ? -1 : a.entryId > b.entryId ? 1 : 0;
}

/** Keeps the best `limit` items, in order. */
export class TopK<Item> {
  readonly #limit: number;
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];

  /** @param compare negative when `a` comes before `b`. */
  constructor(limit: number, compare: (a: Item, b: Item) => number) {
    assert(Number.isInteger(limit) && limit > 0, "a top list has room for at least one item");
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: Item): void {
    const last = this.last();
    if (last !== undefined && this.#compare(item, last) >= 0) return;
    this.#items.splice(this.#position(item), 0, item);
    if (this.#items.length > this.#limit) this.#items.pop();
  }

  /** The last item of a full list; a new item must come before it. */
  last(): Item | undefined {
    return this.#items.length < this.#limit ? undefined : this.#items.at(-1);
  }

  /** Best first. */
  items(): readonly Item[] {
    return this.#items;
  }

  #position(item: Item): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#compare(other, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
