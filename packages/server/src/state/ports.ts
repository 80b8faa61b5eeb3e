import type { BlockCache } from "./block-cache.js";
import type { Roots } from "./commit.js";
import type { Fault } from "./fsck.js";
import type { Collection } from "./garbage.js";
import type { Hash } from "./hash.js";
import type { QuadTable } from "./quad-table.js";
import type { Quad } from "./term.js";

/** A name for a commit: `heads/<branch>` moves on with every commit, `tags/<tag>` stays. */
export interface Ref {
  readonly name: string;
  readonly commit: Hash;
}

/** The move of a ref, which happens only if the ref is where the mover saw it. */
export interface RefMove {
  readonly name: string;
  /** Where the ref must be now; undefined: it must not exist. */
  readonly expected: Hash | undefined;
  /** Where it goes; undefined: it is deleted. */
  readonly next: Hash | undefined;
  /** Whose journal the new commit contains, so that it is emptied with the move. */
  readonly journal?: string;
}

/** One written-ahead change of a dataset. */
export interface JournalRecord {
  /** Whether the quad is asserted or taken back. */
  readonly present: boolean;
  /** The quad's key in the order subject, predicate, object, graph. */
  readonly key: Uint8Array;
}

/** Hands out blocks by their hash. */
export interface BlockReader {
  /**
   * The block's bytes, unchecked: the reader hashes them. Undefined when there is no such block.
   * @throws AppError `STATE_CORRUPTED`, naming the block, when its bytes can no longer be read.
   */
  get(hash: Hash): Uint8Array | undefined;
}

/** A dataset as it is stored: the roots of its trees, and the blocks that they lead to. */
export interface StoredDataset {
  /** Whose it is. */
  readonly orgId: string;
  readonly blocks: BlockReader;
  readonly roots: Roots;
}

/**
 * Keeps blocks by the SHA-256 of their bytes, refs to commits, and journals of changes that no commit
 * contains yet. Everything is synchronous: reading a tree is a chain of small reads, most of which a
 * cache answers. Several processes may use one store at a time.
 * Every method throws AppError `STORE_UNAVAILABLE` when the store cannot be reached.
 */
export interface BlockStore extends BlockReader, Disposable {
  has(hash: Hash): boolean;
  /** Every block's hash, in no order. */
  hashes(): Iterable<Hash>;

  /**
   * Keeps blocks, all or none. A block that is there already counts as written now, so that no
   * collection of garbage takes it from under its new user.
   */
  put(blocks: ReadonlyMap<Hash, Uint8Array>): void;

  /** Where the ref is; undefined when it does not exist. */
  ref(name: string): Hash | undefined;
  /** Every ref, by name. */
  refs(): readonly Ref[];
  /**
   * Keeps blocks and moves a ref in one transaction: durable when this returns true.
   * @returns false, with nothing changed, when the ref is not where it was expected.
   */
  move(move: RefMove, blocks: ReadonlyMap<Hash, Uint8Array>): boolean;

  /** Appends to a journal. Durable with the next {@link sync}, {@link put} or {@link move}. */
  append(journal: string, record: JournalRecord): void;
  /** Makes what was appended durable. */
  sync(): void;
  /** Reads a journal in the order of its writing. */
  journal(name: string): readonly JournalRecord[];
  /** The journals that hold something, by name. */
  journals(): readonly string[];
  /** Empties a journal. */
  clearJournal(name: string): void;

  /**
   * Deletes the blocks that are not to be kept and were last written before this time.
   * @returns how many were deleted.
   */
  sweep(keep: ReadonlySet<Hash>, writtenBeforeMs: number): number;
}

/**
 * The stores of the organizations, one each: what one keeps cannot be reached from another's, whatever it knows of
 * hashes.
 */
export interface BlockStores {
  /**
   * Opens the organization's store, which the caller closes.
   * @param create whether it is made when there is none.
   * @returns undefined when there is none.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  open(orgId: string, create: boolean): BlockStore | undefined;
  /** The organizations that have a store. */
  organizations(): readonly string[];
}

/** A store in use, and its nodes kept ready for reading. */
export interface OpenStore {
  readonly store: BlockStore;
  readonly blocks: BlockCache;
}

