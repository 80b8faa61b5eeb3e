/**
 * Changes of plans, and other facts, that one transaction adds to the tree on SQLite. Writing their records takes
 * less than 5 ms of the thread that writes, so that the commits of steps hardly wait.
 */
export const AUDIT_BATCH_MAX = 100;

/** How long a record may wait for its place in the tree, in ms, while the store can be written. */
export const AUDIT_POLL_MS = 1000;

/** Events in one record; a change with more, such as the end of a large plan, becomes several. */
export const AUDIT_EVENTS_MAX = 200;

/** Tables that one record names; it tells how many more there were. */
export const AUDIT_TABLES_MAX = 100;

/** Bytes of one record: a bundle of entries tells its length in 16 bits (C2SP tlog-tiles). */
export const AUDIT_RECORD_BYTES_MAX: number = 63 * 1024;

/** Records on one page of a listing. */
export const AUDIT_PAGE_MAX = 500;

/**
 * Bytes of the records on one page, which is rendered in one turn of the event loop: 1 MiB took up to 50 ms of it. An
 * entry has up to AUDIT_RECORD_BYTES_MAX; the page of a larger record has no other.
 */
export const AUDIT_PAGE_BYTES_MAX: number = 512 * 1024;

/** Records on a page of a listing that does not say how many. */
export const AUDIT_PAGE_DEFAULT = 50;

/** Bytes of an operation's parameters that are stored beside its record. */
export const AUDIT_REQUEST_BYTES_MAX: number = 16 * 1024;

/** How long the reads of the log's files by one caller are counted instead of recorded one by one, in ms. */
export const AUDIT_READS_MS: number = 60 * 60 * 1000;

/** Callers whose reads are counted at once. */
export const AUDIT_READERS_MAX = 1000;

/** Different refusals that become records of their own in {@link AUDIT_REFUSALS_MS}. */
export const AUDIT_REFUSALS_MAX = 100;

/** The time for which {@link AUDIT_REFUSALS_MAX} counts, in ms. */
export const AUDIT_REFUSALS_MS = 60_000;
