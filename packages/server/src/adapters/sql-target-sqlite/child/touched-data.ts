import { constants } from "@photostructure/sqlite";
import type { DataAccess, TouchedData, TouchedTable } from "../../../governance/index.js";
import type { AdmittedStatement } from "../protocol.js";
import type { AuthorizerCall } from "./guard.js";
import { columnsJoined, REPLACE, wordsOf } from "./schema-text.js";
import type { SchemaObjects } from "./schema-objects.js";

/**
 * What a statement touches. Most of it comes from SQLite's authorizer calls, with views, triggers
 * and foreign keys resolved. SQLite does not report the columns of NATURAL JOIN and USING, the
 * inputs of generated columns, or the tables that a virtual table reads itself. For these the texts
 * of the definitions are searched; overestimating is safe.
 */
export function touchedData(
  accesses: Iterable<AuthorizerCall>,
  statement: AdmittedStatement,
  objects: SchemaObjects,
): TouchedData {
  const touched = new Touched(statement, objects);
  for (const access of accesses) touched.addReported(access);
  touched.addUnreported();
  const tables = touched.list();
  const definitions = objects.definitionsHash(tables.map(({ name }) => name));
  const varying = [...touched.varying];
  return { tables, functions: [], definitions, ...(varying.length === 0 ? {} : { varying }) };
}

/** Tables in which ANALYZE stores samples of other tables' values. */
const SAMPLES = /^sqlite_stat[34]$/;

/** The schema, statistics and table functions of pragmas, without the version that full-text indexes ask for. */
const DESCRIBES_DATABASE = /^(?:sqlite_|pragma_(?!data_version))/;

/** Functions whose results differ from run to run, those of times if they are asked for the present one. */
const VARYING: ReadonlySet<string> = new Set([
  ...["changes", "last_insert_rowid", "total_changes"],
  ...["random", "randomblob", "current_date", "current_time", "current_timestamp"],
  ...["date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch"],
]);

class Touched {
  readonly #statement: AdmittedStatement;
  readonly #objects: SchemaObjects;
  /** By table and kind of access. */
  readonly #tables = new Map<string, Map<DataAccess, Set<string>>>();
  /** The columns that the statement itself updates, by table; its triggers may update others. */
  readonly #updated = new Map<string, Set<string>>();
  readonly varying: Set<string> = new Set();

  constructor(statement: AdmittedStatement, objects: SchemaObjects) {
    this.#statement = statement;
    this.#objects = objects;
  }

  /** The arguments are described at https://sqlite.org/c3ref/c_alter_table.html */
  addReported({ action, first, second, trigger }: AuthorizerCall): void {
    const [table, other] = [first?.toLowerCase() ?? "", second?.toLowerCase() ?? ""];
    switch (action) {
      case constants.SQLITE_FUNCTION:
        if (VARYING.has(other)) this.varying.add(other);
        break;
      case constants.SQLITE_READ:
        if (DESCRIBES_DATABASE.test(table)) this.varying.add(table);
        if (this.#isGivenRowid(table, other)) this.varying.add(other);
        this.#add(table, "read", other === "" ? [] : [other]);
        break;
      case constants.SQLITE_UPDATE:
        this.#addReplaced(table, trigger);
        this.#add(table, "update", other === "" ? [] : [other]);
        if (trigger === null) {
          this.#updated.set(table, (this.#updated.get(table) ?? new Set()).add(other));
        }
        break;
      case constants.SQLITE_INSERT: {
        this.#addReplaced(table, trigger);
        const named = trigger === null ? this.#statement.insertedColumns : undefined;
        this.#add(table, "insert", named ?? this.#objects.columnsOf(table));
        break;
      }
      case constants.SQLITE_DELETE:
        this.#add(table, "delete", []);
        break;
      case constants.SQLITE_ANALYZE:
        this.#add(table, "read", this.#objects.columnsOf(table));
        break;
      case constants.SQLITE_ALTER_TABLE:
      case constants.SQLITE_CREATE_INDEX:
      case constants.SQLITE_CREATE_TRIGGER:
      case constants.SQLITE_DROP_INDEX:
      case constants.SQLITE_DROP_TRIGGER:
        this.#add(other, "define", this.#objects.columnsOf(other));
        break;
      case constants.SQLITE_CREATE_TABLE:
      case constants.SQLITE_CREATE_VIEW:
      case constants.SQLITE_CREATE_VTABLE:
      case constants.SQLITE_DROP_TABLE:
      case constants.SQLITE_DROP_VIEW:
      case constants.SQLITE_DROP_VTABLE:
        this.#add(table, "define", this.#objects.columnsOf(table));
        break;
    }
  }

  /** Whether SQLite itself numbers the rows: it calls no column of the table by this name. */
  #isGivenRowid(table: string, column: string): boolean {
    return column === "rowid" && !this.#objects.columnsOf(table).includes(column);
  }

