import {
  type Part,
  type Reference,
  Schema,
  type SqliteObject,
  type SqliteSchema,
  values,
} from "../model/schema.js";
import { checkedObject } from "../model/checked-object.js";
import type { Kind } from "../model/kinds.js";
import type {
  CatalogSyntax,
  ParsedColumn,
  ParsedConstraint,
  ParsedPart,
} from "./catalog-syntax.js";

export interface CatalogRow {
  readonly type: "table" | "virtual" | "index" | "view" | "trigger";
  readonly name: string;
  readonly table: string;
  /** Null for the implicit index of a constraint. */
  readonly sql: string | null;
  /** For a view or a virtual table, whose SQL does not list all columns. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

const DATABASE = "database";

/** Prefixes of tables that belong to SQLite or Steward, not to the database's owner. */
const FOREIGN = /^(sqlite_|_steward_)/i;

/**
 * Reads a SQLite catalog into objects that are not identified yet.
 * @param shadows shadow tables of virtual tables.
 */
export function readSqliteCatalog(
  rows: readonly CatalogRow[],
  shadows: ReadonlySet<string>,
  syntax: CatalogSyntax,
): SqliteSchema {
  return new CatalogReader(rows, shadows, syntax).read();
}

class CatalogReader {
  readonly #rows: readonly CatalogRow[];
  readonly #syntax: CatalogSyntax;
  readonly #objects: SqliteObject[] = [];
  readonly #columns = new Map<string, readonly ParsedColumn[]>();
  readonly #primary = new Map<string, readonly string[]>();

  constructor(rows: readonly CatalogRow[], shadows: ReadonlySet<string>, syntax: CatalogSyntax) {
    this.#syntax = syntax;
    this.#rows = rows.filter(
      ({ name, table }) => !FOREIGN.test(name) && !FOREIGN.test(table) && !shadows.has(name),
    );
  }

