import { isKeptIn, keyIn, ORDERS, type Order, type QuadBytes } from "./quad-key.js";
import type { Edit } from "./tree-update.js";
import type { KeyRange } from "./tree.js";

const EVERY_ORDER = Object.keys(ORDERS) as readonly Order[];

/**
 * What was added and deleted since the trees were written, in each order. It holds only what makes a
 * difference: what is added is not in the trees, and what is deleted is.
 */
export class Novelty {
  readonly #edits: Readonly<Record<Order, Edit[]>> = { spog: [], posg: [], ospg: [] };

  /** Number of quads that differ. */
  get size(): number {
    return this.#edits.spog.length;
  }

  /** Whether the quad with this key differs, and then whether it is present. */
  presence(spog: Buffer): boolean | undefined {
    const edits = this.#edits.spog;
    const edit = edits[position(edits, spog)];
    return edit?.key.equals(spog) === true ? edit.present : undefined;
  }

  /** Notes a difference that there was not. */
  add(bytes: QuadBytes, present: boolean): void {
    for (const order of EVERY_ORDER) {
      if (!isKeptIn(order, bytes.object)) continue;
      const key = keyIn(order, bytes);
      const edits = this.#edits[order];
      edits.splice(position(edits, key), 0, { key, present });
    }
  }

  /** Takes a difference back. */
  delete(bytes: QuadBytes): void {
    for (const order of EVERY_ORDER) {
      if (!isKeptIn(order, bytes.object)) continue;
      const edits = this.#edits[order];
      edits.splice(position(edits, keyIn(order, bytes)), 1);
    }
  }

  /** The differences of an order, in ascending order of their keys. */
  edits(order: Order): readonly Edit[] {
    return this.#edits[order];
  }

  /** Those within a range. */
  within(order: Order, { from, to }: KeyRange): readonly Edit[] {
    const edits = this.#edits[order];
    if (edits.length === 0) return edits;
    return edits.slice(position(edits, from), to === undefined ? undefined : position(edits, to));
  }
}

/** Where the first edit stands whose key is not smaller than this one. */
function position(edits: readonly Edit[], key: Buffer): number {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const edit = edits[middle];
    if (edit !== undefined && Buffer.compare(edit.key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
