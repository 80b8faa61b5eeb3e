/** Every bound of this program, with its unit (Decision §4 and §6 where not said otherwise). */

/** Steps in one plan. */
export const PLAN_STEPS_MAX: number = 1000;
/** Dependencies of one step. */
export const STEP_DEPENDENCIES_MAX: number = 100;
/** Table hints of one step: as many tables as a schema snapshot is worth reading for. */
export const STEP_TABLE_HINTS_MAX: number = 100;
/** Bytes of UTF-8 in one query template. */
export const TEMPLATE_BYTES_MAX: number = 64 * 1024;
/** Bytes of UTF-8 in all query templates of one plan: reading SQL takes some 2 ms for each KiB. */
export const PLAN_TEMPLATES_BYTES_MAX: number = 512 * 1024;
/** Characters of a statement that is read at once, which takes up to 10 ms; longer ones are read in a thread. */
export const STATEMENT_READ_AT_ONCE_LENGTH_MAX: number = 4096;
/** How long reading one statement may take, with those that wait before it, in ms. */
export const STATEMENT_READING_MS: number = 10_000;
/** Memory of the thread that reads long statements, in MiB. */
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
 * Values in one request, each object, list, string and number being one: a plan of 1000 steps with 100 dependencies and
 * 100 hints each has 210 000. A value of two bytes becomes an object that takes some microseconds to check.
 */
export const REQUEST_VALUES_MAX: number = 250_000;
/**
 * Fields in the objects of one request, which take the parser five times as long as other values: a plan of 1000 steps has
 * 8000.
 */
export const REQUEST_FIELDS_MAX: number = 50_000;
/** Values in one list or fields in one object of a request. */
export const REQUEST_LIST_MAX: number = 10_000;
/** Objects and lists inside each other in one request. */
export const REQUEST_DEPTH_MAX: number = 100;
/** Requests at a time on one HTTP/2 connection, gRPC and REST together: more wait in the client. */
export const HTTP2_STREAMS_MAX: number = 1000;
/**
 * Memory of one HTTP/2 connection, in units of 10^6 bytes: its streams, header tables and answers that the other end
 * does not take. New requests on a connection that needs more are refused.
 */
export const HTTP2_SESSION_MEMORY_MAX: number = 64;
/** Bytes of a request's header fields, names and values: what Node's HTTP/1.1 server takes. */
export const HEADER_BYTES_MAX: number = 16 * 1024;
/** Connections open at once, on each port. */
export const CONNECTIONS_MAX: number = 10_000;
/** Connections open at once from one address, on each port: a proxy that opens one for each request has many. */
export const PEER_CONNECTIONS_MAX: number = 1000;
/** Streams of health and reflection open at once from one address: nobody says there who they are. */
export const PEER_OPEN_STREAMS_MAX: number = 20;
/** Requests of one organization in a second, unless set otherwise: about a third of what two cores answer. */
export const ORG_REQUESTS_PER_SECOND: number = 2000;
/** The most that can be set. */
export const ORG_REQUESTS_PER_SECOND_MAX: number = 1_000_000;
/** Requests of one organization to execute a step that are under way at once, unless set otherwise. */
export const ORG_STEPS_MAX: number = 500;
/** The most that can be set. */
export const ORG_STEPS_MAX_MAX: number = 100_000;
/** Event streams of one organization open at once, unless set otherwise: each reads the store once a second. */
export const ORG_STREAMS_MAX: number = 500;
/** The most that can be set. */
export const ORG_STREAMS_MAX_MAX: number = 100_000;
/** Organizations whose requests are counted at a time: one that has not asked for long is forgotten. */
export const METERED_ORGANIZATIONS_MAX: number = 10_000;
/** How long an answer about readiness is good for, in ms, whoever asks and however often. */
export const READINESS_MS: number = 1000;
/** Rows kept of one step's result. */
export const RESULT_ROWS_MAX: number = 10_000;
/** Rows counted beyond the ones kept, before the count is given up: "more than". */
export const RESULT_ROWS_COUNTED_MAX: number = 1_000_000;
/** Columns of a result: what SQLite and PostgreSQL make tables of, and more than an agent reads. */
export const RESULT_COLUMNS_MAX: number = 1000;
/** Rows that one write may change, unless set otherwise. */
export const ROWS_CHANGED_MAX: number = 10_000;
/** The largest such limit that can be set. */
export const ROWS_CHANGED_MAX_MAX: number = 1_000_000_000;
/** Resident memory of a process that runs agents' statements on SQLite, in bytes. */
export const SQL_MEMORY_BYTES_MAX: number = 768 * 1024 * 1024;
/** Bytes of the temporary files of such a process, and of a session of PostgreSQL where its role may say so. */
export const SQL_TEMPORARY_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Bytes by which one statement may have a SQLite file grow. */
export const SQL_GROWTH_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Bytes of JSON kept of one step's output. */
export const OUTPUT_BYTES_MAX: number = 2 * 1024 * 1024;
/** Events of one plan. */
export const PLAN_EVENTS_MAX: number = 51_200;
/** Plans on one page of a listing. */
export const PLANS_PAGE_MAX: number = 200;
/** Plans on a page whose size the caller did not say. */
export const PLANS_PAGE_DEFAULT: number = 50;
/** Events read from the log at once: a slow reader holds one page, not the log. */
export const EVENTS_PAGE_MAX: number = 256;

