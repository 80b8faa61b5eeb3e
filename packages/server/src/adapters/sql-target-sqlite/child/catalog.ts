import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { writtenName, writtenPath } from "../../../kernel/written-name.js";
import { MARKER_TABLE } from "../../own-tables.js";
import type { NameCatalog } from "../../sql-target/repair-hints.js";
import { isForbiddenFunction } from "../../sqlite-functions.js";

/** The names an agent may have meant, read when they are needed. */
export class Catalog implements NameCatalog {
  readonly #db: DatabaseSyncInstance;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  tables(): readonly string[] {
    return this.#names(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '${MARKER_TABLE}' ORDER BY name`,
    );
  }

  columns(table: string): readonly string[] {
    return this.#names("SELECT name FROM pragma_table_info(?)", table);
  }

  foreignKeys(tables: readonly string[]): readonly string[] {
    const keys = this.#db
      .prepare(
        `SELECT t.name AS own, k."from" AS own_column, k."table" AS other, k."to" AS other_column
         FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) k
         WHERE t.schema = 'main' AND EXISTS (
           SELECT 1 FROM json_each(?) touched
           WHERE lower(touched.value) IN (lower(t.name), lower(k."table")))`,
      )
      .all(JSON.stringify(tables)) as readonly Readonly<Record<string, string | null>>[];
    const name = (text: string | null | undefined): string => writtenName(text ?? "", "sqlite");
    return keys.map(({ own, own_column: column, other, other_column: to }) => {
      const target = to === null ? name(other) : `${name(other)}(${name(to)})`;
      return `${name(own)}.${name(column)} references ${target}`;
    });
  }

  written(path: string): string {
    return writtenPath(path, "sqlite");
  }

  /** Functions that statements may call whose names are about as long as this one. */
  functionsLike(name: string): readonly string[] {
    return this.#names(
      "SELECT DISTINCT name FROM pragma_function_list WHERE abs(length(name) - length(?)) <= 1 ORDER BY 1",
      name,
    ).filter((known) => !isForbiddenFunction(known));
  }

  /** Tables that virtual tables keep their data in. */
  shadowTables(): ReadonlySet<string> {
    return new Set(
      this.#names("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'"),
    );
  }

  #names(sql: string, ...params: readonly string[]): readonly string[] {
    const rows = this.#db.prepare(sql).all(...params) as { readonly name: string }[];
    return rows.map((row) => row.name);
  }
}
