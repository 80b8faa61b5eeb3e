import type { BlockCache } from "./block-cache.js";
import { TAG } from "./codec.js";
import type { Roots } from "./commit.js";
import type { Hash } from "./hash.js";
import type { BlockStore } from "./ports.js";
import {
  ORDERS,
  type Order,
  type Position,
  type QuadBytes,
  termBytes,
  tooLong,
} from "./quad-key.js";
import { identity, sortByBytes, sortRows } from "./bulk-sort.js";
import { refuseMisplaced } from "./placement.js";
import { KEY_BYTES_MAX } from "./splitter.js";
import { type QuadLike, type TermLike, XSD_STRING } from "./term.js";
import { TreeBuilder } from "./tree-builder.js";

/** Bytes of long literals kept in memory before they are stored. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Collects quads in any order and builds trees of them at once. Every term is kept once; a quad is four
 * numbers. No term's bytes begin another's, so sorting by the terms' ranks sorts by the keys.
 */
export class BulkLoad {
  readonly #store: BlockStore;
  /** Numbers of terms by their value: of IRIs and others by their type, of literals by what kind they are. */
  readonly #names = new Map<string, Map<string, number>>();
  readonly #literals = new Map<string, Map<string, number>>();
  readonly #arena = new Arena();
  readonly #bodies = new Map<Hash, Uint8Array>();
  #bodyBytes = 0;
  /** Four term numbers for each quad: subject, predicate, object, graph. */
  #quads = new Uint32Array(4 * 1024);
  #size = 0;

  /** @param store where the texts of long literals go. */
  constructor(store: BlockStore) {
    this.#store = store;
  }

  /** Takes a quad. @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`. */
  add(quad: QuadLike): void {
    const at = 4 * this.#size;
    if (at === this.#quads.length) this.#quads = doubled(this.#quads);
    const quads = this.#quads;
    quads[at] = this.#id(quad.subject);
    quads[at + 1] = this.#id(quad.predicate);
    quads[at + 2] = this.#id(quad.object);
    quads[at + 3] = this.#id(quad.graph);
    refuseMisplaced(quad);
    if (this.#keyBytes(at) > KEY_BYTES_MAX) throw tooLong();
    this.#size += 1;
  }

  /** The quads as bytes, each as often as it was added. */
  *quads(): Generator<QuadBytes> {
    this.#storeBodies();
    for (let at = 0; at < 4 * this.#size; at += 4) {
      const term = (column: number): Buffer => this.#arena.bytes(this.#quads[at + column] ?? 0);
      yield { subject: term(0), predicate: term(1), object: term(2), graph: term(3) };
    }
  }

  /**
   * Builds the trees.
   * @param built called after each, so that their nodes need not be kept.
   */
  build(blocks: BlockCache, built: () => void): Roots {
    this.#storeBodies();
    const terms = new SortedTerms(this.#arena);
    const rows = sortedOnce(terms.ranked(this.#quads.subarray(0, 4 * this.#size)), terms.size);
    const tree = (order: Order, places: Uint32Array): Hash => {
      const columns = ORDERS[order].map((position) => COLUMN[position]);
      const root = buildTree(new TreeBuilder(blocks), terms, rows, places, columns);
      built();
      return root;
    };
    // Each order differs from the one before in the term that comes first; it keeps the rest sorted.
    const first = identity(rows.length / 4);
    const spog = tree("spog", first);
    const byObject = sortRows(rows, [COLUMN.object], terms.size, first);
    const posg = tree("posg", sortRows(rows, [COLUMN.predicate], terms.size, byObject));
    return { spog, posg, ospg: tree("ospg", terms.withResource(rows, COLUMN.object, byObject)) };
  }

  #id(term: TermLike): number {
    const ids = this.#idsOf(term);
    const name = term.termType === "Quad" ? this.#bytes(term).toString("latin1") : term.value;
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = this.#arena.add(this.#bytes(term));
    ids.set(name, id);
    return id;
  }

  #bytes(term: TermLike): Buffer {
    return termBytes(term, (hash, body) => this.#keepBody(hash, body));
  }

  /** The numbers of the terms that differ from this one in their value only. */
  #idsOf(term: TermLike): Map<string, number> {
    const isLiteral = term.termType === "Literal";
    const kinds = isLiteral ? this.#literals : this.#names;
    const kind = isLiteral ? literalKind(term) : term.termType;
    let ids = kinds.get(kind);
    if (ids === undefined) {
      ids = new Map();
      kinds.set(kind, ids);
    }
    return ids;
  }

  #keyBytes(at: number): number {
    let bytes = 0;
    for (let column = at; column < at + 4; column++) {
      bytes += this.#arena.length(this.#quads[column] ?? 0);
    }
    return bytes;
  }

  #keepBody(hash: Hash, body: Uint8Array): void {
    this.#bodies.set(hash, body);
    this.#bodyBytes += body.length;
    if (this.#bodyBytes > BODY_BYTES_MAX) this.#storeBodies();
  }

  #storeBodies(): void {
    if (this.#bodies.size > 0) this.#store.put(this.#bodies);
    this.#bodies.clear();
    this.#bodyBytes = 0;
  }
}

const COLUMN: Readonly<Record<Position, number>> = {
  subject: 0,
  predicate: 1,
  object: 2,
  graph: 3,
};

/** What literals have in common that differ in their text only; no datatype begins with "@". */
function literalKind({ language = "", direction, datatype }: TermLike): string {
  if (language !== "") return `@${language.toLowerCase()}--${direction ?? ""}`;
  return datatype?.value ?? XSD_STRING.value;
}

/** Terms' bytes, one behind the other. */
class Arena {
  buffer: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  /** Where each term begins, and behind the last one its end. */
  offsets: Uint32Array = new Uint32Array(1024);
  size = 0;

  add(bytes: Buffer): number {
    const start = this.offsets[this.size] ?? 0;
    if (start + bytes.length > this.buffer.length) this.#grow(start + bytes.length);
    if (this.size + 2 > this.offsets.length) this.offsets = doubled(this.offsets);
    bytes.copy(this.buffer, start);
    this.size += 1;
    this.offsets[this.size] = start + bytes.length;
    return this.size - 1;
  }

  bytes(id: number): Buffer {
    return this.buffer.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  length(id: number): number {
    return (this.offsets[id + 1] ?? 0) - (this.offsets[id] ?? 0);
  }

  #grow(bytes: number): void {
    const buffer = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.buffer.length));
    this.buffer.copy(buffer);
    this.buffer = buffer;
  }
}

