import type { Hit } from "./exact-index/top-k.js";

/** Which entries a search looks at, beyond the organization (all of them must hold). */
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

/** What a search wants. */
export interface IndexQuery {
  /** float32, as long as the index's dimension, all finite. */
  readonly vector: Float32Array;
  /** Hits at most, from 1. */
  readonly limit: number;
  /** Absent: every organization. */
  readonly orgId?: string;
  readonly filter?: EntryFilter;
  /** Hits have at least this score. */
  readonly scoreMin?: number;
  /** Rank by the words of this text too; absent: by the vector alone. */
  readonly text?: string;
}

/** What a search by words wants. */
export interface TextQuery {
  readonly text: string;
  readonly limit: number;
  readonly orgId?: string;
  readonly filter?: EntryFilter;
}

/** One entry as the index is told of it. */
export interface IndexEntry {
  readonly orgId: string;
  /** UUID, lower case. */
  readonly entryId: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** What `packCode` made of the vector. */
  readonly code: Uint8Array;
}

/** How large an index is. */
export interface IndexStats {
  /** Of the organization asked about, or of all. */
  readonly entries: number;
  /** Entries of all organizations, left out because their stored vector is damaged. */
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

  /** @throws AppError `STORE_UNAVAILABLE`. */
  stats(orgId?: string): Promise<IndexStats>;
}

/**
 * Reads for an index what the index does not hold in memory. It runs in the index's thread, so it may
 * block. It reads the vectors of one model.
 */
export interface IndexSource {
  /** Every entry, by the page. */
  entries(): Iterable<readonly IndexEntry[]> | AsyncIterable<readonly IndexEntry[]>;

  /**
   * One vector per id, as it is stored; `undefined` for an entry that is gone.
   * @param orgId whose entries they are; absent: of any organization.
   */
  vectors(
    entryIds: readonly string[],
    orgId?: string,
  ): readonly (Float32Array | undefined)[] | Promise<readonly (Float32Array | undefined)[]>;

  /** Ids of the entries that a filter lets through, of one organization or of all. */
  matching(
    filter: EntryFilter,
    orgId: string | undefined,
  ): readonly string[] | Promise<readonly string[]>;

  /** Ids of the entries whose content has any of the words, the best match first. */
  textMatches(query: TextQuery): readonly string[] | Promise<readonly string[]>;

  /** Closes its connections. */
  close(): void | Promise<void>;
}
