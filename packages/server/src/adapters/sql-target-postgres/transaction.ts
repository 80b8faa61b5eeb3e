/**
 * How long after its deadline the server stops a statement by itself, in ms: when we are gone, or
 * cannot reach it.
 */
const SERVER_DELAY_MS = 200;
/** How long a statement may wait for another one's lock, in ms. */
const LOCK_MS_MAX = 10_000;
/** How long the server waits for us within a transaction, in ms. */
const IDLE_IN_TRANSACTION_MS_MAX = 10_000;

/** Where a transaction goes back to when a statement's parameters have to be declared anew. */
export const BEFORE_STATEMENT = "steward_before_statement";

/**
 * Begins a transaction whose settings are its own, so that nothing depends on what the role, the
 * database or a pooler has set, and nothing is left behind: UTC, ISO dates, text as we read it.
 * @param timeoutMs what is left for the statement.
 * @param binds the statement's, if there is one to come.
 */
export function beginText(
  mode: "READ ONLY" | "READ WRITE",
  timeoutMs: number,
  binds: readonly unknown[] = [],
): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED ${mode};
SET LOCAL statement_timeout = ${timeoutMs + SERVER_DELAY_MS};
SET LOCAL lock_timeout = ${Math.min(LOCK_MS_MAX, timeoutMs)};
SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX};
SET LOCAL standard_conforming_strings = on;
SET LOCAL TimeZone = 'UTC';
SET LOCAL DateStyle = 'ISO, YMD';
SET LOCAL IntervalStyle = 'postgres';
SET LOCAL bytea_output = 'hex';
SET LOCAL extra_float_digits = 1${binds.length === 0 ? "" : `;\nSAVEPOINT ${BEFORE_STATEMENT}`}`;
}
