import type { Caller } from "@steward/kernel/caller.js";
import type { AppError } from "@steward/kernel/errors.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { CallOrigin, ToolCallFeed } from "../kernel/tool-call.js";
import type { TakenCalls } from "./calls-to-remember.js";
import type { MemoryEntry } from "./entry.js";
import type { ReembeddingProgress } from "./reembedding.js";
import type { EntryFilter, IndexEntry } from "./vector-index.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

/** Finds the tables that cascading deletions reach from the tables that texts mention (Contract §4.4 rule 3). */
export interface RelatedTablesLookup {
  /**
   * For each text the names of the tables, in a stable order, in the data sources that the caller
   * may use. Never fails.
   */
  targetsOf(caller: Caller, texts: readonly string[]): Promise<readonly (readonly string[])[]>;
}

/**
 * Whether a tool call may become an entry, and be sent to the embedding provider. Rejects with
 * AppError `STORE_UNAVAILABLE` while this cannot be decided.
 */
export type MayRemember = (call: CallOrigin) => Promise<boolean>;

/**
 * Begins the decisions of one request on which entries a caller may have: an entry of a tool call
 * repeats its output.
 * @returns why the caller may not have an entry; `undefined` when the caller may.
 */
export type EntryRefusals = (
  caller: Caller,
  signal: AbortSignal,
) => (entry: MemoryEntry) => Promise<AppError | undefined>;

/** An entry with its vector; they are stored together or not at all. */
export interface EmbeddedEntry {
  readonly entry: MemoryEntry;
  /** float32, with the model's dimension, all finite. */
  readonly vector: Float32Array;
  /** The vector in the format of `packCode`. */
  readonly code: Uint8Array;
}

/** Identifies the source of a vector: vectors of different models are never compared. */
export interface EmbeddingModel {
  /** Provider and model, such as `openai:text-embedding-3-small`. */
  readonly name: string;
  readonly dimension: number;
}

/** An entry's position in a listing. */
export type EntryPosition = Pick<MemoryEntry, "createdAtMs" | "entryId">;

/** The entries of organizations, with their vectors and codes. */
export interface MemoryEntries {
  /** Adds new entries with their vectors. */
  addEntries(entries: readonly EmbeddedEntry[], operation?: RecordedOperation): Promise<void>;

  /** The entry; `undefined` when it does not exist or belongs to another organization. */
  findEntry(orgId: string, entryId: string): Promise<MemoryEntry | undefined>;

  /**
   * The existing entries, by id.
   * @param orgId their organization, if known; a store may find them faster then.
   */
  entriesById(
    entryIds: readonly string[],
    orgId?: string,
  ): Promise<ReadonlyMap<string, MemoryEntry>>;

  /** Entries of one organization, newest first, after the position, at most `limit`. */
  listEntries(
    orgId: string,
    filter: EntryFilter,
    page: { readonly limit: number; readonly after?: EntryPosition },
  ): Promise<readonly MemoryEntry[]>;

  /**
   * Deletes an entry with its vector and code. @returns false when there is none, or when a legal
   * hold covers it.
   */
  deleteEntry(orgId: string, entryId: string, operation?: RecordedOperation): Promise<boolean>;

  /**
   * Deletes entries of a session, at most `limit`, and none while a legal hold covers it. @returns
   * their ids; fewer than `limit` when no more can be deleted.
   */
  deleteSession(
    orgId: string,
    sessionId: string,
    limit: number,
    operation?: RecordedOperation,
  ): Promise<readonly string[]>;
}

/** Counts entries. */
export interface MemoryCounts {
  /** Entries of an organization. The store reads a part of an index for each of them. */
  countEntries(orgId: string): Promise<number>;

  /** Whether there is an entry of any organization. */
  hasEntries(): Promise<boolean>;
}

/** The tool calls that become entries. */
export interface ToolCallMemory {
  /** The feed of tool calls without an entry. */
  readonly toolCalls: ToolCallFeed;

