import {
  constants,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "@photostructure/sqlite";
import type { ChangedRows } from "../../sql-target/statement-limits.js";
import type { AdmittedStatement } from "../protocol.js";
import type { AuthorizerCall } from "./guard.js";
import { REPLACE } from "./schema-text.js";

/** Actions that change rows which SQLite does not count, by what a statement calls them. */
const UNCOUNTED: ReadonlyMap<number, string> = new Map([
  [constants.SQLITE_DROP_TABLE, "DROP TABLE"],
  [constants.SQLITE_DROP_VTABLE, "DROP TABLE"],
  [constants.SQLITE_ALTER_TABLE, "ALTER TABLE"],
]);

const CHANGES: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);

/** What the engine reports about a statement's changes of rows while it compiles the statement. */
export class ReportedChanges {
  /** In lower case, with those that triggers and foreign keys change. */
  readonly tables: Set<string> = new Set();
  uncounted: string | undefined;
  #creates: "table" | "virtual table" | undefined;

  readonly observe: (call: AuthorizerCall) => void = ({ action, first }) => {
    this.uncounted ??= UNCOUNTED.get(action);
    if (CHANGES.has(action)) this.tables.add(first?.toLowerCase() ?? "");
    // A virtual table creates its shadow tables, and may read them at once.
    if (action === constants.SQLITE_CREATE_VTABLE) this.#creates = "virtual table";
    if (action === constants.SQLITE_CREATE_TABLE) this.#creates ??= "table";
    if (action === constants.SQLITE_SELECT && this.#creates === "table") {
      this.uncounted ??= "CREATE TABLE AS";
    }
  };
}

/**
 * Counts the rows that statements change, by SQLite's counter of all changes of a connection
 * (https://sqlite.org/c3ref/total_changes.html). It includes triggers and the actions of foreign keys,
 * but not the rows that REPLACE deletes: for these the highest possible number is counted.
 */
export class ChangeCounter {
  readonly #db: DatabaseSyncInstance;
  readonly #counts: StatementSyncInstance;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    this.#counts = db.prepare("SELECT total_changes() AS total, changes() AS direct");
  }

  /** Rows changed since the connection was opened. */
  total(): number {
    return this.#read().total;
  }

  /** @param before the total before the statement ran. */
  since(before: number, statement: AdmittedStatement, changes: ReportedChanges): ChangedRows {
    const { total, direct } = this.#read();
    const counted = total - before;
    const uncounted = changes.uncounted ?? this.#indexCommand(statement);
    const tables = JSON.stringify([...changes.tables]);
    const replacing = this.#isReplacing(tables)
      ? counted
      : REPLACE.test(statement.sql)
        ? Math.min(direct, counted)
        : 0;
    return { rows: counted + (replacing === 0 ? 0 : replacing * this.#keysOf(tables)), uncounted };
  }

  #read(): { readonly total: number; readonly direct: number } {
    // The query has these columns.
    return this.#counts.get() as { readonly total: number; readonly direct: number };
  }

  /** A command of a full-text index may delete all of its rows (https://sqlite.org/fts5.html, §6). */
  #indexCommand({ insertedColumns = [], tables }: AdmittedStatement): string | undefined {
    const named = tables.map((table) => table.toLowerCase());
    const [name] = insertedColumns.filter((column) => named.includes(column));
    if (name === undefined) return undefined;
    const sql = "SELECT 1 FROM pragma_table_list WHERE lower(name) = ? AND type = 'virtual'";
    const isIndex = this.#db.prepare(sql).get(name) !== undefined;
    return isIndex ? `a command of the full-text index ${name}` : undefined;
  }

  /** Whether the definition of a table or of one of its triggers says REPLACE. */
  #isReplacing(tables: string): boolean {
    const defined = `SELECT group_concat(sql, ' ') AS sql FROM main.sqlite_schema
      WHERE lower(tbl_name) IN (SELECT value FROM json_each(?)) AND sql LIKE '%replace%'`;
    // The query has this column.
    const found = this.#db.prepare(defined).get(tables) as { readonly sql: string | null };
    return found.sql !== null && REPLACE.test(found.sql);
  }

  /** The highest number of unique keys of a table: a new row replaces at most one row for each. */
  #keysOf(tables: string): number {
    const sql = `SELECT coalesce(max(keys), 0) AS keys FROM (
      SELECT 1 + (SELECT count(*) FROM pragma_index_list(value) WHERE "unique" = 1) AS keys
      FROM json_each(?))`;
    // The query has this column.
    return (this.#db.prepare(sql).get(tables) as { readonly keys: number }).keys;
  }
}
