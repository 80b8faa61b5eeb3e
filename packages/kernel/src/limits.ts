/** Limits that the kernel applies itself. */

/** How long a shutdown waits for running work. */
export const DRAIN_MS: number = 10_000;
/** How long a worker thread may take to exit after it was asked to, in ms. */
export const THREAD_END_MS: number = 5_000;
/** Characters of an error's message, and of the reason for one field. */
export const ERROR_TEXT_LENGTH_MAX = 8192;
