import type { StatementGrant } from "../../governance/index.js";
import { RESULT_COLUMNS_MAX } from "../../plans/limits.js";
import { StatementError, type StatementRequest } from "../../plans/ports.js";

/** @throws StatementError when a result has too many columns. */
export function requireFewColumns(count: number): void {
  if (count <= RESULT_COLUMNS_MAX) return;
  const message = `The result has ${count} columns; at most ${RESULT_COLUMNS_MAX} can be read: name those you need`;
  throw new StatementError("statement", message);
}

/** The rows that a transaction has changed, by the counters of the database itself. */
export interface ChangedRows {
  /** With the rows that foreign keys and triggers have changed. */
  readonly rows: number;
  /** What has changed rows that the database does not count, as in "TRUNCATE"; absent: nothing. */
  readonly uncounted?: string | undefined;
}

/** How many rows a write may change. */
export interface RowLimits extends Pick<StatementRequest, "rowsChangedMax" | "mayChangeUncounted"> {
  /** The limit of the data source. */
  readonly rowsMax: number;
}

/** The limits of a statement that policies have permitted: the lowest ones count. */
export function limitsOf(
  grant: Pick<StatementGrant, "rowsChangedMax" | "mayChangeUncounted">,
  request: Pick<StatementRequest, "rowsChangedMax" | "mayChangeUncounted">,
): Omit<RowLimits, "rowsMax"> {
  const lowest = Math.min(grant.rowsChangedMax ?? Infinity, request.rowsChangedMax ?? Infinity);
  return {
    rowsChangedMax: lowest === Infinity ? undefined : lowest,
    mayChangeUncounted: grant.mayChangeUncounted ?? request.mayChangeUncounted,
  };
}

/**
 * Called before a write is committed; an error rolls it back. Changes that are not counted exceed every
 * limit, except that of the data source where a policy permits them.
 * @throws StatementError when it has changed more.
 */
export function requireFewRows(changed: ChangedRows, limits: RowLimits): void {
  const { rowsChangedMax = Infinity, mayChangeUncounted = false } = limits;
  const rowsMax = Math.min(rowsChangedMax, limits.rowsMax);
  const { rows, uncounted } = changed;
  if (uncounted !== undefined && (!mayChangeUncounted || rowsChangedMax < Infinity)) {
    const message =
      `The rows that ${uncounted} changes are not counted by the database, and at most ${rowsMax} may change in one step, ` +
      "so nothing was changed. Change them by INSERT, UPDATE or DELETE, or ask for a policy with " +
      '@approval and @rows_changed_max("unlimited"), which lets a person approve the statement';
    throw new StatementError("statement", message);
  }
  if (rows <= rowsMax) return;
  const message =
    `The statement changed ${rows} rows; at most ${rowsMax} may change in one step, with those that foreign keys and triggers change ` +
    "(SERVICE_ROWS_CHANGED_MAX, a policy, or what was approved), so nothing was changed. Change them in several steps, each with a narrower WHERE";
  throw new StatementError("statement", message);
}
