import type { Caller } from "@steward/kernel/caller.js";
import { EmbeddingError, type EmbeddingProvider } from "../embedding/index.js";
import { assert } from "@steward/kernel/assert.js";
import { isoTime, type Clock } from "@steward/kernel/clock.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { isUuid, type Ids } from "@steward/kernel/ids.js";
import { firstWithin, jsonSize } from "@steward/kernel/json-size.js";
import { type StorageGate, unlimitedStorage } from "@steward/kernel/storage-gate.js";
import {
  ENTRIES_DELETED_MAX,
  ENTRIES_PAGE_BYTES_MAX,
  ENTRIES_PAGE_DEFAULT,
  ENTRIES_PAGE_MAX,
  ENTRIES_PAGE_READS_MAX,
  FUSED_HITS_MAX,
  SEARCH_HITS_MAX,
} from "./limits.js";
import { embeddedEntry, indexEntry } from "./embedded-entry.js";
import { draftedEntry, type EntryDraft, type MemoryEntry } from "./entry.js";
import { cursorOf, positionOf } from "./entry-cursor.js";
import type {
  EmbeddingModel,
  EntryPosition,
  EntryRefusals,
  MemoryCounts,
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
import { fusedAgain } from "./exact-index/rank-fusion.js";
import type { Hit, Ranks } from "./exact-index/top-k.js";
import type { EntryFilter, VectorIndex } from "./vector-index.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

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
  /** Entries of the organization in the search index; while that is not loaded, in the store. */
  readonly entries: number;
  /** Tool calls of the organization that wait for their entry. */
  readonly waiting: number;
  /** Stored vectors of all organizations that were found damaged and are not searched. */
  readonly quarantined: number;
  readonly model: EmbeddingModel;
}

/** The ports of a store that the service uses. */
type ServedMemory = MemoryEntries & MemoryCounts & Pick<ToolCallMemory, "toolCalls">;

/** The id of a legal hold that covers a session; `undefined`: none does. */
export type HeldBy = (orgId: string, sessionId: string) => Promise<string | undefined>;

/** Dependencies of the service. */
export interface MemoryServiceOptions {
  readonly store: ServedMemory;
  readonly index: VectorIndex;
  readonly provider: EmbeddingProvider;
  /** The model of the provider's vectors. */
  readonly model: EmbeddingModel;
  /** Who may have which entries; absent: no policies decide. */
  readonly refusals?: EntryRefusals;
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
  readonly #refusals: EntryRefusals;
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
    this.#refusals = options.refusals ?? (() => () => Promise.resolve(undefined));
    this.#relatedTables = options.relatedTables;
    this.#storage = options.storage ?? unlimitedStorage;
    this.#heldBy = options.heldBy ?? (() => Promise.resolve(undefined));
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  /**
   * The entries most similar to the query that the caller may have, best first (Contract §4.4).
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
      const results = await this.#found(caller, search, vector, signal);
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
  async addEntry(
    orgId: string,
    draft: EntryDraft,
    signal: AbortSignal,
    operation?: RecordedOperation,
  ): Promise<MemoryEntry> {
    const entry = draftedEntry(draft, { orgId, createdAtMs: this.#clock.nowMs() }, this.#ids);
    const vectorBytes = Float32Array.BYTES_PER_ELEMENT * this.#model.dimension;
    this.#storage.admit(orgId, "memory", entry.content.length + vectorBytes);
    const embedded = embeddedEntry(entry, await this.#embedded(entry.content, "document", signal));
    await this.#store.addEntries([embedded], operation);
    await this.#index.add([indexEntry(embedded)]);
    return entry;
  }

  /**
   * @throws AppError `NOT_FOUND` when the entry does not exist or belongs to another organization;
   * `POLICY_DENIED` when it repeats an output that the caller may not have.
   */
  async getEntry(caller: Caller, entryId: string, signal: AbortSignal): Promise<MemoryEntry> {
    const entry = await this.#existing(caller.orgId, entryId);
    const refusal = await this.#refusals(caller, signal)(entry);
    if (refusal !== undefined) throw refusal;
    return entry;
  }