/** Organizations on one page of the operator's usage report. */
export const USAGE_ORGANIZATIONS_PAGE_MAX: number = 200;
/** Organizations on a page whose size the caller did not say. */
export const USAGE_ORGANIZATIONS_PAGE_DEFAULT: number = 50;

/** How long a claim is good for without renewal (Decision §3). */
export const LEASE_MS: number = 30_000;
/** How often a running step's owner renews its claim (Decision §3). */
export const LEASE_RENEW_MS: number = 10_000;
/** How long one attempt of a step may run, unless set otherwise (Decision §3). */
export const STEP_TIMEOUT_MS: number = 30_000;
/** The longest step time-out that can be set (Decision §3). */
export const STEP_TIMEOUT_MS_MAX: number = 60 * 60 * 1000;
/** How long a step may wait for its turn at its data source, unless set otherwise. */
export const STEP_WAIT_MS: number = 30_000;
/** Statements of one organization that may wait for one data source. */
export const ORG_WAITING_MAX: number = 1000;
/** Processes that read one SQLite file at once, unless set otherwise. */
export const SQLITE_READERS_MAX: number = 4;
/** Sessions of one PostgreSQL database at once, unless set otherwise. */
export const POSTGRES_SESSIONS_MAX: number = 10;
/** The most of either that can be set. */
export const SESSIONS_MAX_MAX: number = 1000;
/** How long after its creation a plan may start steps (Decision §3). */
export const PLAN_DEADLINE_MS: number = 24 * 60 * 60 * 1000;
/** Attempts of a read, the first included (Decision §3). */
export const READ_ATTEMPTS_MAX: number = 3;
/** First pause before a retry; doubles with each attempt (Decision §3). */
export const RETRY_BASE_MS: number = 100;
/** Longest pause before a retry (Decision §3). */
export const RETRY_CAP_MS: number = 10_000;
/** Bytes of one answer of the payment provider: a page of 100 payment methods has about 200 kB. */
export const PAYMENT_ANSWER_BYTES_MAX: number = 4 * 1024 * 1024;

/** Verified credentials that a server remembers, of each kind. */
export const VERIFIED_CREDENTIALS_MAX: number = 10_000;
/** Wrong credentials from one address in {@link FAILED_ATTEMPTS_WINDOW_MS}; further ones wait. */
export const FAILED_ATTEMPTS_MAX: number = 20;
/** In ms. */
export const FAILED_ATTEMPTS_WINDOW_MS: number = 60_000;
/** Addresses whose wrong credentials are counted at a time. */
export const FAILED_ATTEMPT_PEERS_MAX: number = 10_000;
/**
 * How long a server believes an API key without reading the store again, in ms: with the time that the
 * reading takes, a revocation is to be seen within a second.
 */
export const API_KEY_TRUST_MS: number = 500;
/** How often the last uses of API keys are written, in ms. */
export const API_KEY_USES_FLUSH_MS: number = 60_000;
/** How long a key's secret stays good after a rotation, at most, in ms: 30 days. */
export const API_KEY_OVERLAP_MS_MAX: number = 30 * 24 * 60 * 60_000;
/** Roles, permissions or scopes of one API key. */
export const API_KEY_NAMES_MAX: number = 64;
/** API keys on one page of a listing. */
export const API_KEYS_PAGE_MAX: number = 200;
/** API keys on a page whose size the caller did not say. */
export const API_KEYS_PAGE_DEFAULT: number = 50;
/** Bytes of an OpenID provider's discovery document, and of its keys. */
export const JWKS_BYTES_MAX: number = 256 * 1024;
/** How long an OpenID provider may take for either, in ms: a request waits for it. */
export const JWKS_TIMEOUT_MS: number = 5_000;