  /**
   * The next calls of the feed, at most `limit`; a batch without calls needs no answer. Only the
   * batch that was taken last can be remembered.
   * @param setAside as of {@link ToolCallFeed.take}.
   */
  takeCalls(limit: number, setAside?: SetAside): Promise<TakenCalls>;

  /**
   * Adds the entries of a batch and acknowledges its calls in one commit, so that no crash adds an
   * entry twice, or again after it was deleted.
   * @param vectors one for each call; `undefined` for a call that gets no entry.
   * @returns the entries for the index.
   */
  remember(
    taken: TakenCalls,
    vectors: readonly (Float32Array | undefined)[],
  ): Promise<readonly IndexEntry[]>;
}

/** Entries to delete by their time. */
export interface ExpiredScope {
  /** Milliseconds since the epoch. */
  readonly beforeMs: number;
  /** Absent: every session. */
  readonly sessionId?: string;
}

/** Deletes the entries that organizations keep no longer. */
export interface ExpiredMemory {
  /**
   * Deletes at most `limit` entries of an organization, or of one of its sessions, that were created
   * before `beforeMs`, except those that a legal hold covers.
   * @returns their ids; fewer than `limit` when no more are left.
   */
  deleteExpired(orgId: string, which: ExpiredScope, limit: number): Promise<readonly string[]>;
}

/** The model whose vectors are stored. */
export interface MemoryModel {
  /**
   * Sets the model whose vectors are stored from now on. A store with vectors keeps its model.
   * @throws AppError `INVALID_ARGUMENT` with the fix when the store has vectors of another model.
   */
  useModel(model: EmbeddingModel): Promise<void>;
}

/**
 * A store of memory entries, their vectors and codes. Every method is one atomic use case, durable when its
 * promise resolves; what is deleted is gone for every reader then. Errors: `STORE_UNAVAILABLE`, with
 * nothing changed. A user takes only the ports that it needs.
 */
export type MemoryStore = MemoryEntries &
  MemoryCounts &
  ToolCallMemory &
  ExpiredMemory &
  MemoryModel;

/** Told of an entry that cannot be read, because its row is damaged or of a later version. */
export type OnUnreadable = (entryId: string, error: unknown) => void;

/**
 * Changes a store to another model, whose vectors are stored beside the old ones until all exist.
 * Other processes that share the store may search and add with the old model until the switch.
 * Errors: `STORE_UNAVAILABLE`, with nothing changed.
 */
export interface ReembeddingStore {
  /**
   * Records the model in the store. @returns the number of entries, and of those with a vector of
   * it.
   */
  begin(model: EmbeddingModel): Promise<ReembeddingProgress>;

  /**
   * Every entry without a vector of the model, page by page. The caller may add vectors for a page
   * before it requests the next. Entries that are added meanwhile may be missed.
   * @param onUnreadable is told of an entry that cannot be read, which is passed over.
   */
  entriesWithout(
    model: EmbeddingModel,
    limit: number,
    onUnreadable: OnUnreadable,
  ): Iterable<readonly MemoryEntry[]> | AsyncIterable<readonly MemoryEntry[]>;

  /** Adds vectors of the model for entries that still exist and have no vector of this model. */
  addVectors(model: EmbeddingModel, entries: readonly EmbeddedEntry[]): Promise<void>;

  /**
   * Makes the model the active one, in one transaction, once every readable entry has a vector of it. From
   * then on the store refuses entries with vectors of another model.
   * @param embed embeds the entries that were added last; additions wait meanwhile.
   * @returns false, with nothing changed, when too many entries lack a vector for additions to
   * wait.
   */
  activate(
    model: EmbeddingModel,
    embed: (entries: readonly MemoryEntry[]) => Promise<readonly EmbeddedEntry[]>,
  ): Promise<boolean>;

  /**
   * Deletes at most `limit` vectors of other models, once this model is the active one.
   * @returns whether more may be left.
   */
  deleteOtherVectors(model: EmbeddingModel, limit: number): Promise<boolean>;
}
