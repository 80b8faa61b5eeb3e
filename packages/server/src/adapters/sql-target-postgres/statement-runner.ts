import { RESULT_ROWS_COUNTED_MAX } from "../../plans/limits.js";
import {
  isJsonType,
  StatementError,
  type ColumnType,
  type StatementRequest,
} from "../../plans/ports.js";
import type { KnownStatement } from "../sql-target/admission.js";
import {
  ResultRows,
  withoutRows,
  type CellWriter,
  type RowsResult,
} from "../sql-target/result-rows.js";
import { requireFewColumns } from "../sql-target/statement-limits.js";
import { cellJson } from "./cell-json.js";
import { FunctionCheck } from "./function-check.js";
import { parametersFor, runTyped, type Parameters } from "./parameters.js";
import { PORTAL, type Column, type FetchLimits, type PortalResult } from "./portal-query.js";
import type { Session } from "./session.js";
import type { TypeCatalog } from "./type-catalog.js";

/** The role of an organization's statements; undefined for the login role. */
export type RoleOf = (orgId: string) => string | undefined;

/** A statement with its values, its intent and its caller. */
type BoundRequest = Pick<StatementRequest, "sql" | "binds" | "intent" | "caller">;

/** Runs statements and builds their output. */
export class StatementRunner {
  readonly #types: TypeCatalog;
  readonly #functions = new FunctionCheck();

  readonly #roleOf: RoleOf;

  constructor(types: TypeCatalog, roleOf: RoleOf) {
    this.#types = types;
    this.#roleOf = roleOf;
  }

  /**
   * Runs a statement in the open transaction.
   * @throws StatementError `intent` when the statement calls a function that its intent does not
   * cover; other errors of the statement.
   */
  async run(
    session: Session,
    request: BoundRequest,
    statement: KnownStatement,
  ): Promise<RowsResult> {
    const result = await this.fetch(session, request, statement);
    if (result.columns !== undefined) {
      requireFewColumns(result.columns.length);
      return this.#output(session, result, result.columns);
    }
    return withoutRows(statement.statementClass === "admin" ? 0 : result.rowsChanged);
  }

  /**
   * Like {@link run}, without building the output. The portal stays open for the remaining rows.
   * @param limits absent: enough rows for any output.
   */
  async fetch(
    session: Session,
    { sql, binds, intent, caller }: BoundRequest,
    statement: KnownStatement,
    limits?: FetchLimits,
  ): Promise<PortalResult> {
    await this.requireFunctions(session, { intent, caller }, statement);
    const parameters = await parametersFor(binds, this.#types, session);
    return runInBounds(session, sql, parameters, limits);
  }

  /** @throws StatementError `intent` when the statement calls a function that its intent does not cover. */
  requireFunctions(
    session: Session,
    { intent, caller }: Pick<BoundRequest, "intent" | "caller">,
    statement: KnownStatement,
  ): Promise<void> {
    const asked = { intent, role: this.#roleOf(caller.orgId) };
    return this.#functions.require(session, statement, asked);
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
      new PostgresCells(oids, this.#types),
    );
    for (const row of result.rows) rows.add(row);
    // The remaining rows are counted on the server, so that they need not be sent.
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

/** Serializes cells, and records the types of their columns. */
class PostgresCells implements CellWriter<string | null> {
  readonly #oids: readonly number[];
  readonly #types: TypeCatalog;
  /** By column: the rows whose value is a JSON null. */
  readonly #jsonNulls = new Map<number, number[]>();
  readonly #jsonColumns: readonly number[];
  #rowCount = 0;

  constructor(oids: readonly number[], types: TypeCatalog) {
    this.#oids = oids;
    this.#types = types;
    this.#jsonColumns = [...oids.keys()].filter((column) => isJsonType(oids[column] ?? 0));
  }

  json(cell: string | null, column: number): string {
    return cellJson(cell, this.#oids[column] ?? 0, this.#types);
  }

  bytesMin(cell: string | null): number {
    // A lower bound: the JSON of a value may be shorter than PostgreSQL's text, but never by more
    // than half.
    return cell === null ? 4 : cell.length / 2;
  }

  kept(row: readonly (string | null)[]): void {
    for (const column of this.#jsonColumns) {
      if (row[column]?.trim() !== "null") continue;
      const rows = this.#jsonNulls.get(column) ?? [];
      rows.push(this.#rowCount);
      this.#jsonNulls.set(column, rows);
    }
    this.#rowCount += 1;
  }

  types(names: readonly string[]): readonly ColumnType[] {
    return this.#oids.flatMap((oid, column) => {
      const type = this.#types.recordOf(oid);
      const name = names[column];
      if (type === undefined || name === undefined || this.#rowCount === 0) return [];
      const jsonNulls = this.#jsonNulls.get(column);
      return [{ name, type, ...(jsonNulls === undefined ? {} : { jsonNulls }) }];
    });
  }
}

async function runInBounds(
  session: Session,
  sql: string,
  parameters: Parameters,
  limits: FetchLimits | undefined,
): Promise<PortalResult> {
  try {
    return await runTyped(session, sql, parameters, limits);
  } catch (error) {
    if (!session.isRowTooLarge) throw error;
    const message = "A row of the result is too large: select fewer or shorter columns";
    throw new StatementError("statement", message, { cause: error });
  }
}