  read(): SqliteSchema {
    this.#objects.push({
      id: DATABASE,
      kind: "Database",
      name: undefined,
      parent: undefined,
      values: { dialect: "sqlite" },
    });
    const tables = this.#rows
      .filter(({ type }) => type === "table")
      .flatMap(({ name, sql }) =>
        sql === null ? [] : [{ row: { name }, parsed: this.#syntax.table(sql) }],
      );
    // A foreign key may reference columns of a table that follows, so all columns are read first.
    for (const { row, parsed } of tables)
      this.#remember(row.name, parsed.columns, parsed.constraints);
    for (const [index, { row, parsed }] of tables.entries()) {
      const { isStrict, isWithoutRowid } = parsed;
      const table = { position: index + 1, isStrict, isWithoutRowid };
      this.#add("Table", row.name, tableId(row.name), DATABASE, table);
      parsed.columns.forEach((column, index) => this.#addColumn(row.name, column, index));
      parsed.constraints.forEach((each, index) => this.#addConstraint(row.name, each, index));
    }
    for (const row of this.#rows) this.#addOther(row);
    return new Schema(this.#objects);
  }

  #remember(
    table: string,
    columns: readonly ParsedColumn[],
    constraints: readonly ParsedConstraint[],
  ): void {
    this.#columns.set(fold(table), columns);
    for (const each of constraints) {
      if (each.kind !== "primary") continue;
      this.#primary.set(
        fold(table),
        each.columns.map(({ column = "" }) => column),
      );
    }
  }

  #add(
    kind: Kind,
    name: string | undefined,
    id: string,
    parent: string,
    given: Parameters<typeof values>[0],
  ): void {
    this.#objects.push(checkedObject({ id, kind, name, parent, values: values(given) }, "sqlite"));
  }

  #addColumn(table: string, column: ParsedColumn, index: number): void {
    const { name, type, notNull, generated, collation } = column;
    this.#add("Column", name, columnId(table, name), tableId(table), {
      position: index + 1,
      type: type === "" ? undefined : type.toUpperCase(),
      affinity: affinityOf(type),
      notNull: notNull !== undefined,
      notNullConflict: notNull?.conflict,
      notNullName: notNull?.name,
      default: column.default,
      collation: collation?.toUpperCase() === "BINARY" ? undefined : collation?.toUpperCase(),
      generated: generated?.expression,
      storage: generated?.storage,
    });
  }

  #addConstraint(table: string, constraint: ParsedConstraint, index: number): void {
    const id = `constraint:${fold(table)}.${index}`;
    const { name, kind } = constraint;
    const parent = tableId(table);
    if (kind === "check") {
      const { expression, conflict } = constraint;
      const statedAt =
        constraint.statedAt === undefined ? undefined : this.#columnOf(table, constraint.statedAt);
      this.#add("CheckConstraint", name, id, parent, { expression, conflict, statedAt });
    } else if (kind === "foreign") {
      this.#add("ForeignKey", name, id, parent, this.#foreignKey(table, constraint));
    } else {
      const { conflict, isAutoincrement } = constraint;
      const columns = constraint.columns.map((part) => this.#part(table, part));
      const key = kind === "primary" ? "PrimaryKey" : "UniqueConstraint";
      this.#add(key, name, id, parent, { columns, conflict, isAutoincrement });
    }
  }

  #foreignKey(
    table: string,
    constraint: Extract<ParsedConstraint, { kind: "foreign" }>,
  ): Parameters<typeof values>[0] {
    const { onDelete, onUpdate, match, deferrable } = constraint;
    const isThere = this.#columns.has(fold(constraint.table));
    const targets =
      constraint.targets.length > 0
        ? constraint.targets
        : (this.#primary.get(fold(constraint.table)) ?? []);
    const columns = constraint.columns.map((name, index): Part => {
      const target = targets[index];
      const own = { column: this.#columnOf(table, name) ?? { ref: columnId(table, name) } };
      if (target === undefined) return own;
      const ref = this.#columnOf(constraint.table, target);
      return ref === undefined
        ? { ...own, targetColumnName: target }
        : { ...own, targetColumn: ref };
    });
    return {
      columns,
      target: isThere ? { ref: tableId(constraint.table) } : undefined,
      targetName: isThere ? undefined : constraint.table,
      ...{ onDelete, onUpdate, match, deferrable },
    };
  }

  #columnOf(table: string, name: string): Reference | undefined {
    const column = this.#columns.get(fold(table))?.find((each) => fold(each.name) === fold(name));
    return column === undefined ? undefined : { ref: columnId(table, column.name) };
  }

  #part(table: string, { column, expression, collation, isDescending }: ParsedPart): Part {
    const ref = column === undefined ? undefined : this.#columnOf(table, column);
    return {
      ...(ref === undefined ? { expression } : { column: ref }),
      ...(collation === undefined ? {} : { collation: collation.toUpperCase() }),
      ...(isDescending ? { order: "desc" } : {}),
    };
  }

  #addOther(row: CatalogRow): void {
    const { type, name, table, sql } = row;
    if (sql === null) return;
    const id = tableId(name);
    if (type === "virtual") {
      const { definition } = this.#syntax.virtualTable(sql);
      this.#add("VirtualTable", name, id, DATABASE, { definition, shownColumns: shown(row) });
    } else if (type === "view") {
      const view = { ...this.#syntax.view(sql), shownColumns: shown(row) };
      this.#add("View", name, id, DATABASE, view);
    } else if (type === "index") this.#addIndex(name, table, sql);
    else if (type === "trigger") {
      const trigger = { ...this.#syntax.trigger(sql), on: { ref: tableId(table) } };
      this.#add("Trigger", name, `trigger:${fold(name)}`, DATABASE, trigger);
    }
  }

  #addIndex(name: string, table: string, sql: string): void {
    const { isUnique, where, ...index } = this.#syntax.index(sql);
    const parts = index.parts.map((part) => this.#part(table, part));
    // Names of indexes, views and triggers are global to the database, so renaming a table does not
    // change them.
    const on = { ref: tableId(table) };
    this.#add("Index", name, `index:${fold(name)}`, DATABASE, { on, isUnique, parts, where });
  }
}

function shown({ columns }: CatalogRow): readonly Part[] | undefined {
  if (columns.length === 0) return undefined;
  return columns.map(({ name, type }) => ({ columnName: name, ...(type === "" ? {} : { type }) }));
}

/** The affinity of a declared type (SQLite, "Datatypes", section 3.1). */
function affinityOf(type: string): string {
  const upper = type.toUpperCase();
  if (upper.includes("INT")) return "INTEGER";
  if (/CHAR|CLOB|TEXT/.test(upper)) return "TEXT";
  if (upper === "" || upper.includes("BLOB")) return "BLOB";
  return /REAL|FLOA|DOUB/.test(upper) ? "REAL" : "NUMERIC";
}

function tableId(name: string): string {
  return `table:${fold(name)}`;
}

function columnId(table: string, name: string): string {
  return `column:${fold(table)}.${fold(name)}`;
}

function fold(name: string): string {
  return name.toLowerCase();
}
