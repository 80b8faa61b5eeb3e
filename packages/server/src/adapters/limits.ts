/** Limits of the processes, connections and responses that the adapters handle. */

/** Time limit for reading one statement in a thread, in ms; the longest ordinary one takes 300 ms. */
export const STATEMENT_READING_MS: number = 5_000;
/** How long a statement may wait for a thread that reads it, in ms. */
export const STATEMENT_READING_WAIT_MS: number = 10_000;
/** Threads that read statements; one organization occupies all but one of them at most. */
export const READING_THREADS_MAX: number = 2;
/** Time after which further statements of one turn of the event loop are read in threads, in ms. */
export const STATEMENTS_READ_TURN_MS: number = 5;
/** Memory limit of a thread that reads statements, in MiB. */
export const STATEMENT_READING_MEBIBYTES: number = 512;
/**
 * Age at which the marker of a write expires, in ms: it outlives its plan, whose deadline is 30 days
 * after its last change at most, by a week in which an outage can end.
 */
export const MARKER_AGE_MS_MAX: number = 37 * 24 * 60 * 60 * 1000;
/** Resident memory of a child process that runs agents' statements on SQLite, in bytes. */
export const SQL_MEMORY_BYTES_MAX: number = 768 * 1024 * 1024;
/**
 * Bytes of temporary files of one such child process. The limit also applies to a PostgreSQL
 * session whose role may set it.
 */
export const SQL_TEMPORARY_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Bytes by which one statement may grow a SQLite file. */
export const SQL_GROWTH_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Time limit of the preview of a write, in ms. Until then it may hold locks that writes wait for. */
export const PREVIEW_MS_MAX: number = 3_000;
/** How long the preview of a write may wait for another transaction's lock, in ms. */
export const PREVIEW_LOCK_MS_MAX: number = 1_000;
/** Changed rows in the preview of a write. */
export const PREVIEW_ROWS_MAX: number = 20;
/** Columns of a table in the preview of a write. */
export const PREVIEW_COLUMNS_MAX: number = 50;
/** Characters of one value in the preview of a write; a longer value is cut. */
export const PREVIEW_VALUE_LENGTH_MAX: number = 500;
/** Characters of all changed rows in the preview of a write, as JSON. */
export const PREVIEW_LENGTH_MAX: number = 64 * 1024;
/** Queued statements of one organization per data source. */
export const ORG_WAITING_MAX: number = 1000;
/** Default number of concurrent reader processes of one SQLite file. */
export const SQLITE_READERS_MAX: number = 4;
/** Default number of concurrent sessions of one PostgreSQL database. */
export const POSTGRES_SESSIONS_MAX: number = 10;
/**
 * Bytes of one response of the payment provider. A page of 100 payment methods has about 200 kB.
 */
export const PAYMENT_ANSWER_BYTES_MAX: number = 4 * 1024 * 1024;
/** Bytes of an OpenID provider's discovery document, and of its key set. */
export const JWKS_BYTES_MAX: number = 256 * 1024;
/** Time limit for fetching an OpenID provider's discovery document or keys, in ms. A request waits for it. */
export const JWKS_TIMEOUT_MS: number = 5_000;
/** Concurrent calls of one other MCP server. Each has a connection, or a process, of its own. */
export const MCP_CALLS_MAX: number = 10;
/** Bytes that one connection to another MCP server may receive over HTTP, all answers together. */
export const MCP_RECEIVED_BYTES_MAX: number = 8 * 1024 * 1024;
/** Messages that another MCP server may send on one connection, such as progress notifications. */
export const MCP_MESSAGES_MAX: number = 10_000;
/** Pages of another MCP server's list of tools. */
export const MCP_TOOLS_PAGES_MAX: number = 20;
/** Bytes of the definition of another MCP server's tool: name, description and schemas. */
export const MCP_DEFINITION_BYTES_MAX: number = 64 * 1024;
/** Time limit for connecting to another MCP server and for reading its list of tools, in ms. */
export const MCP_CONNECT_MS: number = 10_000;
/** An access token for another MCP server is renewed so long before it expires, in ms: no call begins with an expired one. */
export const MCP_TOKEN_RENEW_MS: number = 30_000;
/** Time for a person to sign in to another MCP server, in ms. Authorization servers keep a page for about as long. */
export const MCP_SIGN_IN_MS: number = 600_000;
/** Characters of an error that another MCP server reports. */
export const MCP_ERROR_LENGTH_MAX: number = 2000;
