import type { BlockCache } from "./tree/block-cache.js";
import type { Roots } from "./datasets/commit.js";
import type { Fault } from "./upkeep/fsck.js";
import type { Collection } from "./upkeep/garbage.js";
import type { Hash } from "./blocks/hash.js";
import type { QuadTable } from "./datasets/quad-table.js";
import type { Quad } from "./terms/term.js";

/** A named commit: `heads/<branch>` moves with every commit, `tags/<tag>` does not. */
export interface Ref {
  readonly name: string;
  readonly commit: Hash;
}

/** A compare-and-set of a ref. */
export interface RefMove {
  readonly name: string;
  /** The commit at which the ref must be; undefined: the ref must not exist. */
  readonly expected: Hash | undefined;
  /** The new commit; undefined: the ref is deleted. */
  readonly next: Hash | undefined;
  /** The journal whose changes the new commit contains; it is emptied with the move. */
  readonly journal?: string;
}

/** A journaled change of a dataset. */
export interface JournalRecord {
  /** True adds the quad, false deletes it. */
  readonly present: boolean;
  /** The quad's key in the order subject, predicate, object, graph. */
  readonly key: Uint8Array;
}

/** Reads blocks by hash. */
export interface BlockReader {
  /**
   * The block's bytes, which the reader must verify. Undefined when the block does not exist.
   * @throws AppError `STATE_CORRUPTED`, naming the block, when its bytes cannot be read.
   */
  get(hash: Hash): Uint8Array | undefined;
}

/** A stored dataset: the roots of its trees, and the blocks reachable from them. */
export interface StoredDataset {
  /** The organization that owns it. */
  readonly orgId: string;
  readonly blocks: BlockReader;
  readonly roots: Roots;
}

/** Stores blocks by their SHA-256 hash. */
export interface Blocks extends BlockReader {
  has(hash: Hash): boolean;
  /** The hashes of all blocks, in no particular order. */
  hashes(): Iterable<Hash>;

  /**
   * Stores blocks, all or none. A block that exists counts as written now, so that garbage
   * collection does not delete it under its new user.
   */
  put(blocks: ReadonlyMap<Hash, Uint8Array>): void;

  /**
   * Deletes blocks that are not in `keep` and were last written before this time.
   * @returns the number of deleted blocks.
   */
  sweep(keep: ReadonlySet<Hash>, writtenBeforeMs: number): number;
}

/** Stores refs to commits. */
export interface Refs {
  /** The commit of a ref; undefined when the ref does not exist. */
  ref(name: string): Hash | undefined;
  /** Every ref, by name. */
  refs(): readonly Ref[];
  /**
   * Stores blocks and moves a ref in one transaction; durable when it returns true.
   * @returns false, with nothing changed, when the ref is not at the expected commit.
   */
  move(move: RefMove, blocks: ReadonlyMap<Hash, Uint8Array>): boolean;
}

/** Stores journals of uncommitted changes. */
export interface Journals {
  /**
   * Appends to a journal. Durable with the next {@link sync}, {@link Blocks.put} or {@link Refs.move}.
   */
  append(journal: string, record: JournalRecord): void;
  /** Makes appended records durable. */
  sync(): void;
  /** The records of a journal, in order. */
  journal(name: string): readonly JournalRecord[];
  /** The names of journals that are not empty. */
  journals(): readonly string[];
  /** Empties a journal. */
  clearJournal(name: string): void;
}

/**
 * Blocks, refs and journals in one store, because a commit changes all three in one transaction. All
 * methods are synchronous, because reading a tree is a chain of small reads that a cache mostly
 * answers. Several processes may use one store concurrently. Every method throws AppError
 * `STORE_UNAVAILABLE` when the store cannot be reached. A function takes only the ports that it uses.
 */
export type BlockStore = Blocks & Refs & Journals & Disposable;

/**
 * One store per organization. A block of one organization cannot be read through another's store,
 * even by its hash.
 */
export interface BlockStores {
  /**
   * Opens the organization's store; the caller closes it.
   * @param create creates the store when it does not exist.
   * @returns undefined when it does not exist.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  open(orgId: string, create: boolean): BlockStore | undefined;
  /** The organizations that have a store. */
  organizations(): readonly string[];
  /**
   * Deletes the organization's store. Whoever has it open reads on until it is closed.
   * @returns whether there was one.
   */
  discard(orgId: string): boolean;
}

/** A store in use, with its cache of nodes. */
export interface OpenStore {
  readonly store: BlockStore;
  readonly blocks: BlockCache;
}

/**
 * Asynchronous access to the state of all organizations; services use it instead of {@link
 * BlockStore}. Every method throws AppError `STORE_UNAVAILABLE`, and the errors of `work`.
 */
