/** Limits of the process as a whole. */

/** How long a result of the readiness check is cached, in ms, for all callers. */
export const READINESS_MS: number = 1000;
/** Interval at which the TLS certificate's files are checked for changes, in ms. */
export const TLS_FILES_CHECK_MS: number = 5_000;
