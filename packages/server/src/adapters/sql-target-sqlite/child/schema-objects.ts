import { createHash } from "node:crypto";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { REPLACE } from "./schema-text.js";

/** A definition that reads tables when it is used. */
export interface Definition {
  readonly type: "view" | "trigger" | "virtual";
  readonly sql: string;
}

/** The objects of one version of a schema, read on demand. All names are in lower case. */
export class SchemaObjects {
  readonly #db: DatabaseSyncInstance;
  readonly #columns = new Map<string, readonly Column[]>();
  #all: ReadonlyMap<string, readonly Definition[]> | undefined;
  #tables: readonly Table[] | undefined;
  #replacing: ReadonlySet<string> | undefined;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  /** Tables and views, without SQLite's own. */
  tables(): readonly string[] {
    return this.#list().map(({ name }) => name);
  }

  columnsOf(table: string): readonly string[] {
    return this.#columnsOf(table).map(({ name }) => name);
  }

  /** Generated columns. */
  generatedOf(table: string): readonly string[] {
    return this.#columnsOf(table).flatMap(({ name, hidden }) => (hidden >= 2 ? [name] : []));
  }

  /** The virtual table that owns this shadow table. */
  ownerOf(table: string): string | undefined {
    if (this.#list().find(({ name }) => name === table)?.type !== "shadow") return undefined;
    const owners = this.#list().filter(
      ({ name, type }) => type === "virtual" && table.startsWith(`${name}_`),
    );
    return owners.sort((a, b) => b.name.length - a.name.length)[0]?.name;
  }

  /** The definitions of the view or virtual table with this name, and of the triggers on it. */
  definitionsOf(table: string): readonly Definition[] {
    this.#all ??= this.#readDefinitions();
    return this.#all.get(table) ?? [];
  }

  /** Whether rows that conflict are replaced by the definition of this table, or by a statement of this trigger. */
  mayReplace(name: string): boolean {
    this.#replacing ??= new Set(
      this.#rows<{ readonly name: string; readonly sql: string }>(
        `SELECT lower(name) AS name, sql FROM main.sqlite_schema
         WHERE type IN ('table', 'trigger') AND sql LIKE '%replace%'`,
      ).flatMap((object) => (REPLACE.test(object.sql) ? [object.name] : [])),
    );
    return this.#replacing.has(name);
  }

  /** A hash of the definitions of these tables and views, with their indexes and triggers. */
  definitionsHash(tables: readonly string[]): string {
    const rows = this.#rows<{ readonly sql: string }>(
      `SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL
         AND lower(tbl_name) IN (SELECT value FROM json_each(?)) ORDER BY type, name`,
      JSON.stringify(tables),
    );
    return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
  }

  #list(): readonly Table[] {
    this.#tables ??= this.#rows<Table>(
      `SELECT lower(name) AS name, type FROM pragma_table_list
       WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    );
    return this.#tables;
  }

  #columnsOf(table: string): readonly Column[] {
    const known = this.#columns.get(table);
    if (known !== undefined) return known;
    const columns = this.#rows<Column>(
      "SELECT lower(name) AS name, hidden FROM pragma_table_xinfo(?)",
      table,
    );
    this.#columns.set(table, columns);
    return columns;
  }

  #readDefinitions(): ReadonlyMap<string, readonly Definition[]> {
    const found = new Map<string, Definition[]>();
    const rows = this.#rows<Definition & { readonly name: string }>(
      `SELECT lower(tbl_name) AS name, CASE type WHEN 'table' THEN 'virtual' ELSE type END AS type, sql
       FROM main.sqlite_schema
       WHERE type IN ('view', 'trigger') OR type = 'table' AND sql LIKE 'CREATE VIRTUAL%'`,
    );
    for (const { name, ...definition } of rows) {
      found.set(name, [...(found.get(name) ?? []), definition]);
    }
    return found;
  }

  #rows<Row>(sql: string, ...params: readonly string[]): readonly Row[] {
    // Each query names the columns of its rows.
    const rows: unknown = this.#db.prepare(sql).all(...params);
    return rows as readonly Row[];
  }
}

interface Table {
  readonly name: string;
  readonly type: "table" | "view" | "shadow" | "virtual";
}

interface Column {
  readonly name: string;
  /** 0: ordinary; 1: hidden column of a virtual table; 2 and 3: generated. */
  readonly hidden: number;
}
