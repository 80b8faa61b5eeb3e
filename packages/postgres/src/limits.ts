/** Limits of what a PostgreSQL server sends. */

/**
 * Bytes of one ErrorResponse or NoticeResponse. PostgreSQL truncates none: an error may quote a value of any length, and the
 * notice with a statement's tree has 200 kB for each view of `information_schema`. 2 MiB take 10 ms of the event loop.
 */
export const POSTGRES_REPORT_BYTES_MAX: number = 2 * 1024 * 1024;