  /** REPLACE deletes the rows that conflict with a new one, of which SQLite reports nothing. */
  #addReplaced(table: string, trigger: string | null): void {
    const { sql, statementClass } = this.#statement;
    // REPLACE of the statement holds in its triggers too.
    const isReplacing =
      (statementClass === "write_delete" && REPLACE.test(sql)) ||
      this.#objects.mayReplace(table) ||
      (trigger !== null && this.#objects.mayReplace(trigger.toLowerCase()));
    if (isReplacing) this.#add(table, "delete", []);
  }

  addUnreported(): void {
    const { sql, tables } = this.#statement;
    const names = tables.map((name) => name.toLowerCase());
    for (const name of names) if (!this.#tables.has(name)) this.#add(name, "read", []);
    this.#addJoined(sql, names);
    this.#addDefinitions();
    this.#addConstraints();
    if ([...this.#tables.keys()].some((name) => SAMPLES.test(name))) {
      for (const name of this.#objects.tables()) this.#readAll(name);
    }
    for (const [name, accesses] of this.#tables) {
      const read = accesses.get("read");
      if (this.#objects.generatedOf(name).some((column) => read?.has(column))) this.#readAll(name);
    }
  }

  /**
   * An UPDATE succeeds or fails by the other columns of the constraints, indexes and generated columns for which it
   * changes a column, and an INSERT by the defaults in unique indexes with expressions or a condition.
   */
  #addConstraints(): void {
    for (const [table, accesses] of this.#tables) {
      const inserted = accesses.get("insert");
      for (const columns of inserted ? this.#objects.partlyUniqueOf(table) : []) {
        const others = columns.filter((column) => !inserted?.has(column));
        if (others.length > 0) this.#add(table, "read", others);
      }
      for (const updated of [this.#updated.get(table), accesses.get("update")]) {
        if (updated === undefined) continue;
        for (const columns of this.#objects.constraintsOf(table)) {
          const others = columns.filter((column) => !updated.has(column));
          const isSet = others.length < columns.length;
          if (isSet && others.length > 0) this.#add(table, "read", others);
        }
      }
    }
  }

  list(): readonly TouchedTable[] {
    const listed = [...this.#tables].filter(([name]) => !isEngineTable(name));
    return listed.map(([name, accesses]) => ({
      ...{ name, schema: "" },
      accesses: Object.fromEntries(
        [...accesses].map(([access, columns]) => [access, [...columns]]),
      ),
      columns: this.#objects.columnsOf(name),
      ...generatedIn(name, this.#objects),
    }));
  }

  /** Adds what the definitions of views, triggers and virtual tables read. */
  #addDefinitions(): void {
    const seen = new Set<string>();
    const pending = [...this.#tables.keys()];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const owner = this.#objects.ownerOf(name);
      if (owner !== undefined) {
        this.#readAll(owner);
        pending.push(owner);
      }
      for (const { type, sql } of this.#objects.definitionsOf(name)) {
        const named = this.#namedIn(sql);
        if (type === "virtual") this.#readUnreported(named);
        else this.#addJoined(sql, named);
        pending.push(...named);
      }
    }
  }

  #namedIn(sql: string): readonly string[] {
    const words = wordsOf(sql);
    return this.#objects.tables().filter((table) => words.has(table));
  }

  /** A virtual table reads these by statements of its own, and what views among them read. */
  #readUnreported(names: readonly string[]): void {
    const read = new Set<string>();
    const pending = [...names];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (read.has(name)) continue;
      read.add(name);
      this.#readAll(name);
      for (const { type, sql } of this.#objects.definitionsOf(name)) {
        if (type !== "trigger") pending.push(...this.#namedIn(sql));
      }
    }
  }

  /** Adds the columns of joins without a condition. */
  #addJoined(sql: string, tables: readonly string[]): void {
    const joined = columnsJoined(sql);
    if (joined === undefined) return;
    for (const table of tables) {
      const columns = this.#objects.columnsOf(table);
      const read = joined === "any" ? columns : columns.filter((column) => joined.has(column));
      this.#add(table, "read", read);
    }
  }

  #readAll(table: string): void {
    this.#add(table, "read", this.#objects.columnsOf(table));
  }

  #add(table: string, access: DataAccess, columns: readonly string[]): void {
    const accesses = this.#tables.get(table) ?? new Map<DataAccess, Set<string>>();
    const known = accesses.get(access) ?? new Set<string>();
    for (const column of columns) known.add(column);
    this.#tables.set(table, accesses.set(access, known));
  }
}

/** SQLite does not tell what a generated column is computed from: any column of its table counts. */
function generatedIn(table: string, objects: SchemaObjects): Pick<TouchedTable, "generated"> {
  const generated = objects.generatedOf(table);
  if (generated.length === 0) return {};
  const from = objects.columnsOf(table);
  return { generated: generated.map((name) => ({ name, from })) };
}

/** SQLite's own tables, except the samples of other tables' values. */
function isEngineTable(name: string): boolean {
  return name === "" || name.startsWith("sqlite_");
}
