/** Limits of wanted schemas and migrations (Decision §15). */

/** Bytes of UTF-8 in a wanted schema, all of its files together. */
export const SCHEMA_BYTES_MAX: number = 16 * 1024 * 1024;
/** Characters of one statement of a wanted schema, including the body of a function. */
export const DEFINITION_LENGTH_MAX: number = 1024 * 1024;
/**
 * Default time limit of a migration's wait for a lock. Statements that request the same table later
 * queue behind the migration all that time.
 */
export const MIGRATION_LOCK_WAIT_MS: number = 5000;
/**
 * Default time limit of the wait of CREATE INDEX CONCURRENTLY and DROP INDEX CONCURRENTLY for older
 * transactions. Other statements do not queue behind this wait.
 */
export const MIGRATION_INDEX_WAIT_MS: number = 10 * 60_000;
/** Upper bound of both settings. */
export const MIGRATION_WAIT_MS_MAX: number = 24 * 60 * 60_000;
/** How long a migration waits for another migration of the same database. */
export const MIGRATION_TURN_WAIT_MS: number = 5000;
/** Recorded schemas cached in memory. A schema of a thousand tables takes about 10 MB. */
export const RECORDED_SCHEMAS_KEPT = 4;
