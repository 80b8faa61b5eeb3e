/** Limits of the process as a whole. */

/** How long a result of the readiness check is cached, in ms, for all callers. */
export const READINESS_MS: number = 1000;
/** How long a check of the start waits for a server of others, in ms; all are asked at the same time. */
export const PEER_CHECK_MS: number = 10_000;
/** Interval at which the TLS certificate's files are checked for changes, in ms. */
export const TLS_FILES_CHECK_MS: number = 5_000;
/** Interval at which the clock of the machine is compared with its monotonic clock, in ms. */
export const CLOCK_CHECK_MS: number = 10_000;
/** Change of the clock within one such interval from which on it counts as a jump, in ms. */
export const CLOCK_JUMP_MS: number = 1_000;
