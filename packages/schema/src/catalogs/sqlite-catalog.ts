import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { SqliteSyntax } from "../sqlite-syntax/index.js";
import { type CatalogRow, readSqliteCatalog, type Schema } from "../live/index.js";

const syntax = new SqliteSyntax();

/** The schema of an open database, as its transaction sees it. */
export function introspectSqlite(db: DatabaseSyncInstance): Schema {
  const tables = db
    .prepare("SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    .all() as readonly { readonly name: string; readonly type: string }[];
  const named = (wanted: string): ReadonlySet<string> =>
    new Set(tables.filter(({ type }) => type === wanted).map(({ name }) => name));
  const virtual = named("virtual");
  const rows = db
    .prepare(`SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema ORDER BY rowid`)
    // SQLite defines these columns of sqlite_schema.
    .all() as readonly Omit<CatalogRow, "columns">[];
  return readSqliteCatalog(
    rows.map((row) => {
      const type = virtual.has(row.name) && row.type === "table" ? "virtual" : row.type;
      const isListed = type === "virtual" || type === "view";
      return { ...row, type, columns: isListed ? shownColumns(db, row.name) : [] };
    }),
    named("shadow"),
    syntax,
  );
}

/** Columns that only the engine can tell. */
function shownColumns(db: DatabaseSyncInstance, name: string): CatalogRow["columns"] {
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
