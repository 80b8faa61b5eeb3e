import type { BlockCache } from "../tree/block-cache.js";
import { TAG } from "../terms/codec.js";
import type { Roots } from "./commit.js";
import { type Hash } from "../blocks/hash.js";
import { KeyScan } from "../tree/key-scan.js";
import { Novelty } from "./novelty.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import {
  ORDERS,
  type Order,
  type Position,
  quadBytes,
  keyIn,
  termBytes,
} from "../terms/quad-key.js";
import { ownTerm } from "../terms/quad-key.js";
import { QuadReader } from "./quad-reader.js";
import type { Quad, QuadLike, TermLike } from "../terms/term.js";
import { type KeyRange, prefixRange, Tree } from "../tree/tree.js";

/** A quad pattern: the terms that matching quads must have. */
export type Pattern = Readonly<Partial<Record<Position, TermLike>>>;

/** The tree that answers a pattern, and the leading terms of its keys. */
interface AccessPath {
  readonly order: Order;
  readonly range: KeyRange;
  /** Number of terms that the key range determines. */
  readonly fixed: number;
  /** Terms of the pattern that the range does not determine, encoded. */
  readonly filters: readonly (Buffer | undefined)[];
  /** Whether there are any such terms. */
  readonly isExact: boolean;
}

/**
 * A dataset as of one set of roots, optionally with pending changes. The content of the roots is
 * immutable. Pending changes are visible to iterations that begin after them.
 */
export class Snapshot {
  /** The roots, without pending changes. */
  readonly roots: Roots;
  readonly #blocks: BlockCache;
  readonly #trees: Readonly<Record<Order, Tree>>;
  readonly #novelty: Novelty;

  constructor(blocks: BlockCache, roots: Roots, novelty: Novelty = new Novelty()) {
    this.roots = roots;
    this.#blocks = blocks;
    this.#trees = {
      spog: new Tree(blocks, roots.spog),
      posg: new Tree(blocks, roots.posg),
      ospg: new Tree(blocks, roots.ospg),
    };
    this.#novelty = novelty;
  }

  /** Number of quads. */
  get size(): number {
    return this.count({});
  }

  has(quad: QuadLike): boolean {
    return this.hasKey(keyIn("spog", quadBytes(quad, ignoreBody)));
  }

  /** Whether it contains the quad with this key, in the order subject, predicate, object, graph. */
  hasKey(spog: Buffer): boolean {
    return this.#novelty.presence(spog) ?? this.#trees.spog.has(spog);
  }

  /**
   * Number of matching quads. The count is exact. It takes O(log n) unless no order begins with the
   * pattern's terms: a graph alone, a literal alone, or a graph with an incomplete triple.
   */
  count(pattern: Pattern): number {
    return withoutPauses(this.counting(pattern));
  }

  /** Like {@link count}, but pauses after each quad that has to be examined. */
  *counting(pattern: Pattern, examined?: () => void): Pausing<number> {
    const access = this.#access(pattern);
    if (!access.isExact) return yield* countOf(this.scan(pattern, examined));
    const edits = this.#novelty.within(access.order, access.range);
    const balance = edits.reduce((sum, { present }) => sum + (present ? 1 : -1), 0);
    return this.#trees[access.order].count(access.range) + balance;
  }

  /**
   * An upper bound of the number of matching quads, in O(log n) for every pattern. Terms that no
   * order begins with are ignored.
   */
  countAtMost(pattern: Pattern): number {
    const { order, range } = this.#access(pattern);
    const added = this.#novelty.within(order, range).filter(({ present }) => present).length;
    return this.#trees[order].count(range) + added;
  }

  /** The matching quads, in the order of the tree that is used. */
  *match(pattern: Pattern = {}): Generator<Quad> {
    for (const quad of this.scan(pattern)) if (quad !== undefined) yield quad;
  }

  /**
   * Like {@link match}, with undefined for each examined quad that does not match.
   * @param examined called for every examined quad; an error that it throws ends the search.
   */
  *scan(pattern: Pattern, examined?: () => void): Generator<Quad | undefined> {
    const { order, range, fixed, filters } = this.#access(pattern);
    const edits = this.#novelty.within(order, range);
    const scan = new KeyScan(this.#trees[order].cursor(), range.from, edits);
    const given = ORDERS[order].map((position) => {
      const term = pattern[position];
      return term === undefined ? undefined : ownTerm(term);
    });
    const known = { order, fixed, fixedBytes: range.from.length, given, filters };
    const reader = new QuadReader(known, (hash) => this.body(hash));
    while (scan.next()) {
      examined?.();
      yield reader.read(scan.key, scan.length, scan.shared);
    }
  }

  /** The text of a literal with a separate block. */
  body(hash: Hash): Uint8Array {
    return this.#blocks.read(hash);
  }

  #access(pattern: Pattern): AccessPath {
    const bytes = (position: Position): Buffer | undefined => {
      const term = pattern[position];
      return term === undefined ? undefined : termBytes(term, ignoreBody);
    };
    const given = {
      subject: bytes("subject"),
      predicate: bytes("predicate"),
      object: bytes("object"),
      graph: bytes("graph"),
    };
    const order = orderFor(given);
    const positions = ORDERS[order];
    const firstOpen = positions.findIndex((position) => given[position] === undefined);
    const fixed = firstOpen === -1 ? positions.length : firstOpen;
    const prefix = positions.slice(0, fixed).map((position) => given[position] ?? Buffer.alloc(0));
    const filters = positions.map((position, at) => (at < fixed ? undefined : given[position]));
    const isExact = filters.every((filter) => filter === undefined);
    return { order, range: prefixRange(Buffer.concat(prefix)), fixed, filters, isExact };
  }
}

/** The order whose keys begin with the most of the given terms. */
function orderFor(given: Readonly<Record<Position, Buffer | undefined>>): Order {
  const { subject, predicate, object } = given;
  const isResource = object !== undefined && (object[0] === TAG.iri || object[0] === TAG.blank);
  if (subject !== undefined) {
    return predicate === undefined && isResource ? "ospg" : "spog";
  }
  if (predicate !== undefined) return "posg";
  return isResource ? "ospg" : "spog";
}

function ignoreBody(): void {
  // A lookup needs only the hash of a long literal, not its text.
}

function* countOf(scanned: Iterable<Quad | undefined>): Pausing<number> {
  let count = 0;
  for (const quad of scanned) {
    if (quad !== undefined) count += 1;
    yield;
  }
  return count;
}
