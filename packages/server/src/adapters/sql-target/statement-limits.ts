import type { StatementClass } from "../../governance/index.js";
import { RESULT_COLUMNS_MAX } from "../../plans/limits.js";
import { StatementError } from "../../plans/ports.js";

/** @throws StatementError when a result has too many columns. */
export function requireFewColumns(count: number): void {
  if (count <= RESULT_COLUMNS_MAX) return;
  const message = `The result has ${count} columns; at most ${RESULT_COLUMNS_MAX} can be read: name those you need`;
  throw new StatementError("statement", message);
}

/**
 * Called before a write is committed; an error rolls it back.
 * @param rowsMax rows that one write may change.
 * @throws StatementError when it has changed more.
 */
export function requireFewRows(
  rowCount: number,
  statementClass: StatementClass,
  rowsMax: number,
): void {
  // A read that runs as a write counts its result rows, which are not changes.
  if (statementClass === "read_select" || rowCount <= rowsMax) return;
  const message =
    `The statement changed ${rowCount} rows; at most ${rowsMax} may change in one step ` +
    "(SERVICE_ROWS_CHANGED_MAX, or a policy), so nothing was changed. Change them in several steps, each with a narrower WHERE";
  throw new StatementError("statement", message);
}
