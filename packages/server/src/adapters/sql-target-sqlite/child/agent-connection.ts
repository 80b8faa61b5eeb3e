import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { StatementError } from "../../../plans/ports.js";
import type { AdmittedStatement } from "../protocol.js";
import { RecentMap } from "../../../kernel/recent-map.js";
import { toSqliteBinds } from "./binds.js";
import { Catalog } from "./catalog.js";
import { toStatementError } from "./failure.js";
import { Guard } from "./guard.js";
import { withoutRows, type RowsResult } from "../../result-rows.js";
import { requireFewColumns } from "../../statement-limits.js";
import { RowsJson, type SqliteCell } from "./rows-json.js";

/** A statement as the engine compiled it. */
interface CompiledStatement {
  readonly prepared: StatementSyncInstance;
  /** Names of its columns; empty when it returns no rows. */
  columns: readonly string[];
}

/** Statements kept compiled; an agent repeats a few many times. */
const STATEMENTS_KEPT_MAX = 200;

/** Runs agents' statements on one connection, each under its intent and nothing more. */
export class AgentConnection {
  readonly #db: DatabaseSyncInstance;
  readonly #guard: Guard;
  readonly #catalog: Catalog;
  /** By intent, number of values and text, least recently used first. */
  readonly #compiled = new RecentMap<CompiledStatement>(STATEMENTS_KEPT_MAX);

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    this.#guard = new Guard(db);
    this.#catalog = new Catalog(db);
  }

  /**
   * Runs a statement to its end.
   * @throws StatementError; a transaction it ran in is then still open, or rolled back by the engine.
   */
  run(statement: AdmittedStatement): RowsResult {
    const compiled = this.#find(statement);
    requireFewColumns(compiled.columns.length);
    const values = toSqliteBinds(statement.binds);
    this.#guard.watch({ intent: statement.intent, phase: "running", shadowTables: NO_TABLES });
    try {
      return compiled.columns.length === 0
        ? change(statement, compiled, values)
        : this.#query(compiled, values);
    } catch (error) {
      throw this.#failure(error, statement);
    } finally {
      // Had to be compiled anew: what `*` stands for may have changed.
      if (this.#guard.consulted) compiled.columns = columnsOf(compiled.prepared);
      this.#guard.relax();
    }
  }

  #find(statement: AdmittedStatement): CompiledStatement {
    const { sql, intent, binds } = statement;
    // The driver leaves a parameter that gets no value at what it was in the last run: a compiled
    // statement is only ever given as many values as the first time.
    const key = `${intent} ${binds.length} ${sql}`;
    return this.#compiled.getOrMake(key, () => this.#compile(statement));
  }

  #compile(statement: AdmittedStatement): CompiledStatement {
    try {
      const shadowTables = this.#catalog.shadowTables();
      this.#guard.watch({ intent: statement.intent, phase: "preparing", shadowTables });
      const prepared = this.#db.prepare(statement.sql);
      const columns = columnsOf(prepared);
      prepared.setReadBigInts(columns.length > 0);
      prepared.setReturnArrays(true);
      return { prepared, columns };
    } catch (error) {
      throw this.#failure(error, statement);
    } finally {
      this.#guard.relax();
    }
  }

  #query(compiled: CompiledStatement, values: readonly SqliteCell[]): RowsResult {
    let rows: RowsJson | undefined;
    // One row at a time: a result may have no end.
    for (const row of compiled.prepared.iterate(...values)) {
      if (this.#guard.consulted && rows === undefined)
        compiled.columns = columnsOf(compiled.prepared);
      rows ??= new RowsJson(compiled.columns);
      // The driver's rows are arrays of cells, as it was told.
      if (!rows.add(row as SqliteCell[])) break;
    }
    return (rows ?? new RowsJson(compiled.columns)).finish();
  }

  #failure(error: unknown, statement: AdmittedStatement): StatementError {
    const { denial } = this.#guard;
    // The hints' own queries come next.
    this.#guard.relax();
    return toStatementError(error, { statement, denial, catalog: this.#catalog });
  }
}

const NO_TABLES: ReadonlySet<string> = new Set();

function change(
  statement: AdmittedStatement,
  { prepared }: CompiledStatement,
  values: readonly SqliteCell[],
): RowsResult {
  const { changes } = prepared.run(...values);
  // After a change of the schema the engine still counts what came before it.
  return withoutRows(statement.statementClass === "admin" ? 0 : changes);
}

function columnsOf(prepared: StatementSyncInstance): readonly string[] {
  return prepared.columns().map((column) => column.name);
}
