import type { Caller } from "@steward/kernel/caller.js";
import { EmbeddingError, type EmbeddingProvider } from "../embedding/index.js";
import { assert } from "@steward/kernel/assert.js";
import { isoTime, type Clock } from "@steward/kernel/clock.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { isUuid, type Ids } from "@steward/kernel/ids.js";
import { type StorageGate, unlimitedStorage } from "@steward/kernel/storage-gate.js";
import { ENTRIES_DELETED_MAX, ENTRIES_PAGE_DEFAULT, ENTRIES_PAGE_MAX } from "./limits.js";
import { embeddedEntry, indexEntry } from "./embedded-entry.js";
import { draftedEntry, type EntryDraft, type MemoryEntry } from "./entry.js";
import { cursorOf, positionOf } from "./entry-cursor.js";
import type {
  EmbeddingModel,
  MemoryEntries,
  RelatedTablesLookup,
  ToolCallMemory,
} from "./ports.js";
import {
  checkFilter,
  checkSearch,
  narrowedTo,
  type CheckedSearch,
  type SearchRequest,
} from "./search-request.js";
import type { Hit, Ranks } from "./exact-index/top-k.js";
import type { EntryFilter, VectorIndex } from "./vector-index.js";

/** An entry that a search found (Contract §2.7). */
export interface SearchResult {
  readonly entryId: string;
  /** Cosine similarity, in [-1, 1]. */
  readonly score: number;
  /** JSON text, unchanged. */
  readonly content: string;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  /**
   * Tables that would lose rows by a cascade from the tables in its content; empty unless the
   * lookup is on.
   */
  readonly relatedCascadeTargets: readonly string[];
  /** The ranks by similarity and by words, which explain the result's position. */
  readonly ranks: Ranks;
}

/** A page of entries, newest first. */
export interface EntryPage {
  readonly entries: readonly MemoryEntry[];
  /** Opaque cursor of the next page; absent on the last one. */
  readonly nextCursor?: string;
}

/** The state of an organization's memory. */
export interface MemoryState {
  /** Entries of the organization in the search index. */
  readonly entries: number;
  /** Tool calls of the organization that wait for their entry. */
  readonly waiting: number;
  /** Stored vectors of all organizations that are damaged and not searched. */
  readonly quarantined: number;
  readonly model: EmbeddingModel;
}

/** The ports of a store that the service uses. */
type ServedMemory = MemoryEntries & Pick<ToolCallMemory, "toolCalls">;

/** The id of a legal hold that covers a session; `undefined`: none does. */
export type HeldBy = (orgId: string, sessionId: string) => Promise<string | undefined>;

