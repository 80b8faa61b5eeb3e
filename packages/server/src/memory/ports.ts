import type { Caller } from "@steward/kernel/caller.js";
import type { TakenCalls, ToolCallFeed, ToolCallRecord } from "../kernel/tool-call.js";
import type { MemoryEntry } from "./entry.js";
import type { ReembeddingProgress } from "./reembedding.js";
import type { EntryFilter } from "./vector-index.js";

/** Finds the tables that cascading deletions reach from the tables that texts mention (Contract §4.4 rule 3). */
export interface RelatedTablesLookup {
  /**
   * For each text the names of the tables, in an order that stays the same, of the data sources that the caller may
   * use. Never fails.
   */
  targetsOf(caller: Caller, texts: readonly string[]): Promise<readonly (readonly string[])[]>;
}

/**
 * Whether a tool call may become an entry, and be sent to the embedding provider for its vector.
 * Rejects with AppError `STORE_UNAVAILABLE` while that cannot be said.
 */
export type MayRemember = (call: ToolCallRecord) => Promise<boolean>;

/** An entry with its vector, as they are stored: together or not at all. */
export interface EmbeddedEntry {
  readonly entry: MemoryEntry;
  /** float32, as long as the model's dimension, all finite. */
  readonly vector: Float32Array;
  /** What `packCode` made of the vector. */
  readonly code: Uint8Array;
}

/** Names what made a vector: vectors of two models are never compared. */
export interface EmbeddingModel {
  /** Provider and model, such as `openai:text-embedding-3-small`. */
  readonly name: string;
  readonly dimension: number;
}

/** Names an entry's place in a listing. */
export type EntryPosition = Pick<MemoryEntry, "createdAtMs" | "entryId">;

/** The entries of organizations, with their vectors and codes. */
export interface MemoryEntries {
  /** Adds new entries with their vectors. */
  addEntries(entries: readonly EmbeddedEntry[]): Promise<void>;

  /** The entry, or `undefined` for another organization's as for none. */
  findEntry(orgId: string, entryId: string): Promise<MemoryEntry | undefined>;

  /**
   * The entries that are there, by id.
   * @param orgId whose they are, as far as it is known: a store may find them faster then.
   */
  entriesById(
    entryIds: readonly string[],
    orgId?: string,
  ): Promise<ReadonlyMap<string, MemoryEntry>>;

  /** Entries of one organization, newest first, those after the position, at most `limit`. */
  listEntries(
    orgId: string,
    filter: EntryFilter,
    page: { readonly limit: number; readonly after?: EntryPosition },
  ): Promise<readonly MemoryEntry[]>;

  /** Deletes an entry with its vector and code. @returns false when there is none. */
  deleteEntry(orgId: string, entryId: string): Promise<boolean>;

  /**
   * Deletes entries of a session, at most `limit`. @returns their ids; fewer than `limit` when none is
   * left.
   */
  deleteSession(orgId: string, sessionId: string, limit: number): Promise<readonly string[]>;
}

/** The tool calls that become entries. */
export interface ToolCallMemory {
  /** The tool calls that have no entry yet. */
  readonly toolCalls: ToolCallFeed;

  /**
   * Adds the entries of tool calls and remembers that the calls are done, together: no crash makes an
   * entry twice, or again after it was deleted.
   * @param taken the calls, as {@link toolCalls} gave them.
   */
  addToolCallEntries(entries: readonly EmbeddedEntry[], taken: TakenCalls): Promise<void>;
}

/** How long organizations keep their entries. */
export interface MemoryRetention {
  /** How long an organization keeps its entries, in ms; `undefined`: for ever. */
  retentionMs(orgId: string): Promise<number | undefined>;

  /** Says how long an organization keeps its entries, in ms; `undefined`: for ever. */
  setRetention(orgId: string, ageMaxMs: number | undefined): Promise<void>;

  /**
   * Deletes entries that are older at `nowMs` than their organization keeps them, at most `limit`.
   * @returns their ids; fewer than `limit` when none is left.
   */
  deleteExpired(nowMs: number, limit: number): Promise<readonly string[]>;
}

/** The model whose vectors are stored. */
export interface MemoryModel {
  /**
   * Sets the model whose vectors are stored from now on. Once the store has vectors, the model stays.
   * @throws AppError `INVALID_ARGUMENT` with the fix when the store has vectors of another model.
   */
  useModel(model: EmbeddingModel): Promise<void>;
}

/**
 * A store of memory entries, their vectors and codes. Every method is one atomic use case, durable when its
 * promise resolves; what is deleted is gone for every reader then. Errors: `STORE_UNAVAILABLE`, with
 * nothing changed. A user takes only the ports that it needs.
 */
export type MemoryStore = MemoryEntries & ToolCallMemory & MemoryRetention & MemoryModel;

/**
 * The change of a store to another model, whose vectors are stored beside the old ones until all are
 * there. Others who share the store may search and add with the old model until the switch. Errors:
 * `STORE_UNAVAILABLE`, with nothing changed.
 */
export interface ReembeddingStore {
  /** Records the model in the store. @returns how many entries there are, and how many have a vector of it. */
  begin(model: EmbeddingModel): Promise<ReembeddingProgress>;

  /**
   * Every entry without a vector of the model, by the page; the page's may have one afterwards. One that
   * is added meanwhile may be missed.
   */
  entriesWithout(
    model: EmbeddingModel,
    limit: number,
  ): Iterable<readonly MemoryEntry[]> | AsyncIterable<readonly MemoryEntry[]>;

  /** Adds vectors of the model for entries that have none of it and are still there. */
  addVectors(model: EmbeddingModel, entries: readonly EmbeddedEntry[]): Promise<void>;

  /**
   * Makes the model the one whose vectors are stored and searched, in one transaction, once every entry
   * has a vector of it. From then on the store refuses entries with vectors of another model.
   * @param embed makes vectors for the entries that were added last; additions wait meanwhile.
   * @returns false, with nothing changed, when too many entries lack a vector for additions to wait.
   */
  activate(
    model: EmbeddingModel,
    embed: (entries: readonly MemoryEntry[]) => Promise<readonly EmbeddedEntry[]>,
  ): Promise<boolean>;

  /**
   * Deletes vectors of other models, at most `limit`, once this one's are those that are stored.
   * @returns whether some may be left.
   */
  deleteOtherVectors(model: EmbeddingModel, limit: number): Promise<boolean>;
}
