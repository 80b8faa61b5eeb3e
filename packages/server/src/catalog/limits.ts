/** Limits of the catalog (Decision §18). */

/** Default number of tables that a search of the catalog returns. */
export const CATALOG_RESULTS_DEFAULT: number = 10;
/** Tables that a search of the catalog returns. */
export const CATALOG_RESULTS_MAX: number = 50;
/** Characters of a search of the catalog. */
export const CATALOG_QUESTION_LENGTH_MAX: number = 4096;
/** Default number of tables on a page of a listing; the REST schema has the maximum. */
export const CATALOG_TABLE_PAGE_DEFAULT: number = 100;
/** Default number of tokens of a table's description. */
export const CATALOG_TOKENS_DEFAULT: number = 2000;
/** Smallest budget of a table's description, in tokens: enough for its heading. */
export const CATALOG_TOKENS_MIN: number = 100;
/** Largest budget of a table's description, in tokens. */
export const CATALOG_TOKENS_MAX: number = 100_000;
/** Tables that the catalog reads of one data source. */
export const CATALOG_TABLES_MAX: number = 20_000;
/** Snapshots of schemas in memory, one for each organization and data source. A thousand tables take about 10 MB. */
export const CATALOG_SNAPSHOTS_MAX: number = 64;
/** Tables whose vectors are requested from the embedding provider at once. */
export const CATALOG_TABLES_EMBEDDED_AT_ONCE: number = 64;
/** Rows of a table that are read for its description. */
export const CATALOG_PROFILE_ROWS_MAX: number = 1000;
/** Columns of a table whose values are read for its description. */
export const CATALOG_PROFILE_COLUMNS_MAX: number = 200;
/** Characters of a value that are read for a description. */
export const CATALOG_VALUE_LENGTH_MAX: number = 80;
/** Distinct values of a column up to which a description lists them. */
export const CATALOG_LISTED_VALUES_MAX: number = 20;
/** Profiles of tables in memory. */
export const CATALOG_PROFILES_MAX: number = 2000;
/** How long the profile of a table is cached, in ms. */
export const CATALOG_PROFILE_MS: number = 5 * 60_000;
/** How long a table whose rows could not be read is not read again, in ms. */
export const CATALOG_READ_AGAIN_MS: number = 10_000;
/** How long a query for a profile may run, in ms. */
export const CATALOG_READ_MS: number = 5000;
/**
 * How long a query for a profile may wait for its turn at the data source, in ms. The first turn
 * starts a process.
 */
export const CATALOG_READ_WAIT_MS: number = 5000;
/**
 * Characters of an owner's note about a data source, a table or a column, and of an example
 * question.
 */
export const CATALOG_NOTE_LENGTH_MAX: number = 1000;
/** Joins of the longest path from a described table to another one. */
export const CATALOG_JOIN_STEPS_MAX: number = 3;
/** Join paths of a described table. */
export const CATALOG_JOIN_PATHS_MAX: number = 12;
