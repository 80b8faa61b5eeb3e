import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type RowQuestion, rowsWouldChange } from "../index.js";

/**
 * Checks whether a statement would change values.
 * @throws AppError `APPROVAL_REQUIRED` with the number of values and examples.
 */
export function refuseChangedRows(db: DatabaseSyncInstance, check: RowQuestion): void {
  // The query returns these columns.
  const { count } = db.prepare(check.count).get() as { readonly count: number };
  if (count === 0) return;
  const rows = db.prepare(check.examples).all() as { readonly example: string }[];
  throw rowsWouldChange(
    check,
    String(count),
    rows.map(({ example }) => example),
  );
}
