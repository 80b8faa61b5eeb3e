import type { BlockCache } from "../tree/block-cache.js";
import { identity, sortRows } from "../tree/bulk-sort.js";
import { TAG } from "../terms/codec.js";
import type { Roots } from "./commit.js";
import type { Hash } from "../blocks/hash.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore } from "../ports.js";
import { ORDERS, type Order } from "../terms/quad-key.js";
import { COLUMN, type QuadTable, QuadTableBuilder } from "./quad-table.js";
import { KEY_BYTES_MAX } from "../tree/splitter.js";
import type { QuadLike } from "../terms/term.js";
import { TreeBuilder } from "../tree/tree-builder.js";
import { type Edit, updateTree } from "../tree/tree-update.js";

/** Bytes of long literals buffered before they are stored. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Quads processed between two pauses, which takes a few milliseconds. */
const ROWS_AT_ONCE = 2000;
/** Rows applied to a tree between two pauses. Each row may rewrite a node and all its ancestors. */
const EDITS_AT_ONCE = 500;

/**
 * Collects quads in a table.
 * @param store stores the texts of long literals.
 * @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`.
 */
export function tableOf(quads: Iterable<QuadLike>, store: Pick<BlockStore, "put">): QuadTable {
  return withoutPauses(collecting(quads, store));
}

/** Like {@link tableOf}, but pauses regularly. */
export function* collecting(
  quads: Iterable<QuadLike>,
  store: Pick<BlockStore, "put">,
): Pausing<QuadTable> {
  const bodies = new Map<Hash, Uint8Array>();
  let bodyBytes = 0;
  const storeBodies = (): void => {
    if (bodies.size > 0) store.put(bodies);
    bodies.clear();
    bodyBytes = 0;
  };
  const builder = new QuadTableBuilder((hash, body) => {
    bodies.set(hash, body);
    bodyBytes += body.length;
    if (bodyBytes > BODY_BYTES_MAX) storeBodies();
  });
  let count = 0;
  for (const quad of quads) {
    builder.add(quad);
    if (++count % ROWS_AT_ONCE === 0) yield;
  }
  storeBodies();
  yield;
  return builder.finish();
}

/**
 * Builds the trees of a set of quads.
 * @param written called when there are buffered nodes that may be stored and dropped.
 */
export function buildTrees(
  table: QuadTable,
  blocks: BlockCache,
  written: () => void,
): Pausing<Roots> {
  return inEachOrder(table, function* (order, places) {
    const root = yield* buildTree(table, blocks, { order, places });
    written();
    return root;
  });
}

/** Builds the subject, predicate, object, graph tree of a set of quads. */
export function buildSpogTree(table: QuadTable, blocks: BlockCache): Pausing<Hash> {
  return buildTree(table, blocks, { order: "spog", places: identity(table.rows.length / 4) });
}

/** Indices of rows, in ascending order of their keys. */
interface OrderedRows {
  readonly order: Order;
  readonly places: Uint32Array;
}

function* buildTree(
  table: QuadTable,
  blocks: BlockCache,
  { order, places }: OrderedRows,
): Pausing<Hash> {
  const builder = new TreeBuilder(blocks);
  const key = new RowKey(table, order);
  for (const [index, place] of places.entries()) {
    const known = key.moveTo(place);
    builder.add(key.bytes, key.length, known);
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
  }
  return builder.finish();
}

/** Quads to add to existing trees or to delete from them. */
export interface TreeEdits {
  readonly table: QuadTable;
  /** The trees' roots before the change. */
  readonly roots: Roots;
  /** True adds the quads, false deletes them. */
  readonly present: boolean;
}

/**
 * Adds quads to trees or deletes them.
 * @param written as in {@link buildTrees}.
 */
