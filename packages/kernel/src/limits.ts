/** Every bound of this program, with its unit (Decision §4 and §6 where not said otherwise). */

/** Steps in one plan. */
export const PLAN_STEPS_MAX: number = 1000;
/** Dependencies of one step. */
export const STEP_DEPENDENCIES_MAX: number = 100;
/** Table hints of one step. Each hint is looked up in the schema snapshot. */
export const STEP_TABLE_HINTS_MAX: number = 100;
/** Bytes of UTF-8 in one query template. */
export const TEMPLATE_BYTES_MAX: number = 64 * 1024;
/** Bytes of UTF-8 in all query templates of one plan. Parsing SQL takes about 2 ms per KiB. */
export const PLAN_TEMPLATES_BYTES_MAX: number = 512 * 1024;
/**
 * Characters of a statement that is parsed on the main thread, which takes up to 10 ms. Longer
 * statements are parsed in a worker thread.
 */
export const STATEMENT_READ_AT_ONCE_LENGTH_MAX: number = 4096;
/** Time limit for parsing one statement, in ms, including its wait for the thread. */
export const STATEMENT_READING_MS: number = 10_000;
/** Memory limit of the thread that parses long statements, in MiB. */
export const STATEMENT_READING_MEBIBYTES: number = 512;
/** Characters in a plan's or step's name, a tool's name and a table hint. */
export const NAME_LENGTH_MAX: number = 255;
/** Bytes of UTF-8 in a plan's description. */
export const DESCRIPTION_BYTES_MAX: number = 8 * 1024;
/** Characters in a session id. */
export const SESSION_ID_LENGTH_MAX: number = 255;
/** Characters in an idempotency key. */
export const IDEMPOTENCY_KEY_LENGTH_MAX: number = 255;
/** Characters in the reason of a cancellation, which stays in the plan's log. */
export const CANCEL_REASON_LENGTH_MAX: number = 1024;
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
 * Concurrent requests on one HTTP/2 connection, gRPC and REST together. A client queues further
 * requests.
 */
export const HTTP2_STREAMS_MAX: number = 1000;
/**
 * Memory of one HTTP/2 connection, in units of 10^6 bytes: its streams, header tables and unread
 * responses. A connection that exceeds the limit gets no new streams.
 */
export const HTTP2_SESSION_MEMORY_MAX: number = 64;
/** Bytes of a request's header fields, names and values: the default of Node's HTTP/1.1 server. */
export const HEADER_BYTES_MAX: number = 16 * 1024;
/** Concurrent connections on each port. */
export const CONNECTIONS_MAX: number = 10_000;
/**
 * Concurrent connections from one address on each port. A proxy that opens a connection for each
 * request has many.
 */
export const PEER_CONNECTIONS_MAX: number = 1000;
/** Concurrent health and reflection streams from one address, which are unauthenticated. */
export const PEER_OPEN_STREAMS_MAX: number = 20;
/**
 * Default limit of requests per second of one organization: about a third of what two cores can
 * serve.
 */
export const ORG_REQUESTS_PER_SECOND: number = 2000;
/** Upper bound of the setting. */
export const ORG_REQUESTS_PER_SECOND_MAX: number = 1_000_000;
/** Default limit of concurrent ExecuteStep requests of one organization. */
export const ORG_STEPS_MAX: number = 500;
/** Upper bound of the setting. */
export const ORG_STEPS_MAX_MAX: number = 100_000;
/**
 * Default limit of concurrent event streams of one organization. Each stream reads the store once a
 * second.
 */
export const ORG_STREAMS_MAX: number = 500;
/** Upper bound of the setting. */
export const ORG_STREAMS_MAX_MAX: number = 100_000;
/**
 * Organizations whose requests are counted at a time. The least recently active organization is
 * evicted.
 */
export const METERED_ORGANIZATIONS_MAX: number = 10_000;
/** How long a result of the readiness check is cached, in ms, for all callers. */
export const READINESS_MS: number = 1000;
/** Rows stored of one step's result. */
export const RESULT_ROWS_MAX: number = 10_000;
/** Rows counted beyond the stored ones. Past this limit the count is reported as "more than". */
export const RESULT_ROWS_COUNTED_MAX: number = 1_000_000;
/**
 * Columns of a result: fewer than a table of SQLite (2000) or PostgreSQL (1600) may have, and more
 * than an agent reads.
 */
