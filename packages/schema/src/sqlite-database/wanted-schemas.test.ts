import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { identify, readDefinitions, rootOf } from "../index.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";
import { SqliteScratch } from "./scratch-sqlite.js";

const DEFINITIONS = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
  CREATE TABLE "notes_extra" (a);
  CREATE INDEX by_name ON customers(name);
  CREATE VIRTUAL TABLE notes USING fts5(body);
  CREATE VIEW names AS SELECT name FROM customers;
  CREATE TRIGGER g AFTER INSERT ON customers BEGIN INSERT INTO notes VALUES (NEW.name); END;
`;

/** The output of .schema in sqlite3 3.40 after ANALYZE. */
const SCHEMA = `CREATE TABLE customers (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE IF NOT EXISTS "notes_extra" (a);
CREATE INDEX by_name ON customers(name);
CREATE VIRTUAL TABLE notes USING fts5(body)
/* notes(body) */;
CREATE TABLE IF NOT EXISTS 'notes_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE IF NOT EXISTS 'notes_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS 'notes_content'(id INTEGER PRIMARY KEY, c0);
CREATE TABLE IF NOT EXISTS 'notes_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE IF NOT EXISTS 'notes_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE VIEW names AS SELECT name FROM customers
/* names(name) */;
CREATE TRIGGER g AFTER INSERT ON customers BEGIN INSERT INTO notes VALUES (NEW.name); END;
CREATE TABLE sqlite_stat1(tbl,idx,stat);
`;

async function rootOfWanted(sql: string): Promise<string> {
  await using scratch = new SqliteScratch();
  await scratch.define(await readDefinitions(sql, "sqlite"));
  return rootOf(identify(await scratch.introspect(), undefined));
}

describe("a wanted schema of SQLite", () => {
  it("may be the output of .schema, with what SQLite makes by itself", async () => {
    using db = new DatabaseSync(":memory:");
    db.exec(`${DEFINITIONS} INSERT INTO customers (name) VALUES ('Ada'); ANALYZE;`);
    const root = rootOf(identify(introspectSqlite(db), undefined));
    expect(await rootOfWanted(SCHEMA)).toBe(root);
    expect(await rootOfWanted(SCHEMA.replace(/CREATE TABLE IF NOT EXISTS "notes.*/, ""))).not.toBe(
      root,
    );
  });

  it("is refused by the place of the statement that SQLite does not take", async () => {
    await expect(rootOfWanted("CREATE TABLE t (a);\n\nCREATE INDEX i ON u (a);")).rejects.toThrow(
      "line 3: SQLite refuses CREATE INDEX i ON u (a): no such table: main.u",
    );
  });
});