export interface Repositories extends AsyncDisposable {
  /**
   * Acquires the organization's store, including everything acknowledged before. An organization
   * without state gets an empty store, to which nothing can be written.
   */
  acquire(orgId: string): Promise<OpenStore & Disposable>;
  /**
   * Runs `work` on the store as {@link acquire} returns it. `work` is repeated when blocks had to
   * be fetched first.
   */
  read<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T>;
  /**
   * Runs `work` with write access; the store is created if needed. The moves of refs are durable
   * and visible to all nodes when this resolves. When another process has won the race, `work` is
   * repeated on the new state. Other writers of this process wait, and readers do not, provided
   * that long work pauses.
   */
  write<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T>;
  /** Checks everything reachable from refs; see {@link checkStore}. */
  check(orgId: string): Promise<readonly Fault[]>;
  /** Deletes unreachable blocks older than the grace period. */
  collect(orgId: string): Promise<Collection>;
  /** The organizations that were not collected within this interval, in ms. */
  due(intervalMs: number): Promise<readonly string[]>;
}

/** Erases the state of organizations. */
export interface StateErasure {
  /**
   * Deletes everything that the organization's state has: refs, journals, and blocks with the whole
   * history. A write that has begun before is repeated on the empty state, or fails.
   * @returns whether there was any. @throws AppError `STORE_UNAVAILABLE`.
   */
  erase(orgId: string): Promise<boolean>;
}

/** The refs of an organization in an origin. */
export interface OriginRefs {
  /** Incremented by every move of a ref. */
  readonly version: number;
  /** Number of blocks ever deleted. */
  readonly swept: number;
  readonly refs: readonly Ref[];
}

/** Blocks fetched from an origin, not verified. */
export interface FetchedBlocks {
  readonly blocks: ReadonlyMap<Hash, Uint8Array>;
  /** Hashes of further existing blocks that would have exceeded the response's size. */
  readonly rest: readonly Hash[];
}

/**
 * Result of moves. `moved`: all took effect. `lost`: a ref was at another commit. `swept`: blocks
 * were deleted since. `unknown`: the response was lost. After `lost` and `swept` nothing has
 * changed.
 */
export type MoveOutcome = "moved" | "lost" | "swept" | "unknown";

/**
 * Whether a collection may begin. `claimed`: it may. `taken`: another node is collecting. `none`:
 * there is nothing to collect.
 */
export type CollectionClaim = "claimed" | "taken" | "none";

/** The refs and blocks of an origin, as nodes fetch and publish them. */
export interface OriginSync {
  /**
   * The current refs; undefined when the organization has no state.
   * @param known the refs known to the caller; unchanged refs are not sent again.
   */
  refs(orgId: string, known?: OriginRefs): Promise<OriginRefs | undefined>;
  /** The requested blocks that exist. */
  blocks(orgId: string, hashes: readonly Hash[]): Promise<FetchedBlocks>;
  /** Which of the blocks exist. */
  has(orgId: string, hashes: readonly Hash[]): Promise<ReadonlySet<Hash>>;
  /** Stores blocks for a later move; existing blocks count as written now. */
  send(orgId: string, blocks: ReadonlyMap<Hash, Uint8Array>): Promise<void>;
  /**
   * Stores blocks and moves refs in one transaction.
   * @param swept the number of deleted blocks that the caller has seen. With another number, blocks
   * that the caller relies on may be gone.
   */
  move(
    orgId: string,
    swept: number,
    moves: readonly RefMove[],
    blocks: ReadonlyMap<Hash, Uint8Array>,
  ): Promise<MoveOutcome>;
}

/** The garbage collection of an origin. */
export interface OriginCollections {
  /** The organizations that were not collected within this interval, in ms. */
  due(intervalMs: number): Promise<readonly string[]>;
  /** Begins a collection; only one node collects at a time. */
  claimCollection(orgId: string): Promise<CollectionClaim>;
  /** @param isDone whether the collection is complete. */
  endCollection(orgId: string, isDone: boolean): Promise<void>;
  /** Blocks older than the grace period, in ms, ordered by hash. */
  oldBlocks(
    orgId: string,
    graceMs: number,
    after: Hash | undefined,
    limit: number,
  ): Promise<readonly Hash[]>;
  /**
   * Deletes blocks, except those written or rewritten within the grace period.
   * @returns the number of deleted blocks; undefined, with nothing deleted, when a ref has moved
   * since this version.
   */
  sweep(
    orgId: string,
    version: number,
    graceMs: number,
    hashes: readonly Hash[],
  ): Promise<number | undefined>;
  /**
   * Deletes an organization's refs and blocks in one transaction, and counts as many deleted blocks
   * as `atLeast`, so that its clones are recreated.
   * @returns whether the organization has state.
   */
  erase(orgId: string, atLeast: number): Promise<boolean>;
}

/**
 * The shared, authoritative store of blocks and refs for several nodes; {@link Clones} are copies
 * of it. Writes are durable when a method resolves. Every method throws AppError
 * `STORE_UNAVAILABLE`.
 */
export type Origin = OriginSync & OriginCollections;

