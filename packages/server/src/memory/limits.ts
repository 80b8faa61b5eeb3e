/** Limits of memory entries and their search. */

/** Components of an embedding. The proof of the search index's error bound relies on this limit. */
export const EMBEDDING_DIMENSION_MAX: number = 16_384;
/** Default number of results of a memory search (Contract §8). */
export const SEARCH_TOP_K_DEFAULT: number = 10;
/** Results of one memory search (Contract §8). */
export const SEARCH_TOP_K_MAX: number = 100;
/** Hits that are looked at for one search whose caller may not have all of the best. */
export const SEARCH_HITS_MAX: number = 400;
/** Hits of each of the two lists that a hybrid search fuses. */
export const FUSED_HITS_MAX: number = 100;
/** Words of a query by which a hybrid search ranks. */
export const SEARCH_WORDS_MAX: number = 64;
/** Entries that may have a word; a word that more have is left out where a query has rarer ones. */
export const WORD_ENTRIES_MAX: number = 500;
/** Queued memory searches of one organization. */
export const ORG_SEARCHES_WAITING_MAX: number = 1000;
/** Bytes of UTF-8 in a memory search's query text. */
export const SEARCH_QUERY_BYTES_MAX: number = 64 * 1024;
/** Bytes of UTF-8 in a memory entry's content. */
export const ENTRY_CONTENT_BYTES_MAX: number = 64 * 1024;
/** Memory entries on one page of a listing. */
export const ENTRIES_PAGE_MAX: number = 200;
/**
 * Bytes of the memory entries on one page of a listing. The page ends before an entry that does not fit, unless it is
 * the first.
 */
export const ENTRIES_PAGE_BYTES_MAX: number = 1024 * 1024;
/** Default page size of a listing of memory entries. */
export const ENTRIES_PAGE_DEFAULT: number = 50;
/** Reads of the store for one page of a listing whose caller may not have all entries. */
export const ENTRIES_PAGE_READS_MAX: number = 5;
/** Memory entries deleted in one transaction. The limit bounds how long other writers wait. */
export const ENTRIES_DELETED_MAX: number = 500;
