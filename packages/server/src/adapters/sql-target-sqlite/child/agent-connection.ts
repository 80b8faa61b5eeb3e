import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { StatementError } from "../../../plans/ports.js";
import { SCHEMA_CHANGED, type AdmittedStatement, type StatementDescription } from "../protocol.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { toSqliteBinds } from "./binds.js";
import { Catalog } from "./catalog.js";
import { ChangeCounter, ReportedChanges } from "./change-counter.js";
import { toStatementError } from "./failure.js";
import { Guard, type AuthorizerCall, type Watch } from "./guard.js";
import { withoutRows, type RowsResult } from "../../sql-target/result-rows.js";
import { requireFewColumns, type ChangedRows } from "../../sql-target/statement-limits.js";
import { RowsJson, type SqliteCell } from "./rows-json.js";
import { SchemaObjects } from "./schema-objects.js";
import { touchedData } from "./touched-data.js";

/** A statement that the engine has compiled. */
interface CompiledStatement {
  readonly prepared: StatementSyncInstance;
  /** Names of its columns; empty when it returns no rows. */
  columns: readonly string[];
  /**
   * Whether the engine compiled something while it ran: the statement itself again, or statements
   * of a virtual table.
   */
  isCompiledAnew: boolean;
  /** What the engine has reported about the changes of rows. */
  readonly changes: ReportedChanges;
}

/** The service's own statements about the schema. */
interface SchemaStatements {
  readonly reads: StatementSyncInstance;
  readonly version: StatementSyncInstance;
}

/** Number of cached compiled statements; an agent repeats a few statements many times. */
const STATEMENTS_KEPT_MAX = 200;

