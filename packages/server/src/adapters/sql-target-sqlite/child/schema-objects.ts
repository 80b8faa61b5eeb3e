import { createHash } from "node:crypto";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { expressionsOf, REPLACE, wordsOf } from "./schema-text.js";

/** A definition that reads tables when it is used. */
export interface Definition {
  readonly type: "view" | "trigger" | "virtual";
  readonly sql: string;
}

/** The objects of one version of a schema, read on demand. All names are in lower case. */
export class SchemaObjects {
  readonly #db: DatabaseSyncInstance;
  readonly #columns = new Map<string, readonly Column[]>();
  readonly #constraints = new Map<string, readonly (readonly string[])[]>();
  readonly #indexes = new Map<string, readonly Index[]>();
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

  /**
   * The columns by which a row can fail together, for each check, foreign key and index, which may compute
   * expressions and a condition; and those that its generated columns are computed from. Generated columns are
   * replaced by the latter.
   */
  constraintsOf(table: string): readonly (readonly string[])[] {
    const known = this.#constraints.get(table);
    if (known !== undefined) return known;
    const generated = new Set(this.generatedOf(table));
    const { checks, computed } = expressionsOf(this.#definitionOf(table));
    const sources = computed.map((text) => this.#columnsIn(table, text));
    const constraints = [
      ...[...checks.map((text) => this.#columnsIn(table, text)), ...this.#keysOf(table)].map(
        (columns) =>
          columns.some((name) => generated.has(name)) ? [columns, ...sources].flat() : columns,
      ),
      ...sources,
    ].map((columns) => columns.filter((name) => !generated.has(name)));
    this.#constraints.set(table, constraints);
    return constraints;
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

  /** The columns of each unique index that has expressions or a condition. */
  partlyUniqueOf(table: string): readonly (readonly string[])[] {
    return this.#indexesOf(table).flatMap(({ columns, isPartlyUnique }) =>
      isPartlyUnique ? [columns] : [],
    );
  }

  /** The columns of each foreign key and each index. */
  #keysOf(table: string): readonly (readonly string[])[] {
    const keys = this.#rows<{ readonly names: string }>(
      `SELECT json_group_array(lower("from")) AS names FROM pragma_foreign_key_list(?) GROUP BY id`,
      table,
    );
    return [
      ...keys.map(({ names }) => columnNames(names)),
      ...this.#indexesOf(table).map(({ columns }) => columns),
    ];
  }

  #indexesOf(table: string): readonly Index[] {
    const known = this.#indexes.get(table);
    if (known !== undefined) return known;
    const rows = this.#rows<IndexRow>(
      `SELECT (SELECT json_group_array(lower(name)) FROM pragma_index_info(i.name) WHERE name IS NOT NULL) AS names,
         "unique" AS isUnique,
         partial OR EXISTS (SELECT 1 FROM pragma_index_info(i.name) WHERE cid = -2) AS isComputed,
         (SELECT sql FROM main.sqlite_schema s WHERE s.name = i.name) AS sql
       FROM pragma_index_list(?) i`,
      table,
    );
    const indexes = rows.map(({ names, isUnique, isComputed, sql }) => {
      const named = sql === null ? [] : this.#columnsIn(table, sql.slice(sql.indexOf("(")));
      const isPartlyUnique = isUnique === 1 && isComputed === 1;
      return { columns: [...columnNames(names), ...named], isPartlyUnique };
    });
    this.#indexes.set(table, indexes);
    return indexes;
  }

  #columnsIn(table: string, text: string): readonly string[] {
    const words = wordsOf(text);
    return this.columnsOf(table).filter((name) => words.has(name));
  }

  #definitionOf(table: string): string {
    const [found] = this.#rows<{ readonly sql: string }>(
      "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = ? AND sql IS NOT NULL",
      table,
    );
    return found?.sql ?? "";
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

function columnNames(names: string): readonly string[] {
  // The queries make arrays of texts.
  return JSON.parse(names) as readonly string[];
}

interface Table {
  readonly name: string;
  readonly type: "table" | "view" | "shadow" | "virtual";
}

/** An index, with the columns of its expressions and its condition. */
interface Index {
  readonly columns: readonly string[];
  /** Whether it is unique, and has expressions or a condition. */
  readonly isPartlyUnique: boolean;
}

interface IndexRow {
  /** JSON array. */
  readonly names: string;
  readonly isUnique: number;
  readonly isComputed: number;
  /** Absent for the index of a constraint. */
  readonly sql: string | null;
}

interface Column {
  readonly name: string;
  /** 0: ordinary; 1: hidden column of a virtual table; 2 and 3: generated. */
  readonly hidden: number;
}
