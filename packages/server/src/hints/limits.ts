/** Limits of hints (Decision §11). */

/**
 * Characters of a statement whose result hints look at; reading one takes about a microsecond for every
 * 20, and 25 ms at worst.
 */
export const HINTED_LENGTH_MAX: number = 4096;
/** Characters of a failed statement that hints look at; reading the worst takes 10 ms of the event loop. */
export const HINTED_FAILURE_LENGTH_MAX: number = 16_384;
/**
 * Words, quotes and opening parentheses of a failed statement that hints look at. The time that hints take
 * grows with the square of these, not with the length of a list of numbers; the worst takes 30 ms.
 */
export const HINTED_FAILURE_WORDS_MAX: number = 800;
/** Time after which further failures of one turn of the event loop get their hints in the next one, in ms. */
export const HINTS_TURN_MS: number = 5;
/** Statements whose warnings are remembered, for each version of a schema. */
export const HINTED_STATEMENTS_MAX: number = 1000;
/** Schemas in memory for hints, one for each organization and data source. */
export const HINT_SCHEMAS_MAX: number = 256;
/** How long a schema is used without asking whether it has changed, in ms. */
export const HINT_SCHEMA_MS: number = 10_000;
/** How long the first step on a data source waits for its schema, in ms. */
export const HINT_SCHEMA_WAIT_MS: number = 1000;
/** How long a hint may read rows of a data source, in ms. */
export const HINT_READ_MS: number = 2000;
/** Rows from which a hint reads the values of a column. */
export const HINT_ROWS_READ_MAX: number = 20_000;
/** Distinct values up to which a column has few of them. */
export const HINT_VALUES_MAX: number = 20;
/** Columns whose values are read for one step. */
export const HINT_COLUMNS_READ_MAX: number = 3;
/** Values of columns, and answers to whether a caller may read a name, in memory. */
export const HINT_ANSWERS_MAX: number = 5000;
/** How long values and answers are kept, in ms. */
export const HINT_ANSWERS_MS: number = 60_000;
/** Corrections in the hints of one step. */
export const HINT_CORRECTIONS_MAX: number = 3;
