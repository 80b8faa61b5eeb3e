import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type RowQuestion, rowsWouldChange } from "../../schema/index.js";

/**
 * Asks the rows whether values would change.
 * @throws AppError `APPROVAL_REQUIRED` with how many, and some of them.
 */
export function refuseChangedRows(db: DatabaseSyncInstance, check: RowQuestion): void {
  // The columns that the queries name.
  const { count } = db.prepare(check.count).get() as { readonly count: number };
  if (count === 0) return;
  const rows = db.prepare(check.examples).all() as { readonly example: string }[];
  throw rowsWouldChange(
    check,
    String(count),
    rows.map(({ example }) => example),
  );
}