/** How often the files of the TLS certificate are looked at, in ms. */
export const TLS_FILES_CHECK_MS: number = 5_000;

/** How long a shutdown waits for what is under way. */
export const DRAIN_MS: number = 10_000;

/** How long a thread of the server may take to end when it is told to, in ms. */
export const THREAD_END_MS: number = 5_000;

/** Components of an embedding; the proof of the search index's bound counts on it. */
export const EMBEDDING_DIMENSION_MAX: number = 16_384;
/** Results of a memory search whose size the caller did not say (Contract §8). */
export const SEARCH_TOP_K_DEFAULT: number = 10;
/** Results of one memory search (Contract §8). */
export const SEARCH_TOP_K_MAX: number = 100;
/** Memory searches of one organization that may wait. */
export const ORG_SEARCHES_WAITING_MAX: number = 1000;
/** Bytes of UTF-8 in the text that memory is searched for. */
export const SEARCH_QUERY_BYTES_MAX: number = 64 * 1024;
/** Bytes of UTF-8 in a memory entry's content. */
export const ENTRY_CONTENT_BYTES_MAX: number = 64 * 1024;
/** Memory entries on one page of a listing. */
export const ENTRIES_PAGE_MAX: number = 200;
/** Memory entries on a page whose size the caller did not say. */
export const ENTRIES_PAGE_DEFAULT: number = 50;
/** Days that an organization can say it keeps memory entries: a century. */
export const RETENTION_DAYS_MAX: number = 36_525;
/** Memory entries deleted in one transaction: others must not wait long for theirs. */
export const ENTRIES_DELETED_MAX: number = 500;

/** Quads, or changes, in an answer about the state whose size the caller did not say. */
export const STATE_QUADS_PAGE_DEFAULT: number = 100;
/** Commits on a page of the log of the state whose size the caller did not say. */
export const STATE_LOG_PAGE_DEFAULT: number = 50;
/** Quads of one dataset of the state. */
export const STATE_QUADS_MAX: number = 20_000_000;
/** Triple terms inside each other in one term of the state: a statement about a statement has one. */
export const STATE_TRIPLE_DEPTH_MAX: number = 16;
/** Branches and tags of one organization. */
export const STATE_REFS_MAX: number = 1000;
/** Changes on either side of a merge or a revert, all of which are in memory at once: some 1 KiB each. */
export const STATE_MERGE_CHANGES_MAX: number = 200_000;
/** Solutions of one query of patterns. */
export const STATE_SOLUTIONS_MAX: number = 10_000;
/** Quads that a query of patterns may look at: it holds up everybody else meanwhile. */
export const STATE_EXAMINED_MAX: number = 200_000;
/** Logs, diffs, pages and queries of patterns that are worked on at once, all but one of one organization. */
export const STATE_SEARCHES_AT_ONCE_MAX: number = 4;
/** How long one of them may take of the event loop's time, in ms; others have their turn every few milliseconds. */
export const STATE_SEARCH_MS_MAX: number = 10_000;
/** Imports, merges and reverts that are worked on at once, one of each organization: they need the most memory. */
export const STATE_CHANGES_AT_ONCE_MAX: number = 2;
/** How long one of them may take of the event loop's time, in ms. */
export const STATE_CHANGE_MS_MAX: number = 60_000;
/** Searches or changes of the state that one organization may have waiting. */
export const STATE_WAITING_MAX: number = 100;
/** How long a search or a change of the state may wait for its turn, in ms. */
export const STATE_WAIT_MS: number = 30_000;
/** Quads of one document, each of which is some 100 bytes of it and 16 bytes of the server's memory. */
export const STATE_DOCUMENT_QUADS_MAX: number = 2_000_000;
/** Bytes of the terms of one document, each counted once. A context can make a very long IRI of a short name. */
export const STATE_DOCUMENT_TERM_BYTES_MAX: number = 256 * 1024 * 1024;
/** Bytes of one document. What comes in JSON is limited by the size of a request. */
export const STATE_DOCUMENT_BYTES_MAX: number = 512 * 1024 * 1024;
/** How long reading one document may take once it has come, in ms. */
export const STATE_DOCUMENT_MS_MAX: number = 30_000;
/** Bytes of memory that reading one document may need. */
export const STATE_DOCUMENT_MEMORY_BYTES_MAX: number = 1024 * 1024 * 1024;
/** Documents of one organization that wait to be read. */
export const STATE_DOCUMENTS_WAITING_MAX: number = 20;
/**
 * Steps that may be taken to tell the blank nodes of one document apart, each about one look at one quad: a few
 * seconds. A list, a ring or a grid of 100 000 nodes takes three million.
 */
