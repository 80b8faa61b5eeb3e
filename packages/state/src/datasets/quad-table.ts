import { identity, sortByBytes, sortRows } from "../tree/bulk-sort.js";
import type { BodySink } from "../terms/codec.js";
import { refuseMisplaced } from "../terms/placement.js";
import { type Position, termBytes, tooLong } from "../terms/quad-key.js";
import { KEY_BYTES_MAX } from "../tree/splitter.js";
import { type QuadLike, type TermLike, XSD_STRING } from "../terms/term.js";

/**
 * A set of quads in three arrays. The arrays can be sent to another process unchanged, and do not
 * burden the garbage collector with hundreds of thousands of objects.
 */
export interface QuadTable {
  /** The distinct encoded terms in ascending order, concatenated. None is a prefix of another. */
  readonly terms: Buffer;
  /** Start of each term, and the end of the last one. */
  readonly offsets: Uint32Array;
  /**
   * For each quad the ranks of its four terms, in the columns of {@link COLUMN}. Rows are in
   * ascending order, as are their keys.
   */
  readonly rows: Uint32Array;
}

/** The column of each position in a row. */
export const COLUMN: Readonly<Record<Position, number>> = {
  subject: 0,
  predicate: 1,
  object: 2,
  graph: 3,
};

/** Collects quads in any order. Every term is stored once; a quad is four numbers. */
export class QuadTableBuilder {
  readonly #body: BodySink;
  /** Term numbers by value, grouped by the kind of term. */
  readonly #names = new Map<string, Map<string, number>>();
  readonly #literals = new Map<string, Map<string, number>>();
  readonly #arena = new Arena();
  /** Each quad as four numbers, which are the indices of its terms. */
  #quads = new Uint32Array(4 * 1024);
  #size = 0;

  /** @param body stores the texts of long literals. */
  constructor(body: BodySink) {
    this.#body = body;
  }

  /**
   * Adds a quad.
   * @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`.
   */
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

  /** Bytes of all terms so far. */
  get termBytes(): number {
    return this.#arena.offsets[this.#arena.size] ?? 0;
  }

  /**
   * Sorting by the terms' ranks sorts by the keys, because no encoded term is a prefix of another.
   */
  finish(): QuadTable {
    const { buffer, offsets, size } = this.#arena;
    const order = sortByBytes(buffer, offsets, size);
    const sorted = new Arena();
    const ranks = new Uint32Array(size);
    for (const [rank, id] of order.entries()) {
      ranks[id] = rank;
      sorted.add(this.#arena.bytes(id));
    }
    const rows = this.#quads.subarray(0, 4 * this.#size).map((id) => ranks[id] ?? 0);
    return {
      terms: sorted.buffer.subarray(0, sorted.offsets[size]),
      offsets: sorted.offsets.subarray(0, size + 1),
      rows: sortedOnce(rows, size),
    };
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
    return termBytes(term, this.#body);
  }

  /** The numbers of terms that differ from this one only in their value. */
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
}

/**
 * The group of literals that differ only in their text. A language starts with "@", which no
 * datatype does.
 */
function literalKind({ language = "", direction, datatype }: TermLike): string {
  if (language !== "") return `@${language.toLowerCase()}--${direction ?? ""}`;
  return datatype?.value ?? XSD_STRING.value;
}

/** Concatenated encoded terms. */
class Arena {
  buffer: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  /** Start of each term, and the end of the last one. */
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

/** Sorts rows and removes duplicates. */
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

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