/** Runs agents' statements on one connection, each restricted to its intent. */
export class AgentConnection {
  readonly #db: DatabaseSyncInstance;
  readonly #guard: Guard;
  readonly #catalog: Catalog;
  #ofSchema: SchemaStatements | undefined;
  #counter: ChangeCounter | undefined;
  /** By intent, number of values, version of the schema and text, least recently used first. */
  readonly #compiled = new RecentMap<CompiledStatement>(STATEMENTS_KEPT_MAX);

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    this.#guard = new Guard(db);
    this.#catalog = new Catalog(db);
  }

  /**
   * Runs a statement to its end.
   * @throws StatementError; its transaction is then still open, or rolled back by the engine.
   */
  run(statement: AdmittedStatement): RowsResult {
    const compiled = this.#find(statement);
    requireFewColumns(compiled.columns.length);
    const values = toSqliteBinds(statement.binds);
    const { observe } = compiled.changes;
    const running = { phase: "running", shadowTables: NO_TABLES, observe } as const;
    this.#guard.watch({ ...watchOf(statement), ...running });
    try {
      return compiled.columns.length === 0
        ? change(statement, compiled, values)
        : this.#query(compiled, values);
    } catch (error) {
      throw this.#failure(error, statement);
    } finally {
      // The engine compiled it again, so the meaning of `*` may have changed.
      if (this.#guard.consulted) {
        compiled.columns = columnsOf(compiled.prepared);
        compiled.isCompiledAnew = true;
      }
      this.#guard.relax();
    }
  }

  /** Runs a write to its end, and counts the rows that it changes. @throws as {@link run}. */
  runCounted(statement: AdmittedStatement): {
    readonly result: RowsResult;
    readonly changed: ChangedRows;
  } {
    this.#counter ??= new ChangeCounter(this.#db);
    const before = this.#counter.total();
    const result = this.run(statement);
    const { changes } = this.#find(statement);
    return { result, changed: this.#counter.since(before, statement, changes) };
  }

  /**
   * Runs a statement that this connection has compiled under the schema version of its description,
   * without checking that version: when the schema has changed, the engine compiles the statement
   * again by itself and calls the guard.
   * @returns `undefined` when the version must be checked: the statement runs for the first time,
   * or something was compiled while it ran.
   * @throws StatementError
   */
  runAgain(statement: AdmittedStatement): RowsResult | undefined {
    const compiled = this.#compiled.get(keyOf(statement));
    if (compiled === undefined || compiled.isCompiledAnew) return undefined;
    try {
      const result = this.run(statement);
      return this.#guard.consulted ? undefined : result;
    } catch (error) {
      if (this.#guard.consulted) return undefined;
      throw error;
    }
  }

  /**
   * Refuses a statement whose description is for another schema version than that of the open
   * transaction, in which it runs next.
   * @throws StatementError
   */
  requireSchema({ schemaVersion }: AdmittedStatement): void {
    if (schemaVersion === undefined || this.#schemaVersion() === schemaVersion) return;
    throw new StatementError("rolled_back", SCHEMA_CHANGED);
  }

  /** Describes the data that a statement touches, without running it. @throws StatementError */
  describe(statement: AdmittedStatement): StatementDescription {
    const schemaVersion = this.#schemaVersion();
    const accesses = new Map<string, AuthorizerCall>();
    const observe = (access: AuthorizerCall): void => {
      const { action, first, second, trigger } = access;
      accesses.set(JSON.stringify([action, first, second, trigger]), access);
    };
    this.#prepare(statement, observe);
    const touched = touchedData(accesses.values(), statement, new SchemaObjects(this.#db));
    return { schemaVersion, touched };
  }

  /** Does work in a read transaction, in which neither rows nor the schema change. */
  inSnapshot<Result>(work: () => Result): Result {
    this.#db.exec("BEGIN");
    try {
      return work();
    } finally {
      if (this.#db.isTransaction) this.#db.exec("COMMIT");
    }
  }

  /**
   * The schema version of the open transaction; the connection has loaded this schema afterwards.
   */
  #schemaVersion(): number {
    try {
      this.#ofSchema ??= {
        // Runs before the version is read: it makes the connection notice an outdated schema and
        // reload it.
        reads: this.#db.prepare("SELECT 1 FROM main.sqlite_schema LIMIT 1"),
        version: this.#db.prepare("PRAGMA main.schema_version"),
      };
      this.#ofSchema.reads.get();
      // The pragma has this column.
      return (this.#ofSchema.version.get() as { readonly schema_version: number }).schema_version;
    } catch (error) {
      throw toStatementError(error, {
        statement: NO_STATEMENT,
        denial: undefined,
        catalog: this.#catalog,
      });
    }
  }

  #find(statement: AdmittedStatement): CompiledStatement {
    return this.#compiled.getOrMake(keyOf(statement), () => this.#compile(statement));
  }

  #compile(statement: AdmittedStatement): CompiledStatement {
    const changes = new ReportedChanges();
    const prepared = this.#prepare(statement, changes.observe);
    const columns = columnsOf(prepared);
    prepared.setReadBigInts(columns.length > 0);
    prepared.setReturnArrays(true);
    return { prepared, columns, isCompiledAnew: false, changes };
  }

  #prepare(
    statement: AdmittedStatement,
    observe?: (access: AuthorizerCall) => void,
  ): StatementSyncInstance {
    try {
      const shadowTables = this.#catalog.shadowTables();
      this.#guard.watch({
        ...{ ...watchOf(statement), phase: "preparing", shadowTables },
        ...(observe === undefined ? {} : { observe }),
      });
      return this.#db.prepare(statement.sql);
    } catch (error) {
      throw this.#failure(error, statement);
    } finally {
      this.#guard.relax();
    }
  }

  #query(compiled: CompiledStatement, values: readonly SqliteCell[]): RowsResult {
    let rows: RowsJson | undefined;
    // Row by row, because a result may be endless.
    for (const row of compiled.prepared.iterate(...values)) {
      if (this.#guard.consulted && rows === undefined)
        compiled.columns = columnsOf(compiled.prepared);
      rows ??= new RowsJson(compiled.columns);
      // The driver is configured to return rows as arrays of cells.
      if (!rows.add(row as SqliteCell[])) break;
    }
    return (rows ?? new RowsJson(compiled.columns)).finish();
  }

  #failure(error: unknown, statement: AdmittedStatement): StatementError {
    const { denial } = this.#guard;
    // The next statements are the queries of the hints.
    this.#guard.relax();
    return toStatementError(error, { statement, denial, catalog: this.#catalog });
  }
}

/**
 * Stands in for the statement in the error for a lock that prevents reading the schema; nothing was
 * changed.
 */
const NO_STATEMENT: AdmittedStatement = {
  ...{ sql: "", binds: [], intent: "read_select", statementClass: "read_select", tables: [] },
};

function watchOf({
  intent,
  statementClass,
}: AdmittedStatement): Pick<Watch, "intent" | "changesSchema"> {
  return { intent, changesSchema: statementClass === "admin" };
}

const NO_TABLES: ReadonlySet<string> = new Set();

/**
 * The driver keeps the previous value of a parameter that gets none. So a compiled statement is
 * only reused with the same number of values.
 */
function keyOf({ sql, intent, binds, schemaVersion }: AdmittedStatement): string {
  return `${intent} ${String(binds.length)} ${String(schemaVersion ?? "")} ${sql}`;
}

function change(
  statement: AdmittedStatement,
  { prepared }: CompiledStatement,
  values: readonly SqliteCell[],
): RowsResult {
  const { changes } = prepared.run(...values);
  // After a change of the schema the engine still returns the count of the previous statement.
  return withoutRows(statement.statementClass === "admin" ? 0 : changes);
}

function columnsOf(prepared: StatementSyncInstance): readonly string[] {
  return prepared.columns().map((column) => column.name);
}
