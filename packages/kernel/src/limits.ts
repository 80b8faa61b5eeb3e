/** Limits that the kernel applies itself. */

/** How long a shutdown waits for running work. */
export const DRAIN_MS: number = 10_000;
/** How long ports stay open after {@link DRAIN_MS}, for the answers of what was stopped then, in ms. */
export const DRAIN_ANSWER_MS: number = 2_000;
/** How long a worker thread may take to exit after it was asked to, in ms. */
export const THREAD_END_MS: number = 5_000;
/** Characters of an error's message, and of the reason for one field. */
export const ERROR_TEXT_LENGTH_MAX = 8192;
/** Callers of one shared result that resume in one turn of the event loop. */
export const RESUMED_CALLERS_MAX = 8;
/** A turn of the event loop that has lasted so long resumes no further caller, in ms. */
export const RESUMED_TURN_MS = 5;
