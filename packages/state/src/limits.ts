/** Limits of the state and of SPARQL (Decision §13). */

/** Quads of one dataset of the state. */
export const STATE_QUADS_MAX: number = 20_000_000;
/**
 * Nesting depth of triple terms in one term of the state. A statement about a statement has depth
 * 1.
 */
export const STATE_TRIPLE_DEPTH_MAX: number = 16;
/** Branches and tags of one organization. */
export const STATE_REFS_MAX: number = 1000;
/**
 * Changes on either side of a merge or a revert. All of them are held in memory, at about 1 KiB
 * each.
 */
export const STATE_MERGE_CHANGES_MAX: number = 200_000;
/**
 * Quads that a basic graph pattern query may examine. The query blocks the event loop meanwhile.
 */
export const STATE_EXAMINED_MAX: number = 200_000;
/**
 * Concurrent searches of the state (logs, diffs, pages, pattern queries). One organization may run
 * all but one of them.
 */
export const STATE_SEARCHES_AT_ONCE_MAX: number = 4;
/** Time on the event loop that one search may take, in ms. It yields every few milliseconds. */
export const STATE_SEARCH_MS_MAX: number = 10_000;
/**
 * Concurrent imports, merges and reverts, at most one per organization, because they need the most
 * memory.
 */
export const STATE_CHANGES_AT_ONCE_MAX: number = 2;
/** Time on the event loop that one import, merge or revert may take, in ms. */
export const STATE_CHANGE_MS_MAX: number = 60_000;
/**
 * Bytes of JSON in the solutions of a basic graph pattern, in a page of quads or of commits, in a diff, or in what a merge
 * or a revert reports. The limit is that of a SPARQL result.
 */
export const STATE_ANSWER_BYTES_MAX: number = 8 * 1024 * 1024;
/** Queued searches, and queued changes, of the state per organization. */
export const STATE_WAITING_MAX: number = 100;
/** How long a search or a change of the state may wait in its queue, in ms. */
export const STATE_WAIT_MS: number = 30_000;
/**
 * Quads of one document. A quad takes about 100 bytes of the document and 16 bytes of the server's
 * memory.
 */
export const STATE_DOCUMENT_QUADS_MAX: number = 2_000_000;
/**
 * Bytes of the distinct terms of one document. The limit is needed because a JSON-LD context can
 * expand a short name to a very long IRI.
 */
export const STATE_DOCUMENT_TERM_BYTES_MAX: number = 256 * 1024 * 1024;
/**
 * Bytes of one document. A document embedded in a JSON request is limited by the size of the
 * request.
 */
export const STATE_DOCUMENT_BYTES_MAX: number = 512 * 1024 * 1024;
/** Time limit for parsing one document after it was received, in ms. */
export const STATE_DOCUMENT_MS_MAX: number = 30_000;
/** Bytes of memory that parsing one document may take. */
export const STATE_DOCUMENT_MEMORY_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Documents of one organization that wait to be read. */
export const STATE_DOCUMENTS_WAITING_MAX: number = 20;
/**
 * Steps of the algorithm that labels the blank nodes of one document; each visits about one quad.
 * The limit takes a few seconds. A list, a ring or a grid of 100 000 nodes takes three million
 * steps.
 */
export const STATE_LABEL_STEPS_MAX: number = 30_000_000;
/** Quads that one SPARQL query may load into the engine, which needs about 600 bytes for each. */
export const SPARQL_QUADS_MAX: number = 1_000_000;
/** Time limit of a SPARQL query, including the loading of its quads, in ms. */
export const SPARQL_QUERY_MS_MAX: number = 30_000;
/** Resident memory of a process that answers SPARQL queries, in bytes. */
export const SPARQL_MEMORY_BYTES_MAX: number = 1536 * 1024 * 1024;
/**
 * Concurrent SPARQL queries, each in a process of its own. One organization may run all but one of
 * them.
 */
export const SPARQL_PROCESSES_MAX: number = 3;
/** How long a SPARQL query may wait in its queue, in ms. */
export const SPARQL_WAIT_MS: number = 30_000;
/** Bytes of JSON in the result of one SPARQL query. */
export const SPARQL_ANSWER_BYTES_MAX: number = 8 * 1024 * 1024;
/** Queued SPARQL queries of one organization. */
export const SPARQL_QUERIES_MAX: number = 50;
