import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { readSqliteCatalog, type Schema } from "../../schema/index.js";

/** The schema of an open database. */
export function introspectSqlite(db: DatabaseSyncInstance): Schema {
  const shadows = db
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
    .all() as { name: string }[];
  const rows = db
    .prepare(`SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema ORDER BY rowid`)
    .all();
  // The columns of sqlite_schema are what they are.
  return readSqliteCatalog(rows, new Set(shadows.map(({ name }) => name)));
}