export const RESULT_COLUMNS_MAX: number = 1000;
/** Default limit of rows that one write may change. */
export const ROWS_CHANGED_MAX: number = 10_000;
/** Upper bound of the setting. */
export const ROWS_CHANGED_MAX_MAX: number = 1_000_000_000;
/** Resident memory of a child process that runs agents' statements on SQLite, in bytes. */
export const SQL_MEMORY_BYTES_MAX: number = 768 * 1024 * 1024;
/**
 * Bytes of temporary files of one such child process. The limit also applies to a PostgreSQL
 * session whose role may set it.
 */
export const SQL_TEMPORARY_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Bytes by which one statement may grow a SQLite file. */
export const SQL_GROWTH_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Bytes of JSON stored of one step's output. */
export const OUTPUT_BYTES_MAX: number = 2 * 1024 * 1024;
/** Events of one plan. */
export const PLAN_EVENTS_MAX: number = 51_200;
/**
 * Revisions of one plan: its submission and every change of its steps. The definitions of all of them are
 * read whenever the plan is loaded.
 */
export const PLAN_REVISIONS_MAX: number = 200;
/** Plans on one page of a listing. */
export const PLANS_PAGE_MAX: number = 200;
/** Default page size of a listing of plans. */
export const PLANS_PAGE_DEFAULT: number = 50;
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
/** Events per page read from the log: a slow reader holds one page in memory, not the whole log. */
export const EVENTS_PAGE_MAX: number = 256;

/** Organizations on one page of the operator's usage report. */
export const USAGE_ORGANIZATIONS_PAGE_MAX: number = 200;
/** Default page size of the operator's usage report, in organizations. */
export const USAGE_ORGANIZATIONS_PAGE_DEFAULT: number = 50;

/** Lifetime of a claim without renewal (Decision §3). */
export const LEASE_MS: number = 30_000;
/** Interval at which the owner of a running step renews its claim (Decision §3). */
export const LEASE_RENEW_MS: number = 10_000;
/** Default time limit of one attempt of a step (Decision §3). */
export const STEP_TIMEOUT_MS: number = 30_000;
/** Upper bound of the setting (Decision §3). */
export const STEP_TIMEOUT_MS_MAX: number = 60 * 60 * 1000;
/** Default time limit of a step's wait in the queue of its data source. */
export const STEP_WAIT_MS: number = 30_000;
/** Queued statements of one organization per data source. */
export const ORG_WAITING_MAX: number = 1000;
/** Default number of concurrent reader processes of one SQLite file. */
export const SQLITE_READERS_MAX: number = 4;
/** Default number of concurrent sessions of one PostgreSQL database. */
export const POSTGRES_SESSIONS_MAX: number = 10;
/** Upper bound of both settings. */
export const SESSIONS_MAX_MAX: number = 1000;
/** How long after its creation a plan may start steps (Decision §3). */
export const PLAN_DEADLINE_MS: number = 24 * 60 * 60 * 1000;
/** Attempts of a read, the first included (Decision §3). */
export const READ_ATTEMPTS_MAX: number = 3;
/** First pause before a retry; doubles with each attempt (Decision §3). */
export const RETRY_BASE_MS: number = 100;
/** Longest pause before a retry (Decision §3). */
export const RETRY_CAP_MS: number = 10_000;
/**
 * Bytes of one response of the payment provider. A page of 100 payment methods has about 200 kB.
 */
export const PAYMENT_ANSWER_BYTES_MAX: number = 4 * 1024 * 1024;

/** Entries in the cache of verified credentials, for each kind of credential. */
export const VERIFIED_CREDENTIALS_MAX: number = 10_000;
/**
 * Invalid credentials from one address within {@link FAILED_ATTEMPTS_WINDOW_MS}. Further attempts
 * are delayed.
 */
export const FAILED_ATTEMPTS_MAX: number = 20;
/** In ms. */
export const FAILED_ATTEMPTS_WINDOW_MS: number = 60_000;
/** Addresses whose invalid credentials are counted at a time. */
export const FAILED_ATTEMPT_PEERS_MAX: number = 10_000;
/**
 * How long a server caches an API key before it reads the store again, in ms. Together with the
 * time of that read, a revocation takes effect within a second.
 */
