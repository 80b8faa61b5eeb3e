import { RESULT_ROWS_COUNTED_MAX } from "../../kernel/limits.js";
import { StatementError, type StatementRequest } from "../../plans/ports.js";
import type { KnownStatement } from "../admission.js";
import { ResultRows, type RowsResult } from "../result-rows.js";
import { cellJson } from "./cell-json.js";
import { FunctionCheck } from "./function-check.js";
import { PORTAL, type Column, type PortalResult } from "./portal-query.js";
import type { Session } from "./session.js";
import { TypeCatalog } from "./type-catalog.js";

/** Runs statements, and builds the output of what they return. */
export class StatementRunner {
  readonly #types = new TypeCatalog();
  readonly #functions = new FunctionCheck();

  /**
   * Runs one in the transaction that is open.
   * @throws StatementError `intent` when it calls what its intent does not cover; or whatever failed.
   */
  async run(
    session: Session,
    { sql, binds, intent }: StatementRequest,
    statement: KnownStatement,
  ): Promise<RowsResult> {
    await this.#functions.require(session, statement, intent);
    const result = await runInBounds(session, { sql, binds });
    if (result.columns !== undefined) return this.#output(session, result, result.columns);
    const rowCount = statement.statementClass === "admin" ? 0 : result.rowsChanged;
    return { rowCount, outputJson: "[]", rowsKept: rowCount, rowCountIsLowerBound: false };
  }

  async #output(
    session: Session,
    result: PortalResult,
    columns: readonly Column[],
  ): Promise<RowsResult> {
    const oids = columns.map((column) => column.type);
    await this.#types.learn(oids, session);
    const rows = new ResultRows<string | null>(
      columns.map((column) => column.name),
      (cell, column) => cellJson(cell, oids[column] ?? 0, this.#types),
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