export const STATE_LABEL_STEPS_MAX: number = 30_000_000;

/** Bytes of UTF-8 in a wanted schema, all of its files together. */
export const SCHEMA_BYTES_MAX: number = 16 * 1024 * 1024;
/** Characters of one statement of a wanted schema: the body of a function is part of it. */
export const DEFINITION_LENGTH_MAX: number = 1024 * 1024;
/** Bytes of a request that proposes a schema: in JSON, quotes and ends of lines take two. */
export const PROPOSAL_BYTES_MAX: number = 2 * SCHEMA_BYTES_MAX;
/**
 * How long a migration waits for a lock that a transaction of it needs, unless set otherwise: whoever comes
 * later waits behind it all that time.
 */
export const MIGRATION_LOCK_WAIT_MS: number = 5000;
/**
 * How long a migration waits for the transactions that an index, made while others write, must see the
 * end of, unless set otherwise. Nobody waits behind it.
 */
export const MIGRATION_INDEX_WAIT_MS: number = 10 * 60_000;
/** The longest such wait that can be set. */
export const MIGRATION_WAIT_MS_MAX: number = 24 * 60 * 60_000;
/** How long a migration waits for another one of the same database. */
export const MIGRATION_TURN_WAIT_MS: number = 5000;
/** Recorded schemas kept in memory; one of a thousand tables takes about 10 MB. */
export const RECORDED_SCHEMAS_KEPT = 4;
/** Quads that one SPARQL query may have loaded into the engine, which holds them in some 600 bytes each. */
export const SPARQL_QUADS_MAX: number = 1_000_000;
/** How long a SPARQL query may take, in ms, with the loading of its quads. */
export const SPARQL_QUERY_MS_MAX: number = 30_000;
/** Resident memory of a process that answers SPARQL queries, in bytes. */
export const SPARQL_MEMORY_BYTES_MAX: number = 1536 * 1024 * 1024;
/** SPARQL queries that run at once, each in a process of its own, all but one of them of one organization. */
export const SPARQL_PROCESSES_MAX: number = 3;
/** How long a SPARQL query may wait for its turn, in ms. */
export const SPARQL_WAIT_MS: number = 30_000;
/** Bytes of JSON in the answer of one SPARQL query. */
export const SPARQL_ANSWER_BYTES_MAX: number = 8 * 1024 * 1024;
/** SPARQL queries of one organization that wait. */
export const SPARQL_QUERIES_MAX: number = 50;

/** Bytes of JSON in the names of tables and columns that the record of a tool call keeps; beyond it none are kept. */
export const RECORDED_DATA_BYTES_MAX: number = 16 * 1024;
/** Decisions of policies that are remembered, and as many grants of statements, about a kilobyte each. */
export const POLICY_DECISIONS_MAX: number = 10_000;
/** How long what was read of an organization's policies is believed, in ms. */
export const POLICIES_BELIEVED_MS = 500;
/** Bytes of an organization's policies: every request of the organization is decided by all of them. */
export const POLICY_TEXT_BYTES_MAX: number = 16 * 1024;
/** Versions of an organization's policies that are kept. */
export const POLICY_VERSIONS_KEPT = 20;
/** How long the check of a text of policies may take, in ms; some fifteen milliseconds go to each policy. */
export const POLICY_CHECK_MS_MAX = 20_000;
/** Texts of policies that are checked at once, each in a thread of its own. */
export const POLICY_CHECKS_MAX = 2;
/** Mebibytes of stack for the check of policies: less than the server has, so that what passes there fits here. */
export const POLICY_CHECK_STACK_MEBIBYTES = 0.5;

/** Sets of policies that the engine holds compiled, one for each organization with policies of its own. */
export const COMPILED_POLICY_SETS_MAX: number = 256;

/** Characters of an error's message, and of what it says about one field. */
export const ERROR_TEXT_LENGTH_MAX = 8192;
