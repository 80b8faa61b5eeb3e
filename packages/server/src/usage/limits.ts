/** Limits of usage reports, and of what organizations store. */

/** Organizations on one page of the operator's usage report. */
export const USAGE_ORGANIZATIONS_PAGE_MAX: number = 200;
/** Default page size of the operator's usage report, in organizations. */
export const USAGE_ORGANIZATIONS_PAGE_DEFAULT: number = 50;

/**
 * Default quota of an organization in bytes; 0 is none. Retention already bounds what is stored,
 * and only an operator who shares a store knows how much of it belongs to whom.
 */
export const ORG_BYTES_MAX: number = 0;
/** Upper bound of the setting: 1 PiB. */
export const ORG_BYTES_MAX_MAX: number = 1024 ** 5;
/** Share of its quota at which an organization is reported in the log, once a day. */
export const STORAGE_WARNING_SHARE: number = 0.8;
/** Rows that one step of a measurement adds up: about a millisecond on SQLite. */
export const MEASURED_ROWS_MAX: number = 500;
/**
 * Bytes that a row counts beside its texts and blobs: ids, times and numbers. The value is the same
 * on every engine.
 */
export const ROW_BYTES: number = 64;
/** Organizations whose stored bytes one server knows at a time. */
export const MEASURED_ORGANIZATIONS_MAX: number = 10_000;