export function editTrees(
  { table, roots, present }: TreeEdits,
  blocks: BlockCache,
  written: () => void,
): Pausing<Roots> {
  return inEachOrder(table, function* (order, places) {
    const key = new RowKey(table, order);
    let root = roots[order];
    // Consecutive keys are mostly in the same nodes, so each node is written once per batch.
    for (let start = 0; start < places.length; start += EDITS_AT_ONCE) {
      const edits: Edit[] = [];
      for (const place of places.subarray(start, start + EDITS_AT_ONCE)) {
        key.moveTo(place);
        edits.push({ key: Buffer.from(key.bytes.subarray(0, key.length)), present });
      }
      root = updateTree(blocks, root, edits);
      written();
      yield;
    }
    return root;
  });
}

/**
 * @param write applies the rows with these indices, which are in ascending order of their keys.
 * @returns the root.
 */
function* inEachOrder(
  table: QuadTable,
  write: (order: Order, places: Uint32Array) => Pausing<Hash>,
): Pausing<Roots> {
  const { rows, offsets } = table;
  const size = offsets.length - 1;
  // Each order sorts the previous order by one more column; the sort is stable.
  const all = identity(rows.length / 4);
  const spog = yield* write("spog", all);
  const byObject = sortRows(rows, [COLUMN.object], size, all);
  yield;
  const posg = yield* write("posg", sortRows(rows, [COLUMN.predicate], size, byObject));
  return { spog, posg, ospg: yield* write("ospg", withResource(table, byObject)) };
}

/** Indices of the rows whose object is an IRI or a blank node, sorted by object. */
function withResource({ terms, offsets, rows }: QuadTable, places: Uint32Array): Uint32Array {
  // The tags of literals and triple terms are larger, so their rows are at the end.
  const end = places.findIndex((place) => {
    const tag = terms[offsets[rows[4 * place + COLUMN.object] ?? 0] ?? 0];
    return tag !== TAG.iri && tag !== TAG.blank;
  });
  return end === -1 ? places : places.subarray(0, end);
}

/** Encodes the keys of consecutive rows in one of the orders. */
class RowKey {
  readonly bytes: Buffer = Buffer.alloc(KEY_BYTES_MAX);
  length = 0;
  readonly #table: QuadTable;
  readonly #columns: readonly number[];
  /** The terms of the current key, and where each of them ends. */
  readonly #terms = [-1, -1, -1, -1];
  readonly #ends = [0, 0, 0, 0];

  constructor(table: QuadTable, order: Order) {
    this.#table = table;
    this.#columns = ORDERS[order].map((position) => COLUMN[position]);
  }

  /**
   * Encodes the key of another row.
   * @returns the number of leading bytes shared with the previous key.
   */
  moveTo(place: number): number {
    let index = 0;
    while (this.#termAt(place, index) === this.#terms[index]) index += 1;
    // The shared prefix is in the buffer already.
    let end = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    let known = this.#commonLength(this.#termAt(place, index), end);
    const common = end + known;
    for (; index < 4; index++) {
      const term = this.#termAt(place, index);
      end = this.#copy(term, end, known);
      known = 0;
      this.#terms[index] = term;
      this.#ends[index] = end;
    }
    this.length = end;
    return common;
  }

  #termAt(place: number, index: number): number {
    return this.#table.rows[4 * place + (this.#columns[index] ?? 0)] ?? 0;
  }

  /**
   * Number of leading bytes that the term shares with the buffer's content at this position. No
   * encoded term is a prefix of another.
   */
  #commonLength(term: number, at: number): number {
    const { terms, offsets } = this.#table;
    const start = offsets[term] ?? 0;
    let length = 0;
    while (terms[start + length] === this.bytes[at + length]) length += 1;
    return length;
  }

  /**
   * Writes a term, without the leading bytes that the buffer holds already.
   * @returns the position after it.
   */
  #copy(term: number, at: number, known: number): number {
    const { terms, offsets } = this.#table;
    const start = offsets[term] ?? 0;
    const length = (offsets[term + 1] ?? 0) - start;
    for (let index = known; index < length; index++) {
      this.bytes[at + index] = terms[start + index] ?? 0;
    }
    return at + length;
  }
}