/** Dependencies of the service. */
export interface MemoryServiceOptions {
  readonly store: ServedMemory;
  readonly index: VectorIndex;
  readonly provider: EmbeddingProvider;
  /** The model of the provider's vectors. */
  readonly model: EmbeddingModel;
  /** Looks up related tables; absent: the lookup is off. */
  readonly relatedTables?: RelatedTablesLookup;
  /** Asked before an entry is added; absent: no quota limits what is stored. */
  readonly storage?: StorageGate;
  /** The legal hold that covers a session; absent: there are no holds. */
  readonly heldBy?: HeldBy;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Adds, lists, deletes and searches memory entries for callers. */
export class MemoryService {
  readonly #store: ServedMemory;
  readonly #index: VectorIndex;
  readonly #provider: EmbeddingProvider;
  readonly #model: EmbeddingModel;
  readonly #relatedTables: RelatedTablesLookup | undefined;
  readonly #storage: StorageGate;
  readonly #heldBy: HeldBy;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(options: MemoryServiceOptions) {
    this.#store = options.store;
    this.#index = options.index;
    this.#provider = options.provider;
    this.#model = options.model;
    this.#relatedTables = options.relatedTables;
    this.#storage = options.storage ?? unlimitedStorage;
    this.#heldBy = options.heldBy ?? (() => Promise.resolve(undefined));
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  /**
   * The entries most similar to the query, best first (Contract §4.4).
   * @throws AppError `INVALID_ARGUMENT`, `POLICY_DENIED` for another organization's entries,
   * `EMBEDDING_FAILED`, `MEMORY_SEARCH_FAILED` or, when too many searches wait, `OVERLOADED`; the
   * signal's reason when that was aborted.
   */
  async search(
    caller: Caller,
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<readonly SearchResult[]> {
    const search = narrowedTo(caller, checkSearch(request));
    const vector = await this.#embedded(search.query, "query", signal);
    try {
      const results = await this.#found(search, vector, signal);
      return await this.#withRelatedTables(caller, results);
    } catch (error) {
      signal.throwIfAborted();
      throw searchFailure(error);
    }
  }

  /**
   * Adds a caller's entry; the next search finds it.
   * @throws AppError `INVALID_ARGUMENT`, `EMBEDDING_FAILED`, `QUOTA_EXCEEDED`, `STORE_UNAVAILABLE`.
   */
  async addEntry(orgId: string, draft: EntryDraft, signal: AbortSignal): Promise<MemoryEntry> {
    const entry = draftedEntry(draft, { orgId, createdAtMs: this.#clock.nowMs() }, this.#ids);
    const vectorBytes = Float32Array.BYTES_PER_ELEMENT * this.#model.dimension;
    this.#storage.admit(orgId, entry.content.length + vectorBytes);
    const embedded = embeddedEntry(entry, await this.#embedded(entry.content, "document", signal));
    await this.#store.addEntries([embedded]);
    await this.#index.add([indexEntry(embedded)]);
    return entry;
  }

  /**
   * @throws AppError `NOT_FOUND` when the entry does not exist or belongs to another organization.
   */
  async getEntry(orgId: string, entryId: string): Promise<MemoryEntry> {
    const entry = await this.#store.findEntry(orgId, checkedId(entryId));
    if (entry === undefined) throw unknownEntry(entryId);
    return entry;
  }

  /**
   * Entries of one organization, newest first.
   * @param page `limit`: absent: 50; `cursor`: from the previous page.
   * @throws AppError `INVALID_ARGUMENT`.
   */
  async listEntries(
    orgId: string,
    filter: EntryFilter,
    page: { readonly limit?: number; readonly cursor?: string },
  ): Promise<EntryPage> {
    const { limit = ENTRIES_PAGE_DEFAULT, cursor } = page;
    if (!Number.isInteger(limit) || limit < 1 || limit > ENTRIES_PAGE_MAX) {
      throw invalidField("limit", `must be an integer from 1 to ${ENTRIES_PAGE_MAX}`);
    }
    checkFilter(filter);
    const after = cursor === undefined ? {} : { after: positionOf(cursor) };
    // One entry more than the page shows whether another page follows.
    const entries = await this.#store.listEntries(orgId, filter, { limit: limit + 1, ...after });
    const shown = entries.slice(0, limit);
    const last = shown.at(-1);
    if (last === undefined || entries.length <= limit) return { entries: shown };
    return { entries: shown, nextCursor: cursorOf(last) };
  }

  /**
   * Deletes an entry: its row, its vector unless another entry has the same one, and its index
   * slot. @throws AppError `NOT_FOUND`, `LEGAL_HOLD`.
   */
  async deleteEntry(orgId: string, entryId: string): Promise<void> {
    const { sessionId, entryId: id } = await this.getEntry(orgId, entryId);
    await this.#refuseHeld(orgId, sessionId);
    if (!(await this.#store.deleteEntry(orgId, id))) {
      await this.#refuseHeld(orgId, sessionId);
      throw unknownEntry(entryId);
    }
    await this.#index.remove([id]);
  }

  /**
   * Deletes every entry of a session, in batches. A legal hold that is placed meanwhile ends it.
   * @returns the number of deleted entries. @throws AppError `LEGAL_HOLD`.
   */
  async deleteSession(orgId: string, sessionId: string): Promise<number> {
    await this.#refuseHeld(orgId, sessionId);
    let count = 0;
    for (;;) {
      const deleted = await this.#store.deleteSession(orgId, sessionId, ENTRIES_DELETED_MAX);
      await this.#index.remove(deleted);
      count += deleted.length;
      if (deleted.length < ENTRIES_DELETED_MAX) return count;
    }
  }

  /**
   * The state of an organization's memory, in the form for its callers. @throws AppError
   * `STORE_UNAVAILABLE`.
   */
  async state(orgId: string): Promise<MemoryState> {
    const [stats, waiting] = await Promise.all([
      this.#index.stats(orgId),
      this.#store.toolCalls.waiting(orgId),
    ]);
    return { ...stats, waiting, model: this.#model };
  }

  async #refuseHeld(orgId: string, sessionId: string): Promise<void> {
    const holdId = await this.#heldBy(orgId, sessionId);
    if (holdId === undefined) return;
    throw new AppError(
      "LEGAL_HOLD",
      `Nothing was deleted: the legal hold ${holdId} covers session ${sessionId}; it can be deleted when the ` +
        "hold is lifted (steward hold list, steward hold remove)",
    );
  }

  async #embedded(
    text: string,
    inputType: "query" | "document",
    signal: AbortSignal,
  ): Promise<Float32Array> {
    try {
      return await this.#provider.embed(text, { inputType, signal });
    } catch (error) {
      signal.throwIfAborted();
      const { message } = EmbeddingError.from(error);
      throw new AppError("EMBEDDING_FAILED", `Embedding failed: ${message}`, { cause: error });
    }
  }

  async #found(
    { query, isHybrid, ...rest }: CheckedSearch,
    vector: Float32Array,
    signal: AbortSignal,
  ): Promise<readonly SearchResult[]> {
    const text = isHybrid ? { text: query } : {};
    const hits = await this.#index.search({ vector, ...rest, ...text }, signal);
    const entryIds = hits.map((hit) => hit.entryId);
    const entries = await this.#store.entriesById(entryIds, rest.orgId);
    return hits.flatMap((hit, index) => {
      const entry = entries.get(hit.entryId);
      // The entry was deleted after the index had found it.
      if (entry === undefined) return [];
      assert(rest.orgId === undefined || entry.orgId === rest.orgId, "a search keeps to its org");
      return [searchResult(hit, entry, index + 1)];
    });
  }

  async #withRelatedTables(
    caller: Caller,
    results: readonly SearchResult[],
  ): Promise<readonly SearchResult[]> {
    if (this.#relatedTables === undefined || results.length === 0) return results;
    const texts = results.map(({ content }) => content);
    const targets = await this.#relatedTables.targetsOf(caller, texts);
    return results.map((result, index) => ({
      ...result,
      relatedCascadeTargets: targets[index] ?? [],
    }));
  }
}

function searchResult(hit: Hit, entry: MemoryEntry, rank: number): SearchResult {
  const { entryId, score, createdAtMs } = hit;
  const ranks = hit.ranks ?? { vector: rank };
  return {
    ...{ entryId, score, content: entry.content, ranks },
    createdAt: isoTime(createdAtMs),
    relatedCascadeTargets: [],
  };
}

/** Contract §7; an overload is not a failure of the lookup. */
function searchFailure(thrown: unknown): AppError {
  const error = AppError.from(thrown);
  if (error.code === "OVERLOADED") return error;
  return new AppError("MEMORY_SEARCH_FAILED", `Failed to query embeddings: ${error.message}`, {
    cause: thrown,
  });
}

function checkedId(entryId: string): string {
  if (!isUuid(entryId)) throw invalidField("entry_id", "must be a UUID");
  return entryId.toLowerCase();
}

function unknownEntry(entryId: string): AppError {
  return new AppError("NOT_FOUND", `Unknown memory entry ${entryId}`);
}
