/** Limits that several rooms of the server share. */

/** Characters in a plan's or step's name, a tool's name and a table hint. */
export const NAME_LENGTH_MAX: number = 255;
/**
 * Characters of a name that is compared with others letter by letter, to suggest what a misspelt one means. PostgreSQL's
 * names have at most 63 bytes.
 */
export const COMPARED_NAME_LENGTH_MAX: number = 128;
/** Characters in a session id. */
export const SESSION_ID_LENGTH_MAX: number = 255;
/** First pause before a retry; doubles with each attempt (Decision §3). */
export const RETRY_BASE_MS: number = 100;