/**
 * This node's copies of an {@link Origin}: one block store per organization. A copy may be lost at
 * any time.
 */
export interface Clones extends AsyncDisposable {
  /**
   * Opens a clone, creating it if needed. Clones of other generations are deleted. The caller
   * closes it.
   */
  open(orgId: string, generation: number): BlockStore;
  /** Deletes an organization's clones. */
  discard(orgId: string): void;
  /** Whether an error means that a clone's file is damaged. */
  isDamage(error: unknown): boolean;
  /**
   * The blocks reachable from commits, as in {@link collectReachable}, determined in a worker
   * thread.
   */
  reachable(orgId: string, generation: number, commits: readonly Hash[]): Promise<Set<Hash>>;
  /**
   * Fills an empty store, checks it in a worker thread as in {@link checkStore}, and deletes it.
   */
  check(fill: (scratch: BlockStore) => Promise<void>): Promise<readonly Fault[]>;
}

/** Work on whole stores that takes too long for the event loop. */
export interface StateUpkeep extends AsyncDisposable {
  /** Checks everything reachable from refs; see {@link checkStore}. */
  check(orgId: string): Promise<readonly Fault[]>;
  /** Deletes unreachable blocks; see {@link collectGarbage}. No ref may be moved meanwhile. */
  collect(orgId: string): Promise<Collection>;
}

/** Supported RDF syntaxes. */
export const RDF_FORMATS = ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const;

export type RdfFormat = (typeof RDF_FORMATS)[number];

/** The content of a parsed document. */
export interface RdfDocument {
  readonly quads: QuadTable;
  /** The texts of long literals, each stored as a block. */
  readonly bodies: ReadonlyMap<Hash, Uint8Array>;
}

/**
 * A document as text, or as a stream of UTF-8 bytes with backpressure. The sender must end the
 * stream.
 */
export type DocumentContent = string | AsyncIterable<Uint8Array>;

/** Parses and serializes RDF. */
export interface RdfCodec extends AsyncDisposable {
  /**
   * Reads a document. Blank nodes are labelled by what is said about them (Decision §13), so that the same
   * document always gives the same quads.
   * The event loop is free meanwhile.
   * @throws AppError `INVALID_ARGUMENT`, naming line and column, when it is malformed; `LIMIT_EXCEEDED`, naming the
   * limit, when it makes too many quads, or takes too long or too much memory; `OVERLOADED` when too many of the
   * organization wait, or its turn does not come in time.
   * @param orgId Organizations take turns.
   */
  read(orgId: string, content: DocumentContent, format: RdfFormat): Promise<RdfDocument>;
  /** Serializes quads, piece by piece. N-Triples and Turtle omit graphs. */
  write(quads: Iterable<Quad>, format: RdfFormat): AsyncIterable<string>;
}

/** A term as the SPARQL 1.2 Query Results JSON Format writes it. */
export type JsonTerm = JsonAtomicTerm | JsonTripleTerm;

/** A term other than a triple term. */
export interface JsonAtomicTerm {
  readonly type: "uri" | "bnode" | "literal";
  readonly value: string;
  readonly "xml:lang"?: string;
  readonly "its:dir"?: "ltr" | "rtl";
  readonly datatype?: string;
}

export interface JsonTripleTerm {
  readonly type: "triple";
  readonly value: {
    readonly subject: JsonAtomicTerm;
    readonly predicate: JsonAtomicTerm;
    readonly object: JsonTerm;
  };
}

/** A solution of a query: the terms by the names of their variables. */
export type JsonBindings = Readonly<Record<string, JsonTerm>>;

/** A quad in JSON terms; `graph` is absent for the default graph. */
export interface JsonQuad {
  readonly subject: JsonAtomicTerm;
  readonly predicate: JsonAtomicTerm;
  readonly object: JsonTerm;
  readonly graph?: JsonAtomicTerm;
}

/**
 * Result of a query: the solutions of SELECT, the boolean of ASK, or the quads of CONSTRUCT and
 * DESCRIBE.
 */
export type QueryAnswer =
  | {
      readonly kind: "solutions";
      readonly variables: readonly string[];
      readonly rows: readonly JsonBindings[];
    }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "quads"; readonly quads: readonly JsonQuad[] };

/** Evaluates SPARQL 1.1 queries, with triple terms and base directions of SPARQL 1.2. */
export interface SparqlEngine extends AsyncDisposable {
  /**
   * Evaluates a query. A term in the result that comes from the dataset keeps its lexical form and
   * datatype.
   * @throws AppError `INVALID_ARGUMENT` for a malformed query; `LIMIT_EXCEEDED` when the query
   * examines too many quads, its result is too large, or it needs too much memory;
   * `DEADLINE_EXCEEDED` after its time limit; `UNIMPLEMENTED` when the engine is not installed;
   * `OVERLOADED` when the queue is full; and errors of reading blocks.
   */
  query(dataset: StoredDataset, sparql: string): Promise<QueryAnswer>;
}
