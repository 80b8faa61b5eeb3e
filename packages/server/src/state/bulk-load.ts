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
  refuseMisplaced,
  termBytes,
  tooLong,
} from "./quad-key.js";
import { rankOrder, sortByBytes } from "./bulk-sort.js";
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
    const ranks = sortByBytes(this.#arena.buffer, this.#arena.offsets, this.#arena.size);
    const quads = this.#quads.subarray(0, 4 * this.#size);
    const sorted = (columns: readonly Position[], from: Uint32Array): Uint32Array =>
      rankOrder(
        quads,
        columns.map((position) => COLUMN[position]),
        ranks,
        this.#arena.size,
        from,
      );
    const tree = (order: Order, sequence: Uint32Array): Hash => {
      const columns = ORDERS[order].map((position) => COLUMN[position]);
      const root = this.#buildTree(blocks, order, columns, sequence);
      built();
      return root;
    };
    // The other orders differ from the first in the terms that come before; it keeps the rest sorted.
    const first = sorted(
      ORDERS.spog,
      Uint32Array.from({ length: this.#size }, (_, row) => row),
    );
    const spog = tree("spog", first);
    const posg = tree("posg", sorted(["predicate", "object"], first));
    return { spog, posg, ospg: tree("ospg", sorted(["object"], first)) };
  }

  #buildTree(
    blocks: BlockCache,
    order: Order,
    columns: readonly number[],
    sequence: Uint32Array,
  ): Hash {
    const builder = new TreeBuilder(blocks);
    const key = Buffer.allocUnsafeSlow(KEY_BYTES_MAX);
    const last = [-1, -1, -1, -1];
    const ends = [0, 0, 0, 0];
    for (const row of sequence) {
      let changed = 4;
      for (let index = 3; index >= 0; index--) {
        const id = this.#quads[4 * row + (columns[index] ?? 0)] ?? 0;
        if (last[index] !== id) changed = index;
        last[index] = id;
      }
      if (changed === 4) continue;
      if (order === "ospg" && !this.#arena.isResource(last[0] ?? 0)) continue;
      // What the quad has in common with the one before it stands there already.
      const known = changed === 0 ? 0 : (ends[changed - 1] ?? 0);
      let end = known;
      for (let index = changed; index < 4; index++) {
        end = this.#arena.copy(last[index] ?? 0, key, end);
        ends[index] = end;
      }
      builder.add(key, end, known);
    }
    return builder.finish();
  }

  #id(term: TermLike): number {
    const ids = this.#idsOf(term);
    const known = ids.get(term.value);
    if (known !== undefined) return known;
    const id = this.#arena.add(termBytes(term, (hash, body) => this.#keepBody(hash, body)));
    ids.set(term.value, id);
    return id;
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
function literalKind({ language = "", datatype }: TermLike): string {
  if (language !== "") return `@${language.toLowerCase()}`;
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

  isResource(id: number): boolean {
    const tag = this.buffer[this.offsets[id] ?? 0];
    return tag === TAG.iri || tag === TAG.blank;
  }

  /** Copies a term. @returns where the next one goes. */
  copy(id: number, to: Buffer, at: number): number {
    const start = this.offsets[id] ?? 0;
    const end = this.offsets[id + 1] ?? 0;
    for (let from = start; from < end; from++) to[at + from - start] = this.buffer[from] ?? 0;
    return at + end - start;
  }

  #grow(bytes: number): void {
    const buffer = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.buffer.length));
    this.buffer.copy(buffer);
    this.buffer = buffer;
  }
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
