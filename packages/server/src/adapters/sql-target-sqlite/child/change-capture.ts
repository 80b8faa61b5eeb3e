import { randomBytes } from "node:crypto";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { assert } from "@steward/kernel/assert.js";
import type { PreviewedTable, StatementPreview } from "../../../plans/ports.js";
import { PREVIEW_COLUMNS_MAX } from "../../limits.js";
import { ChangeSample, rowObject } from "../../sql-target/change-sample.js";
import { sqliteCellJson, type SqliteCell } from "./rows-json.js";

/** What a trigger reports to {@link ChangeCapture}. */
type Report =
  | "inserted"
  | "updated"
  | "deleted"
  /** A row is about to be inserted or updated. */
  | "begin"
  /** A row that a REPLACE would delete for the row that is about to be written. */
  | "conflict";

/** A table with triggers; `columns` are those that are shown. */
interface CapturedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Reports the rows that a statement changes, in all tables: also by foreign keys and by the
 * tables' own triggers. Temporary triggers, which belong to this connection alone, pass the old and new
 * rows to a function of this process. The rollback of the transaction removes the triggers.
 */
export class ChangeCapture {
  readonly #db: DatabaseSyncInstance;
  /** Statements cannot call it, because they cannot know its name. */
  readonly #functionName = `preview_${randomBytes(16).toString("hex")}`;
  #tables: readonly CapturedTable[] = [];
  #sample: ChangeSample | undefined;
  /** Rows that a REPLACE deletes if the row is written: SQLite runs no trigger for them. */
  #conflicts: string[] = [];

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    const options = { varargs: true, useBigIntArguments: true };
    db.function(
      this.#functionName,
      options,
      (table: bigint, report: Report, ...row: SqliteCell[]) => {
        this.#receive(Number(table), report, row);
        return null;
      },
    );
  }

  /**
   * Begins to report, within an open transaction.
   * @param sql the statement that runs next.
   */
  begin(
    tables: readonly PreviewedTable[],
    sql: string,
  ): { readonly finish: () => Omit<StatementPreview, "rowsChanged"> } {
    const sample = new ChangeSample();
    const found = tables.map((table) => this.#tableOf(table));
    this.#tables = found.flatMap((table) => (table === undefined ? [] : [table]));
    this.#sample = sample;
    this.#conflicts = [];
    for (const [index, table] of this.#tables.entries()) this.#watch(table, index, sql);
    const unwatched = tables.filter((_, index) => found[index] === undefined);
    const notes = unwatched.map(
      ({ name }) => `Changes of ${name} are not shown: it is a view or a virtual table`,
    );
    return { finish: () => ({ ...sample.finish(), notes }) };
  }

  /** Ends the report. The caller rolls back the transaction. */
  end(): void {
    this.#sample = undefined;
    this.#tables = [];
    this.#conflicts = [];
  }

  #receive(index: number, report: Report, row: readonly SqliteCell[]): void {
    if (report === "begin") this.#conflicts = [];
    const sample = this.#sample;
    const table = this.#tables[index];
    if (report === "begin" || sample === undefined || table === undefined || sample.isFull) return;
    const { name, columns } = table;
    const objectFrom = (start: number): string => {
      const cells = row.slice(start, start + columns.length);
      return rowObject(columns, cells.map(sqliteCellJson));
    };
    if (report === "conflict") {
      this.#conflicts.push(objectFrom(0));
      return;
    }
    if (report !== "deleted") {
      for (const before of this.#conflicts) sample.add({ table: name, before });
      this.#conflicts = [];
    }
    if (report === "deleted") sample.add({ table: name, before: objectFrom(0) });
    else if (report === "inserted") sample.add({ table: name, after: objectFrom(0) });
    else sample.add({ table: name, before: objectFrom(0), after: objectFrom(columns.length) });
  }

  /** @returns undefined for what can have no such triggers. */
  #tableOf({ name, columns }: PreviewedTable): CapturedTable | undefined {
    const shown = new Set(columns);
    const rows = this.#rows<{ readonly table: string; readonly column: string }>(
      `SELECT t.name AS "table", c.name AS "column"
       FROM pragma_table_list t, pragma_table_xinfo(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND lower(t.name) = ? AND c.hidden <> 1`,
      name,
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const names = rows.map(({ column }) => column).filter((each) => shown.has(lower(each)));
    return { name: first.table, columns: names.slice(0, PREVIEW_COLUMNS_MAX) };
  }

  #watch({ name, columns }: CapturedTable, index: number, sql: string): void {
    const table = quoted(name);
    const cells = (row: "old" | "new"): readonly string[] =>
      columns.map((column) => `${row}.${quoted(column)}`);
    const call = (report: Report, values: readonly string[] = []): string =>
      `SELECT ${this.#functionName}(${[String(index), `'${report}'`, ...values].join(", ")})`;
    const watch = (event: string, ...calls: readonly string[]): void => {
      const trigger = quoted(`${this.#functionName} ${String(index)} ${event}`);
      this.#db.exec(
        `CREATE TEMP TRIGGER ${trigger} ${event} ON main.${table} BEGIN ${calls.join("; ")}; END`,
      );
    };
    watch("AFTER INSERT", call("inserted", cells("new")));
    watch("AFTER UPDATE", call("updated", [...cells("old"), ...cells("new")]));
    watch("AFTER DELETE", call("deleted", cells("old")));
    const keys = mayReplace(sql) ? this.#uniqueKeys(name) : [];
    if (keys.length === 0) return;
    const found = call(
      "conflict",
      columns.map((column) => `t.${quoted(column)}`),
    );
    const conflicts = `${found} FROM main.${table} AS t WHERE (${keys.map(conflictOf).join(" OR ")})`;
    watch("BEFORE INSERT", call("begin"), conflicts);
    const [identity] = keys;
    assert(identity !== undefined, "there is a key");
    const isOther = `NOT (${identity.map((column) => same(column, "old")).join(" AND ")})`;
    watch("BEFORE UPDATE", call("begin"), `${conflicts} AND ${isOther}`);
  }

  /** The columns of each unique key that covers all rows, the primary key first. */
  #uniqueKeys(table: string): readonly (readonly KeyColumn[])[] {
    const rowid = this.#rows<KeyColumn>(
      `SELECT name, 'BINARY' AS collation FROM pragma_table_info(?1) c
       WHERE pk = 1 AND lower(type) = 'integer'
         AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk')
         AND (SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0) = 1`,
      table,
    );
    const indexed = this.#rows<KeyColumn & { readonly index: string }>(
      `SELECT l.name AS "index", i.name, i.coll AS collation
       FROM pragma_index_list(?1) l, pragma_index_xinfo(l.name) i
       WHERE l."unique" = 1 AND l.partial = 0 AND i.key = 1
         AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(l.name) WHERE key = 1 AND name IS NULL)
       ORDER BY l.origin <> 'pk', l.seq, i.seqno`,
      table,
    );
    const keys = new Map<string, KeyColumn[]>();
    for (const { index, ...column } of indexed) {
      keys.set(index, [...(keys.get(index) ?? []), column]);
    }
    return [...(rowid.length === 0 ? [] : [rowid]), ...keys.values()];
  }

  #rows<Row>(sql: string, ...params: readonly string[]): readonly Row[] {
    // Each query names the columns of its rows.
    const rows: unknown = this.#db.prepare(sql).all(...params);
    return rows as readonly Row[];
  }
}

interface KeyColumn {
  readonly name: string;
  readonly collation: string;
}

/** Whether a statement may delete rows that stand in the way of those that it writes. */
function mayReplace(sql: string): boolean {
  return /\breplace\b/i.test(sql);
}

function conflictOf(key: readonly KeyColumn[]): string {
  return key.map((column) => same(column, "new")).join(" AND ");
}

function same({ name, collation }: KeyColumn, row: "old" | "new"): string {
  return `t.${quoted(name)} = ${row}.${quoted(name)} COLLATE ${quoted(collation)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** As SQLite's `lower`, which the touched tables are named with. */
function lower(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