/**
 * Where every organization's state is, as services use it: the asynchronous side of {@link BlockStore}.
 * Every method throws AppError `STORE_UNAVAILABLE`, and what `work` throws.
 */
export interface Repositories extends AsyncDisposable {
  /**
   * Lends the organization's store as it is now: whatever was acknowledged before is in it. One that does not
   * exist is lent as an empty one, in which nothing is kept.
   */
  lend(orgId: string): Promise<OpenStore & Disposable>;
  /** Has `work` read the store as {@link lend} gives it; again when what it reads had to be brought first. */
  read<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T>;
  /**
   * Has `work` write, making the store as needed. What it moves is durable, and for everybody to see, when this
   * resolves. Where several processes share the store it is done again, on what the others have written, when
   * one of them came first. Other writers of this process wait until it is done, and readers do not: long work lets
   * them have their turn.
   */
  write<T>(orgId: string, work: (opened: OpenStore) => T | Promise<T>): Promise<T>;
  /** Checks everything that refs lead to, as {@link checkStore}. */
  check(orgId: string): Promise<readonly Fault[]>;
  /** Deletes what no ref leads to and is older than the grace period. */
  collect(orgId: string): Promise<Collection>;
  /** The organizations whose garbage nobody has collected for this long, in ms. */
  due(intervalMs: number): Promise<readonly string[]>;
}

/** The refs of an organization, as several nodes share them. */
export interface OriginRefs {
  /** Another one after every move of a ref. */
  readonly version: number;
  /** How many blocks were ever swept. */
  readonly swept: number;
  readonly refs: readonly Ref[];
}

/** Blocks as an origin has them, unchecked. */
export interface FetchedBlocks {
  readonly blocks: ReadonlyMap<Hash, Uint8Array>;
  /** Those that are there too, but would have made the answer too large. */
  readonly rest: readonly Hash[];
}

/**
 * What became of moves: all happened; a ref was elsewhere; blocks were swept since; or the answer was lost.
 * In the second and third case nothing was changed.
 */
export type MoveOutcome = "moved" | "lost" | "swept" | "unknown";

/** Whether a collection may begin: it may; another node's is under way; there is nothing to collect. */
export type CollectionClaim = "claimed" | "taken" | "none";

/**
 * Where several nodes keep the blocks and refs of their organizations together: the truth that {@link Clones}
 * are copies of. What is written is durable when a method resolves.
 * Every method throws AppError `STORE_UNAVAILABLE`.
 */
export interface Origin {
  /**
   * The refs as they are now; undefined when the organization keeps nothing.
   * @param known as they were: what has not changed is not sent again.
   */
  refs(orgId: string, known?: OriginRefs): Promise<OriginRefs | undefined>;
  /** Those of the blocks that there are. */
  blocks(orgId: string, hashes: readonly Hash[]): Promise<FetchedBlocks>;
  /** Which of the blocks there are. */
  has(orgId: string, hashes: readonly Hash[]): Promise<ReadonlySet<Hash>>;
  /** Keeps blocks that a move is to need; those that are there count as written now. */
  send(orgId: string, blocks: ReadonlyMap<Hash, Uint8Array>): Promise<void>;
  /**
   * Keeps blocks and moves refs, all at once.
   * @param swept as the mover saw it: what it relies on may be gone when another number has come.
   */
  move(
    orgId: string,
    swept: number,
    moves: readonly RefMove[],
    blocks: ReadonlyMap<Hash, Uint8Array>,
  ): Promise<MoveOutcome>;

  /** The organizations whose garbage nobody has collected for this long, in ms. */
  due(intervalMs: number): Promise<readonly string[]>;
  /** Begins a collection, which only one node at a time does. */
  claimCollection(orgId: string): Promise<CollectionClaim>;
  /** @param isDone whether it came to its end. */
  endCollection(orgId: string, isDone: boolean): Promise<void>;
  /** Blocks written longer ago than the grace period, in ms, in the order of their hashes. */
  oldBlocks(
    orgId: string,
    graceMs: number,
    after: Hash | undefined,
    limit: number,
  ): Promise<readonly Hash[]>;
  /**
   * Deletes blocks, except those written, or written again, within the grace period.
   * @returns how many were deleted; undefined, with nothing deleted, when a ref has moved since this version.
   */
  sweep(
    orgId: string,
    version: number,
    graceMs: number,
    hashes: readonly Hash[],
  ): Promise<number | undefined>;
}