export const API_KEY_TRUST_MS: number = 500;
/** Interval at which the times of the API keys' last use are written to the store, in ms. */
export const API_KEY_USES_FLUSH_MS: number = 60_000;
/** Longest time that a rotated key's old secret stays valid, in ms: 30 days. */
export const API_KEY_OVERLAP_MS_MAX: number = 30 * 24 * 60 * 60_000;
/** Roles, permissions or scopes of one API key. */
export const API_KEY_NAMES_MAX: number = 64;
/** API keys on one page of a listing. */
export const API_KEYS_PAGE_MAX: number = 200;
/** Default page size of a listing of API keys. */
export const API_KEYS_PAGE_DEFAULT: number = 50;
/** Bytes of an OpenID provider's discovery document, and of its key set. */
export const JWKS_BYTES_MAX: number = 256 * 1024;
/** Time limit for fetching an OpenID provider's discovery document or keys, in ms. A request waits for it. */
export const JWKS_TIMEOUT_MS: number = 5_000;

/** Interval at which the TLS certificate's files are checked for changes, in ms. */
export const TLS_FILES_CHECK_MS: number = 5_000;

/** How long a shutdown waits for running work. */
export const DRAIN_MS: number = 10_000;

/** How long a worker thread may take to exit after it was asked to, in ms. */
export const THREAD_END_MS: number = 5_000;

/** Components of an embedding. The proof of the search index's error bound relies on this limit. */
export const EMBEDDING_DIMENSION_MAX: number = 16_384;
/** Default number of results of a memory search (Contract §8). */
export const SEARCH_TOP_K_DEFAULT: number = 10;
/** Results of one memory search (Contract §8). */
export const SEARCH_TOP_K_MAX: number = 100;
/** Queued memory searches of one organization. */
export const ORG_SEARCHES_WAITING_MAX: number = 1000;
/** Bytes of UTF-8 in a memory search's query text. */
export const SEARCH_QUERY_BYTES_MAX: number = 64 * 1024;
/** Bytes of UTF-8 in a memory entry's content. */
export const ENTRY_CONTENT_BYTES_MAX: number = 64 * 1024;
/** Memory entries on one page of a listing. */
export const ENTRIES_PAGE_MAX: number = 200;
/** Default page size of a listing of memory entries. */
export const ENTRIES_PAGE_DEFAULT: number = 50;
/** Longest retention period of memory entries that an organization can set, in days: a century. */
export const RETENTION_DAYS_MAX: number = 36_525;
/** Memory entries deleted in one transaction. The limit bounds how long other writers wait. */
export const ENTRIES_DELETED_MAX: number = 500;

/** Default page size of quads, and of the changes of a diff. */
export const STATE_QUADS_PAGE_DEFAULT: number = 100;
/** Default page size of the log of commits. */
export const STATE_LOG_PAGE_DEFAULT: number = 50;
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
/** Solutions of one basic graph pattern query. */
export const STATE_SOLUTIONS_MAX: number = 10_000;
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

/** Bytes of UTF-8 in a wanted schema, all of its files together. */
export const SCHEMA_BYTES_MAX: number = 16 * 1024 * 1024;
/** Characters of one statement of a wanted schema, including the body of a function. */
export const DEFINITION_LENGTH_MAX: number = 1024 * 1024;
/**
 * Bytes of a request that proposes a schema. JSON escapes a quote or a line feed with two bytes.
 */
export const PROPOSAL_BYTES_MAX: number = 2 * SCHEMA_BYTES_MAX;
/**
 * Default time limit of a migration's wait for a lock. Statements that request the same table later
 * queue behind the migration all that time.
 */
export const MIGRATION_LOCK_WAIT_MS: number = 5000;
/**
 * Default time limit of CREATE INDEX CONCURRENTLY's wait for older transactions. Other statements
 * do not queue behind this wait.
 */
export const MIGRATION_INDEX_WAIT_MS: number = 10 * 60_000;
/** Upper bound of both settings. */
export const MIGRATION_WAIT_MS_MAX: number = 24 * 60 * 60_000;
/** How long a migration waits for another migration of the same database. */
export const MIGRATION_TURN_WAIT_MS: number = 5000;
/** Recorded schemas cached in memory. A schema of a thousand tables takes about 10 MB. */
export const RECORDED_SCHEMAS_KEPT = 4;
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

