/** Limits of the export of the audit log. */

/** Targets that the operator may name. */
export const AUDIT_EXPORT_TARGETS_MAX: number = 10;
/** Records in one batch. */
export const AUDIT_EXPORT_BATCH_MAX = 500;
/** Bytes of one batch, in JSON; collectors limit a request, many of them to 1 MiB. */
export const AUDIT_EXPORT_BATCH_BYTES_MAX: number = 900 * 1024;
/** Time limit of sending one batch, in ms. */
export const AUDIT_EXPORT_TIMEOUT_MS = 10_000;
/**
 * Duration of a server's lease of a target, in ms. After a crash another server continues when the
 * lease has expired.
 */
export const AUDIT_EXPORT_LEASE_MS = 30_000;
/** Interval of polling for new records, in ms. */
export const AUDIT_EXPORT_POLL_MS = 1_000;
/** Longest pause that a collector may ask for with Retry-After, in ms. */
export const AUDIT_EXPORT_RETRY_AFTER_MS_MAX: number = 5 * 60 * 1000;