  /** The session of an entry. @throws AppError `NOT_FOUND`. */
  async sessionOf(orgId: string, entryId: string): Promise<string> {
    return (await this.#existing(orgId, entryId)).sessionId;
  }

  /**
   * Entries of the caller's organization that the caller may have, newest first. A page with fewer
   * than `limit` entries is followed by others if it has a cursor. It ends at `ENTRIES_PAGE_BYTES_MAX`.
   * @param page `limit`: absent: 50; `cursor`: from the previous page.
   * @throws AppError `INVALID_ARGUMENT`.
   */
  async listEntries(
    caller: Caller,
    filter: EntryFilter,
    page: { readonly limit?: number; readonly cursor?: string },
    signal: AbortSignal,
  ): Promise<EntryPage> {
    const { limit = ENTRIES_PAGE_DEFAULT, cursor } = page;
    if (!Number.isInteger(limit) || limit < 1 || limit > ENTRIES_PAGE_MAX) {
      throw invalidField("limit", `must be an integer from 1 to ${ENTRIES_PAGE_MAX}`);
    }
    checkFilter(filter);
    const refusalOf = this.#refusals(caller, signal);
    const shown: MemoryEntry[] = [];
    let after: EntryPosition | undefined = cursor === undefined ? undefined : positionOf(cursor);
    let bytesLeft = ENTRIES_PAGE_BYTES_MAX;
    for (let reads = 0; reads < ENTRIES_PAGE_READS_MAX; reads += 1) {
      const place = after === undefined ? {} : { after };
      const rest = limit - shown.length;
      // One entry more than the page shows whether another page follows.
      const entries = await this.#store.listEntries(caller.orgId, filter, {
        limit: rest + 1,
        ...place,
      });
      const read = firstWithin(entries.slice(0, rest), bytesLeft);
      bytesLeft -= jsonSize(read);
      for (const entry of read) if ((await refusalOf(entry)) === undefined) shown.push(entry);
      if (entries.length === read.length) return { entries: shown };
      after = read.at(-1);
      if (shown.length === limit || read.length < rest) break;
    }
    return { entries: shown, ...(after && { nextCursor: cursorOf(after) }) };
  }

  /**
   * Deletes an entry: its row, its vector unless another entry has the same one, and its index
   * slot. @throws AppError `NOT_FOUND`, `LEGAL_HOLD`.
   */
  async deleteEntry(orgId: string, entryId: string, operation?: RecordedOperation): Promise<void> {
    const { sessionId, entryId: id } = await this.#existing(orgId, entryId);
    await this.#refuseHeld(orgId, sessionId);
    if (!(await this.#store.deleteEntry(orgId, id, operation))) {
      await this.#refuseHeld(orgId, sessionId);
      throw unknownEntry(entryId);
    }
    await this.#index.remove([id]);
  }

  /**
   * Deletes every entry of a session, in batches. A legal hold that is placed meanwhile ends it.
   * @returns the number of deleted entries. @throws AppError `LEGAL_HOLD`.
   */
  async deleteSession(
    orgId: string,
    sessionId: string,
    operation?: RecordedOperation,
  ): Promise<number> {
    await this.#refuseHeld(orgId, sessionId);
    let count = 0;
    for (;;) {
      const deleted = await this.#store.deleteSession(
        orgId,
        sessionId,
        ENTRIES_DELETED_MAX,
        operation,
      );
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
    const [indexed, waiting] = await Promise.all([
      this.#index.stats(orgId),
      this.#store.toolCalls.waiting(orgId),
    ]);
    // Nobody waits for an index that loads, nor does a look at the state load it.
    const { entries, quarantined } = indexed ?? {
      entries: await this.#store.countEntries(orgId),
      quarantined: 0,
    };
    return { entries, quarantined, waiting, model: this.#model };
  }

  async #existing(orgId: string, entryId: string): Promise<MemoryEntry> {
    const entry = await this.#store.findEntry(orgId, checkedId(entryId));
    if (entry === undefined) throw unknownEntry(entryId);
    return entry;
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

  /**
   * Leaves out the hits that the caller may not have; more hits are then searched once, so that the
   * best remaining ones are found. A hybrid search decides on both lists as a whole, since a hidden
   * hit in one of them changes the ranks of others.
   */
  async #found(
    caller: Caller,
    { query, isHybrid, limit, ...rest }: CheckedSearch,
    vector: Float32Array,
    signal: AbortSignal,
  ): Promise<readonly SearchResult[]> {
    const text = isHybrid ? { text: query } : {};
    const refusalOf = this.#refusals(caller, signal);
    const shownOf = async (hitsMax: number): Promise<ShownHits> => {
      const hits = await this.#index.search({ vector, limit: hitsMax, ...rest, ...text }, signal);
      const entryIds = hits.map((hit) => hit.entryId);
      const entries = await this.#store.entriesById(entryIds, rest.orgId);
      const shown: FoundEntry[] = [];
      let hasHidden = false;
      for (const hit of hits) {
        const entry = entries.get(hit.entryId);
        // The entry was deleted after the index had found it.
        if (entry === undefined) continue;
        assert(rest.orgId === undefined || entry.orgId === rest.orgId, "a search keeps to its org");
        if ((await refusalOf(entry)) === undefined) shown.push({ ...hit, entry });
        else hasHidden = true;
      }
      return { shown, isWhole: !hasHidden || hits.length < hitsMax };
    };
    const first = await shownOf(isHybrid ? FUSED_HITS_MAX : limit);
    const { shown } = first.isWhole ? first : await shownOf(SEARCH_HITS_MAX);
    const ranked = isHybrid ? fusedAgain(shown, FUSED_HITS_MAX) : shown;
    return ranked.slice(0, limit).map((found, index) => searchResult(found, index + 1));
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

/** A hit with its entry. */
interface FoundEntry extends Hit {
  readonly entry: MemoryEntry;
}

/** The hits of one search of the index that a caller may have. */
interface ShownHits {
  readonly shown: readonly FoundEntry[];
  /** Whether another search could find nothing more. */
  readonly isWhole: boolean;
}

function searchResult(found: FoundEntry, rank: number): SearchResult {
  const { entryId, score, createdAtMs, entry } = found;
  const ranks = found.ranks ?? { vector: rank };
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
