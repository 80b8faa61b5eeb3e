import type { StatementClass } from "../../governance/index.js";
import { RESULT_ROWS_COUNTED_MAX } from "../../kernel/limits.js";
import { StatementError, type StatementRequest } from "../../plans/ports.js";
import { ResultRows, type RowsResult } from "../result-rows.js";
import { cellJson } from "./cell-json.js";
import { PORTAL, type PortalResult } from "./portal-query.js";
import type { Session } from "./session.js";
import type { TypeCatalog } from "./type-catalog.js";

/** Runs a statement in the transaction that is open, and builds the output of what it returns. */
export async function runStatement(
  session: Session,
  { sql, binds }: Pick<StatementRequest, "sql" | "binds">,
  statementClass: StatementClass,
  types: TypeCatalog,
): Promise<RowsResult> {
  const result = await runInBounds(session, { sql, binds });
  if (result.columns === undefined) {
    const rowCount = statementClass === "admin" ? 0 : result.rowsChanged;
    return { rowCount, outputJson: "[]", rowsKept: rowCount, rowCountIsLowerBound: false };
  }
  const columns = result.columns;
  const oids = columns.map((column) => column.type);
  await types.learn(oids, session);
  const rows = new ResultRows<string | null>(
    columns.map((column) => column.name),
    (cell, column) => cellJson(cell, oids[column] ?? 0, types),
  );
  for (const row of result.rows) rows.add(row);
  // Counting the others on the server spares sending them.
  const counted = result.isComplete
    ? 0
    : await session.command(`MOVE FORWARD ${RESULT_ROWS_COUNTED_MAX} IN ${PORTAL}`);
  rows.addUnseen(
    result.rowsSeen - result.rows.length + counted,
    counted === RESULT_ROWS_COUNTED_MAX,
  );
  return rows.finish();
}

async function runInBounds(
  session: Session,
  { sql, binds }: Pick<StatementRequest, "sql" | "binds">,
): Promise<PortalResult> {
  try {
    return await session.run(sql, binds);
  } catch (error) {
    if (!session.isRowTooLarge) throw error;
    const message = "A row of the result is too large: select fewer or shorter columns";
    throw new StatementError("statement", message, { cause: error });
  }
}
