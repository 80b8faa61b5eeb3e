/** Limits of plans, steps, statements and their results (Decision §4 and §6 where not said otherwise). */

/** Steps in one plan. */
export const PLAN_STEPS_MAX: number = 1000;
/** Dependencies of one step. */
export const STEP_DEPENDENCIES_MAX: number = 100;
/** Table hints of one step. Each hint is looked up in the schema snapshot. */
export const STEP_TABLE_HINTS_MAX: number = 100;
/** Bytes of UTF-8 in one query template. */
export const TEMPLATE_BYTES_MAX: number = 64 * 1024;
/** Nesting depth of objects and lists in the arguments of a tool. */
export const TEMPLATE_DEPTH_MAX: number = 100;
/** Bytes of UTF-8 in all query templates of one plan. Parsing SQL takes about 2 ms per KiB. */
export const PLAN_TEMPLATES_BYTES_MAX: number = 512 * 1024;
/** Bytes of UTF-8 in a plan's description. */
export const DESCRIPTION_BYTES_MAX: number = 8 * 1024;
/** Events of one plan. */
export const PLAN_EVENTS_MAX: number = 51_200;
/**
 * Revisions of one plan: its submission and every change of its steps. The definitions of all of them are
 * read whenever the plan is loaded.
 */
export const PLAN_REVISIONS_MAX: number = 200;
/** Callers who have written one step, by forking its plan or by changing the step but not its statement. */
export const STEP_WRITERS_MAX: number = 20;
/** Plans on one page of a listing. */
export const PLANS_PAGE_MAX: number = 200;
/** Bytes of the plans on one page of a listing. The page ends before a plan that does not fit, unless it is the first. */
export const PLANS_PAGE_BYTES_MAX: number = 512 * 1024;
/** Default page size of a listing of plans. */
export const PLANS_PAGE_DEFAULT: number = 50;
/** Characters of the text that a listing of plans searches for. */
export const PLAN_TEXT_LENGTH_MAX: number = 256;
/**
 * Characters of a statement that is read on the main thread, which takes 10 ms at worst. Longer
 * statements are read in threads, once each while they are remembered.
 */
export const STATEMENT_READ_AT_ONCE_LENGTH_MAX: number = 1024;
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
/** Bytes of JSON stored of one step's output. */
export const OUTPUT_BYTES_MAX: number = 2 * 1024 * 1024;
/** Least number of bytes that a page of a step's output may be limited to: it shows at least one row. */
export const OUTPUT_PAGE_BYTES_MIN: number = 1024;
/** Steps that one request about the memory reads to learn what older entries come from. */
export const REMEMBERED_STEPS_READ_MAX: number = 20;
/** Plans that one request about the audit log reads to learn what their steps' errors may tell. */
export const RECORDED_PLANS_READ_MAX: number = 100;
/**
 * Statements of older steps that data sources describe for one reading of a plan, so that it can be told what their
 * errors and numbers of rows may tell.
 */
export const RESULTS_DESCRIBED_MAX: number = 100;
/** Compiled query templates that are cached, because agents submit the same ones again and again. */
export const COMPILED_TEMPLATES_MAX: number = 1000;
/** Characters of the longest template that is cached. */
export const COMPILED_TEMPLATE_LENGTH_MAX: number = 4096;
/** Completed steps whose touched data are cached for readings of their plans. */
export const RESULTS_REMEMBERED_MAX: number = 10_000;
/** Lifetime of a claim without renewal (Decision §3). */
export const LEASE_MS: number = 30_000;
/** Interval at which the owner of a running step renews its claim (Decision §3). */
export const LEASE_RENEW_MS: number = 10_000;
/** Interval at which the grants of running steps are asked about again, in ms: policies apply within a second. */
export const RUNNING_STEPS_ASKED_MS = 500;
/** Default time limit of one attempt of a step (Decision §3). */
export const STEP_TIMEOUT_MS: number = 30_000;
/** Upper bound of the setting (Decision §3). */
export const STEP_TIMEOUT_MS_MAX: number = 60 * 60 * 1000;
/** Default time limit of a step's wait in the queue of its data source. */
export const STEP_WAIT_MS: number = 30_000;
/** How long after its creation a plan may start steps (Decision §3). */
export const PLAN_DEADLINE_MS: number = 24 * 60 * 60 * 1000;
/** Upper bound of the setting: a plan is a task, not an archive. */
export const PLAN_DEADLINE_MS_MAX: number = 30 * 24 * 60 * 60 * 1000;
/** Attempts of a step, the first included (Decision §3). */
export const STEP_ATTEMPTS_MAX: number = 3;
/** Longest pause before a retry (Decision §3). */
export const RETRY_CAP_MS: number = 10_000;
