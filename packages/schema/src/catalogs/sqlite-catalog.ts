import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { SqliteSyntax } from "../sqlite-syntax/index.js";
import { type CatalogRow, readSqliteCatalog, type Schema } from "../live/index.js";

const syntax = new SqliteSyntax();

/** The schema of an open database, as its transaction sees it. */
export function introspectSqlite(db: DatabaseSyncInstance): Schema {
  const shadows = db
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
    .all() as { name: string }[];
  const rows = db
    .prepare(`SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema ORDER BY rowid`)
    // SQLite defines these columns of sqlite_schema.
    .all() as Omit<CatalogRow, "columns">[];
  return readSqliteCatalog(
    rows.map((row) => ({ ...row, columns: shownColumns(db, row) })),
    new Set(shadows.map(({ name }) => name)),
    syntax,
  );
}

/** Columns that only the engine can tell. */
function shownColumns(
  db: DatabaseSyncInstance,
  { type, name, sql }: Omit<CatalogRow, "columns">,
): CatalogRow["columns"] {
  if (type !== "view" && (sql === null || !/^create\s+virtual\s/i.test(sql))) return [];
  try {
    // Hidden ones are arguments of a virtual table.
    return db
      .prepare("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid")
      .all(name) as CatalogRow["columns"];
  } catch {
    // A view outlives the tables it reads from, but has no columns without them.
    return [];
  }
}
