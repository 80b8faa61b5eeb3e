/** Limits of requests, connections and answers (Decision §4 where not said otherwise). */

import { SCHEMA_BYTES_MAX } from "@steward/schema/limits.js";

/** How long the state of an MCP call that waits for a person's approval is valid, in ms. */
export const MCP_REQUEST_STATE_MS: number = 24 * 60 * 60 * 1000;
/** Characters in an idempotency key. */
export const IDEMPOTENCY_KEY_LENGTH_MAX: number = 255;
/** Characters in the reason of a cancellation, which stays in the plan's log. */
export const CANCEL_REASON_LENGTH_MAX: number = 1024;
/** Bytes of a bound value that the detail of a step shows; longer values are shown to there. */
export const VALUE_BYTES_SHOWN_MAX: number = 4 * 1024;
/** Bytes of one request, over any transport. */
export const REQUEST_BYTES_MAX: number = 4 * 1024 * 1024;
/**
 * Values in one request, counting every object, list, string and number. A plan of 1000 steps with
 * 100 dependencies and 100 hints each has 210 000. Checking a value takes microseconds even if it
 * is only two bytes long, so REQUEST_BYTES_MAX alone does not bound the work.
 */
export const REQUEST_VALUES_MAX: number = 250_000;
/**
 * Object fields in one request. Parsing a field takes five times as long as parsing another value.
 * A plan of 1000 steps has 8000 fields.
 */
export const REQUEST_FIELDS_MAX: number = 50_000;
/** Values in one list or fields in one object of a request. */
export const REQUEST_LIST_MAX: number = 10_000;
/** Nesting depth of objects and lists in one request. */
export const REQUEST_DEPTH_MAX: number = 100;
/**
 * Bytes of a request that proposes a schema. JSON escapes a quote or a line feed with two bytes.
 */
export const PROPOSAL_BYTES_MAX: number = 2 * SCHEMA_BYTES_MAX;
/**
 * Concurrent requests on one HTTP/2 connection, gRPC and REST together: those that arrive in one read
 * of the socket share one turn of the event loop, 0.08 ms each. A client queues further
 * requests.
 */
export const HTTP2_STREAMS_MAX: number = 500;
/**
 * Memory of one HTTP/2 connection, in units of 10^6 bytes: its streams, header tables and unread
 * responses. A connection that exceeds the limit gets no new streams.
 */
export const HTTP2_SESSION_MEMORY_MAX: number = 64;
/**
 * Bytes that one HTTP/2 connection may send at once beside requests: frames such as PING, SETTINGS,
 * PRIORITY, WINDOW_UPDATE and empty DATA, and headers that are refused. It is twenty times what a
 * client sends that resets its uploads.
 */
export const HTTP2_OVERHEAD_BYTES_MAX: number = 1024 * 1024;
/** Bytes per second beside requests that one HTTP/2 connection may send for a longer time. */
export const HTTP2_OVERHEAD_BYTES_PER_S: number = 32 * 1024;
/** Streams of one HTTP/2 connection that its client may reset at once before they are answered. */
export const HTTP2_RESETS_MAX: number = 1000;
/** Streams per second that a client of one HTTP/2 connection may reset for a longer time. */
export const HTTP2_RESETS_PER_S: number = 33;
/** Requests that one turn of the event loop begins to handle, of all that have arrived together. */
export const TURN_REQUESTS_MAX: number = 8;
/** A turn of the event loop that has lasted so long begins no further request, in ms. */
export const TURN_MS: number = 5;
/** Bytes of a body from which it is parsed in a turn of the event loop of its own. */
export const LARGE_BODY_BYTES: number = 64 * 1024;
/** Bytes of an answer from which it is encoded in turns of the event loop in which organizations alternate. */
export const LARGE_ANSWER_BYTES: number = 16 * 1024;
/** Bytes of a large answer that one turn of the event loop encodes. */
export const ANSWER_PIECE_BYTES: number = 64 * 1024;
/** Bytes of a request's header fields, names and values: the default of Node's HTTP/1.1 server. */
export const HEADER_BYTES_MAX: number = 16 * 1024;
/** Concurrent connections on each port. */
export const CONNECTIONS_MAX: number = 10_000;
/**
 * Concurrent connections from one address, of IPv6 from one /64, on each port. Connections of trusted proxies carry the
 * requests of many clients and count for `CONNECTIONS_MAX` only.
 */
export const PEER_CONNECTIONS_MAX: number = 1000;
/** Concurrent health and reflection streams from one address, of IPv6 from one /64, which are unauthenticated. */
export const PEER_OPEN_STREAMS_MAX: number = 20;
/**
 * Organizations whose requests are counted at a time. The least recently active organization is
 * evicted.
 */
export const METERED_ORGANIZATIONS_MAX: number = 10_000;
/** Events per page read from the log: a slow reader holds one page in memory, not the whole log. */
export const EVENTS_PAGE_MAX: number = 256;
/** Default number of rows that one answer over MCP hands to the LLM; the rest is read page by page. */
export const LLM_ROWS_DEFAULT: number = 100;
/** Rows that one answer over MCP hands to the LLM, however many it asks for. */
export const LLM_ROWS_MAX: number = 1000;
/** Bytes of JSON that one answer over MCP hands to the LLM: about 16 000 tokens. */
export const LLM_ANSWER_BYTES_MAX: number = 64 * 1024;
/** Longest time that a tool call over MCP waits for events, in ms; many clients give up after 60 s. */
export const MCP_WAIT_MS_MAX: number = 50_000;
/** Interval of progress notifications while a tool call over MCP runs, in ms. */
export const MCP_PROGRESS_MS: number = 1000;
/** How long a client of MCP may keep a list, in ms. */
export const MCP_LIST_TTL_MS: number = 5 * 60_000;
/** Tables that one call of an LLM describes. */
export const LLM_TABLES_MAX: number = 10;
/** Default page size of quads, and of the changes of a diff. */
export const STATE_QUADS_PAGE_DEFAULT: number = 100;
/** Default page size of the log of commits. */
export const STATE_LOG_PAGE_DEFAULT: number = 50;
/** Solutions of one basic graph pattern query. */
export const STATE_SOLUTIONS_MAX: number = 10_000;
