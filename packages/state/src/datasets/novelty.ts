import { isKeptIn, keyIn, ORDERS, type Order, type QuadBytes } from "../terms/quad-key.js";
import type { Edit } from "../tree/tree-update.js";
import type { KeyRange } from "../tree/tree.js";

const EVERY_ORDER = Object.keys(ORDERS) as readonly Order[];

/**
 * Changes since the trees were written, in each order. It holds effective changes only: added quads
 * that the trees lack, and deleted quads that the trees contain.
 */
export class Novelty {
  readonly #edits: Readonly<Record<Order, Edit[]>> = { spog: [], posg: [], ospg: [] };

  /** Number of changed quads. */
  get size(): number {
    return this.#edits.spog.length;
  }

  /** Whether a changed quad is present; undefined for an unchanged quad. */
  presence(spog: Buffer): boolean | undefined {
    const edits = this.#edits.spog;
    const edit = edits[position(edits, spog)];
    return edit?.key.equals(spog) === true ? edit.present : undefined;
  }

  add(bytes: QuadBytes, present: boolean): void {
    for (const order of EVERY_ORDER) {
      if (!isKeptIn(order, bytes.object)) continue;
      const key = keyIn(order, bytes);
      const edits = this.#edits[order];
      edits.splice(position(edits, key), 0, { key, present });
    }
  }

  /** Removes a change. */
  delete(bytes: QuadBytes): void {
    for (const order of EVERY_ORDER) {
      if (!isKeptIn(order, bytes.object)) continue;
      const edits = this.#edits[order];
      edits.splice(position(edits, keyIn(order, bytes)), 1);
    }
  }

  /** The changes as edits of one order's tree, in ascending order of their keys. */
  edits(order: Order): readonly Edit[] {
    return this.#edits[order];
  }

  /** The changes within a range of keys. */
  within(order: Order, { from, to }: KeyRange): readonly Edit[] {
    const edits = this.#edits[order];
    if (edits.length === 0) return edits;
    return edits.slice(position(edits, from), to === undefined ? undefined : position(edits, to));
  }
}

/** Index of the first edit whose key is not smaller. */
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
