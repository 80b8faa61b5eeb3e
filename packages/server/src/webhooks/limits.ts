/** Limits of webhooks. */

/** Targets that the operator may name. */
export const WEBHOOK_TARGETS_MAX: number = 20;
/** Attempts of one delivery, the first included: nine hours on average. */
export const WEBHOOK_ATTEMPTS_MAX: number = 15;
/** First pause before a delivery is tried again, in ms; it doubles with each attempt. */
export const WEBHOOK_RETRY_BASE_MS: number = 5_000;
/** Longest pause before a delivery is tried again, in ms. */
export const WEBHOOK_RETRY_CAP_MS: number = 6 * 60 * 60 * 1000;
/** Time limit of one attempt of a delivery, in ms. */
export const WEBHOOK_TIMEOUT_MS: number = 10_000;
/** Deliveries to one target at once. */
export const WEBHOOK_AT_ONCE_MAX: number = 10;
/**
 * Duration of a server's lease of a delivery, in ms. After a crash the delivery is tried again when
 * the lease has expired.
 */
export const WEBHOOK_LEASE_MS: number = 30_000;
/** How long a delivery that failed for good is kept, in ms. */
export const WEBHOOK_DEAD_MS: number = 30 * 24 * 60 * 60 * 1000;
/** Characters of the stored reason of a failed attempt. */
export const WEBHOOK_ERROR_LENGTH_MAX: number = 200;
/** Deliveries on a page of a listing. */
export const WEBHOOK_PAGE_MAX: number = 200;
/** Deliveries on a page when the caller names no limit. */
export const WEBHOOK_PAGE_DEFAULT: number = 50;
/** Deliveries that one request makes due again. */
export const WEBHOOK_RETRIES_MAX: number = 1_000;
/**
 * Occurrences that a server remembers having announced. An occurrence that is no longer remembered
 * may be announced again.
 */
export const WEBHOOK_NOTICES_MAX: number = 10_000;
/** Test messages of one organization at once. */
export const WEBHOOK_TESTS_AT_ONCE_MAX: number = 1;