/** Terms in ascending order of their bytes, one behind the other; a term's rank is its place among them. */
class SortedTerms {
  readonly size: number;
  readonly #buffer: Buffer;
  /** Where each term begins, and behind the last one its end. */
  readonly #offsets: Uint32Array;
  /** Ranks, by the terms' numbers. */
  readonly #ranks: Uint32Array;

  constructor(arena: Arena) {
    this.size = arena.size;
    this.#buffer = Buffer.allocUnsafeSlow(arena.offsets[arena.size] ?? 0);
    this.#offsets = new Uint32Array(arena.size + 1);
    this.#ranks = new Uint32Array(arena.size);
    let [rank, end] = [0, 0];
    for (const id of sortByBytes(arena.buffer, arena.offsets, arena.size)) {
      this.#ranks[id] = rank++;
      end += arena.bytes(id).copy(this.#buffer, end);
      this.#offsets[rank] = end;
    }
  }

  /** Terms' ranks instead of their numbers. */
  ranked(ids: Uint32Array): Uint32Array {
    return ids.map((id) => this.#ranks[id] ?? 0);
  }

  /** The places of the rows with an IRI or a blank node in this column, by which they are sorted. */
  withResource(rows: Uint32Array, column: number, places: Uint32Array): Uint32Array {
    // The tags of literals and triple terms are larger: the rows end with them.
    const end = places.findIndex((place) => !this.#isResource(rows[4 * place + column] ?? 0));
    return end === -1 ? places : places.subarray(0, end);
  }

  /** How many bytes the term has in common with what stands here. No term begins another. */
  commonLength(rank: number, bytes: Buffer, at: number): number {
    const buffer = this.#buffer;
    const start = this.#offsets[rank] ?? 0;
    let length = 0;
    while (buffer[start + length] === bytes[at + length]) length += 1;
    return length;
  }

  /** Writes a term, without its first bytes where they stand there already. @returns where the next goes. */
  copy(rank: number, to: Buffer, at: number, known: number): number {
    const buffer = this.#buffer;
    const start = this.#offsets[rank] ?? 0;
    const length = (this.#offsets[rank + 1] ?? 0) - start;
    for (let index = known; index < length; index++) to[at + index] = buffer[start + index] ?? 0;
    return at + length;
  }

  #isResource(rank: number): boolean {
    const tag = this.#buffer[this.#offsets[rank] ?? 0];
    return tag === TAG.iri || tag === TAG.blank;
  }
}

/** Rows in ascending order, each once. */
function sortedOnce(rows: Uint32Array, limit: number): Uint32Array {
  const places = sortRows(rows, [0, 1, 2, 3], limit, identity(rows.length / 4));
  const sorted = new Uint32Array(rows.length);
  let end = 0;
  for (const place of places) {
    let differs = end === 0;
    for (let column = 0; column < 4; column++) {
      const rank = rows[4 * place + column] ?? 0;
      if (rank !== sorted[end - 4 + column]) differs = true;
      sorted[end + column] = rank;
    }
    if (differs) end += 4;
  }
  return sorted.subarray(0, end);
}

/** Builds the tree of the rows in these places, whose keys are their terms in the order of these columns. */
function buildTree(
  builder: TreeBuilder,
  terms: SortedTerms,
  rows: Uint32Array,
  places: Uint32Array,
  columns: readonly number[],
): Hash {
  const key = Buffer.alloc(KEY_BYTES_MAX);
  const last = [-1, -1, -1, -1];
  const ends = [0, 0, 0, 0];
  for (const place of places) {
    let index = 0;
    while (rows[4 * place + (columns[index] ?? 0)] === last[index]) index += 1;
    // What the key has in common with the one before it stands there already.
    let end = index === 0 ? 0 : (ends[index - 1] ?? 0);
    let known = terms.commonLength(rows[4 * place + (columns[index] ?? 0)] ?? 0, key, end);
    const common = end + known;
    for (; index < 4; index++) {
      const rank = rows[4 * place + (columns[index] ?? 0)] ?? 0;
      end = terms.copy(rank, key, end, known);
      known = 0;
      last[index] = rank;
      ends[index] = end;
    }
    builder.add(key, end, common);
  }
  return builder.finish();
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