/** This node's copies of what is in an {@link Origin}: a store of blocks for each organization, to be lost any time. */
export interface Clones extends AsyncDisposable {
  /** Opens a clone, making it as needed; clones of another generation are deleted. The caller closes it. */
  open(orgId: string, generation: number): BlockStore;
  /** Deletes an organization's clones. */
  discard(orgId: string): void;
  /** Whether an error says that a clone's file is damaged. */
  isDamage(error: unknown): boolean;
  /** What commits lead to, as {@link collectReachable}, found out beside the event loop. */
  reachable(orgId: string, generation: number, commits: readonly Hash[]): Promise<Set<Hash>>;
  /** Has an empty store filled, checks it beside the event loop as {@link checkStore}, and deletes it. */
  check(fill: (scratch: BlockStore) => Promise<void>): Promise<readonly Fault[]>;
}

/** The work on whole stores that takes too long for the event loop. */
export interface StateUpkeep extends AsyncDisposable {
  /** Checks everything that refs lead to, as {@link checkStore}. */
  check(orgId: string): Promise<readonly Fault[]>;
  /** Deletes what no ref leads to, as {@link collectGarbage}. Nobody may move a ref meanwhile. */
  collect(orgId: string): Promise<Collection>;
}

/** The texts that RDF is written in. */
export const RDF_FORMATS = ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const;

/** One of {@link RDF_FORMATS}. */
export type RdfFormat = (typeof RDF_FORMATS)[number];

/** What a document says. */
export interface RdfDocument {
  readonly quads: QuadTable;
  /** The texts of long literals, each of which becomes a block. */
  readonly bodies: ReadonlyMap<Hash, Uint8Array>;
}

/**
 * A document as text, or as the bytes of its text in UTF-8, taken as fast as they can be read. Whoever sends them
 * sees to it that they come to an end.
 */
export type DocumentContent = string | AsyncIterable<Uint8Array>;

/** RDF as text, and back. */
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
  /** Writes quads, piece by piece. N-Triples and Turtle say nothing of graphs. */
  write(quads: Iterable<Quad>, format: RdfFormat): AsyncIterable<string>;
}

/** A term as the SPARQL 1.2 Query Results JSON Format writes it. */
export type JsonTerm = JsonAtomicTerm | JsonTripleTerm;

/** A term that is no triple term. */
export interface JsonAtomicTerm {
  readonly type: "uri" | "bnode" | "literal";
  readonly value: string;
  readonly "xml:lang"?: string;
  readonly "its:dir"?: "ltr" | "rtl";
  readonly datatype?: string;
}

/** A triple term. */
export interface JsonTripleTerm {
  readonly type: "triple";
  readonly value: {
    readonly subject: JsonAtomicTerm;
    readonly predicate: JsonAtomicTerm;
    readonly object: JsonTerm;
  };
}

/** A quad in such terms; no graph: the default graph. */
export interface JsonQuad {
  readonly subject: JsonAtomicTerm;
  readonly predicate: JsonAtomicTerm;
  readonly object: JsonTerm;
  readonly graph?: JsonAtomicTerm;
}

/** What a query comes to: solutions of SELECT, the answer of ASK, or what CONSTRUCT and DESCRIBE build. */
export type QueryAnswer =
  | {
      readonly kind: "solutions";
      readonly variables: readonly string[];
      readonly rows: readonly Readonly<Record<string, JsonTerm>>[];
    }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "quads"; readonly quads: readonly JsonQuad[] };

/** Answers SPARQL 1.1 queries, with triple terms and base directions as in SPARQL 1.2. */
export interface SparqlEngine extends AsyncDisposable {
  /**
   * Answers a query in the dataset's own terms: every term of an answer that comes from the dataset has the
   * lexical form and the datatype that it has there.
   * @throws AppError `INVALID_ARGUMENT` for a malformed query, `LIMIT_EXCEEDED` for one that would look at too
   * many quads, has too large an answer or needs too much memory, `DEADLINE_EXCEEDED` for one that takes too long,
   * `UNIMPLEMENTED` when the engine is not installed, `OVERLOADED` when too many wait, and what the blocks throw.
   */
  query(dataset: StoredDataset, sparql: string): Promise<QueryAnswer>;
}
