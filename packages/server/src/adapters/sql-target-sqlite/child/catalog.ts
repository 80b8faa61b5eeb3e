import type { DatabaseSyncInstance } from "@photostructure/sqlite";
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
    return this.#names(
      `SELECT t.name || '.' || k."from" || ' references ' || k."table" ||
         CASE WHEN k."to" IS NULL THEN '' ELSE '(' || k."to" || ')' END AS name
       FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) k
       WHERE t.schema = 'main' AND EXISTS (
         SELECT 1 FROM json_each(?) touched
         WHERE lower(touched.value) IN (lower(t.name), lower(k."table")))`,
      JSON.stringify(tables),
    );
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