/**
 * Bytes of JSON in the table and column names stored with the record of a tool call. A longer list
 * is dropped as a whole.
 */
export const RECORDED_DATA_BYTES_MAX: number = 16 * 1024;
/**
 * Entries in the cache of policy decisions, and in the cache of statement grants. An entry takes
 * about a kilobyte.
 */
export const POLICY_DECISIONS_MAX: number = 10_000;
/** How long an organization's policies are cached, in ms. */
export const POLICIES_BELIEVED_MS = 500;
/** Bytes of an organization's policies. Every request of the organization evaluates all of them. */
export const POLICY_TEXT_BYTES_MAX: number = 16 * 1024;
/** Stored versions of an organization's policies. */
export const POLICY_VERSIONS_KEPT = 20;
/** Time limit for checking a policy text, in ms. Each policy takes about 15 ms. */
export const POLICY_CHECK_MS_MAX = 20_000;
/** Policy texts that are checked concurrently, each in a worker thread. */
export const POLICY_CHECKS_MAX = 2;
/**
 * Stack of the thread that checks policies, in MiB. It is smaller than the server's stack, so that
 * a policy which passes the check can be evaluated by the server.
 */
export const POLICY_CHECK_STACK_MEBIBYTES = 0.5;

/**
 * Compiled policy sets in the engine's cache, one for each organization with policies of its own.
 */
export const COMPILED_POLICY_SETS_MAX: number = 256;

/** Default number of tables that a search of the catalog returns. */
export const CATALOG_RESULTS_DEFAULT: number = 10;
/** Tables that a search of the catalog returns. */
export const CATALOG_RESULTS_MAX: number = 50;
/** Characters of a search of the catalog. */
export const CATALOG_QUESTION_LENGTH_MAX: number = 4096;
/** Default number of tokens of a table's description. */
export const CATALOG_TOKENS_DEFAULT: number = 2000;
/** Smallest budget of a table's description, in tokens: enough for its heading. */
export const CATALOG_TOKENS_MIN: number = 100;
/** Largest budget of a table's description, in tokens. */
export const CATALOG_TOKENS_MAX: number = 100_000;
/** Tables of one data source that the catalog knows. */
export const CATALOG_TABLES_MAX: number = 20_000;
/** Snapshots of schemas in memory, one for each organization and data source. A thousand tables take about 10 MB. */
export const CATALOG_SNAPSHOTS_MAX: number = 64;
/** Tables whose vectors are asked for in one request of the embedding provider. */
export const CATALOG_TABLES_EMBEDDED_AT_ONCE: number = 64;
/** Rows of a table that are read for its description. */
export const CATALOG_PROFILE_ROWS_MAX: number = 1000;
/** Columns of a table whose values are read for its description. */
export const CATALOG_PROFILE_COLUMNS_MAX: number = 200;
/** Characters of a value that are read for a description. */
export const CATALOG_VALUE_LENGTH_MAX: number = 80;
/** Distinct values of a column up to which a description lists them. */
export const CATALOG_LISTED_VALUES_MAX: number = 20;
/** Profiles of tables in memory. */
export const CATALOG_PROFILES_MAX: number = 2000;
/** How long the profile of a table is cached, in ms. */
export const CATALOG_PROFILE_MS: number = 5 * 60_000;
/** How long a table whose rows could not be read is not read again, in ms. */
export const CATALOG_READ_AGAIN_MS: number = 10_000;
/** How long a query for a profile may run, in ms. */
export const CATALOG_READ_MS: number = 5000;
/**
 * How long a query for a profile may wait for its turn at the data source, in ms. The first turn
 * starts a process.
 */
export const CATALOG_READ_WAIT_MS: number = 5000;
/** Characters of what an owner says of a data source, a table or a column, and of an example question. */
export const CATALOG_NOTE_LENGTH_MAX: number = 1000;
/** Joins of the longest path from a described table to another one. */
export const CATALOG_JOIN_STEPS_MAX: number = 3;
/** Join paths of a described table. */
export const CATALOG_JOIN_PATHS_MAX: number = 12;

/** Characters of an error's message, and of the reason for one field. */
export const ERROR_TEXT_LENGTH_MAX = 8192;
