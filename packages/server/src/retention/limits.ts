/** Limits of retention. */

/** Days for which ended plans are kept, with their outputs, events and tool calls, unless set. */
export const PLANS_DAYS: number = 90;
/** Days for which an idempotency key is kept, unless set: longer than any client retries. */
export const IDEMPOTENCY_KEYS_DAYS: number = 30;
/** Days for which memory entries are kept, unless set. */
export const MEMORY_DAYS: number = 365;
/**
 * Days for which each usage row is kept, unless set: a year, and a month to check the last
 * invoice. Totals are kept.
 */
export const USAGE_DETAIL_DAYS: number = 400;
/** Longest retention period that can be set, in days: a century. */
export const RETENTION_DAYS_MAX: number = 36_525;
/** Versions of an organization's own periods that are kept. */
export const RETENTION_VERSIONS_KEPT: number = 100;
/** Legal holds that one organization can have. */
export const LEGAL_HOLDS_MAX: number = 1000;
/** Characters in the reason of a legal hold. */
export const HOLD_REASON_LENGTH_MAX: number = 1000;

/** Rows deleted in one batch at most. A batch is one transaction among those of the writers. */
export const ROWS_DELETED_MAX: number = 200;
/** Rows deleted in one batch at least, however long it takes. */
export const ROWS_DELETED_MIN: number = 4;
/** Rows deleted in the first batch, whose duration is not known yet. */
export const ROWS_DELETED_FIRST: number = 16;
/** Duration at which a batch aims, in ms: writers wait for it, as for one more commit. */
export const BATCH_TARGET_MS: number = 3;
/** Bytes deleted in one batch, unless one row is larger. */
export const BYTES_DELETED_MAX: number = 1024 * 1024;
/** Erasures and receipts that one listing shows, newest first. */
export const ERASURES_SHOWN_MAX: number = 100;
