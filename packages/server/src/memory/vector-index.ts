import type { Hit } from "./exact-index/top-k.js";

/** Conditions on entries beside the organization; all must hold. */
export interface EntryFilter {
  readonly sessionId?: string;
  /** Created at or after, in ms since the epoch. */
  readonly createdFromMs?: number;
  /** Created before, in ms since the epoch. */
  readonly createdBeforeMs?: number;
  readonly toolName?: string;
  readonly intent?: string;
  /** The value at this JSON path of the content equals this one. */
  readonly content?: { readonly path: string; readonly equals: string | number | boolean | null };
}

/** A search of the index. */
export interface IndexQuery {
  /** float32, as long as the index's dimension, all finite. */
  readonly vector: Float32Array;
  /** Hits at most, from 1; with a `text`, in each of the two lists that are fused. */
  readonly limit: number;
  /** Absent: every organization. */
  readonly orgId?: string;
  readonly filter?: EntryFilter;
  /** Hits have at least this score. */
  readonly scoreMin?: number;
  /** Also rank by the words of this text; absent: by the vector alone. */
  readonly text?: string;
}

/** A search by words. */
export interface TextQuery {
  readonly text: string;
  readonly limit: number;
  readonly orgId?: string;
  readonly filter?: EntryFilter;
}

/** An entry in the form for the index. */
export interface IndexEntry {
  readonly orgId: string;
  /** UUID, lower case. */
  readonly entryId: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** The vector in the format of `packCode`. */
  readonly code: Uint8Array;
}

/** The size of an index. */
export interface IndexStats {
  /** Entries of the given organization, or of all. */
  readonly entries: number;
  /** Entries of all organizations that are missing because their stored vector is damaged. */
  readonly quarantined: number;
}

/**
 * Finds the stored vectors that are most similar to a query's vector. The hits, their scores and their
 * order are exactly those that comparing every stored vector gives (Contract §4.4 rule 1). Calls take
 * effect in their order: a search sees every addition and removal before it.
 */
export interface VectorIndex extends AsyncDisposable {
  /** Adds entries whose vectors the store has; an entry that is in the index already is replaced. */
  add(entries: readonly IndexEntry[]): Promise<void>;

  /** Removes entries; an entry that is not in the index is passed over. */
  remove(entryIds: readonly string[]): Promise<void>;

  /**
   * The best entries, in the order of `compareHits`; with a `text`, in that of `fuse`.
   * @throws AppError `STORE_UNAVAILABLE` when the vectors cannot be read, `OVERLOADED` when too many
   * searches wait; the signal's reason when that was aborted.
   */
  search(query: IndexQuery, signal: AbortSignal): Promise<readonly Hit[]>;

  /**
   * The size of the index; `undefined` while it is not loaded, which takes seconds for a million entries.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  stats(orgId?: string): Promise<IndexStats | undefined>;
}

/**
 * Reads data for an index that the index does not hold in memory. It runs in the index's thread, so
 * it may block. It reads the vectors of one model.
 */
export interface IndexSource {
  /** Every entry, page by page. */
  entries(): Iterable<readonly IndexEntry[]> | AsyncIterable<readonly IndexEntry[]>;

  /**
   * One stored vector per id; `undefined` for a deleted entry.
   * @param orgId their organization; absent: any.
   */
  vectors(
    entryIds: readonly string[],
    orgId?: string,
  ): readonly (Float32Array | undefined)[] | Promise<readonly (Float32Array | undefined)[]>;

  /** Ids of the entries that match a filter, of one organization or of all. */
  matching(
    filter: EntryFilter,
    orgId: string | undefined,
  ): readonly string[] | Promise<readonly string[]>;

  /** Ids of the entries whose content has any of the words, the best match first. */
  textMatches(query: TextQuery): readonly string[] | Promise<readonly string[]>;

  /** Closes its connections. */
  close(): void | Promise<void>;
}
