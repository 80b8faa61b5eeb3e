import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Intent } from "../../../governance/index.js";
import { MARKER_TABLE } from "../../own-tables.js";
import { Catalog } from "./catalog.js";
import { Guard } from "./guard.js";

const SCHEMA = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id REFERENCES customers (id) ON DELETE CASCADE ON UPDATE SET NULL,
    total REAL,
    cents AS (total * 100)
  );
  CREATE TABLE log (line TEXT);
  CREATE VIEW order_totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY 1;
  CREATE TRIGGER orders_inserted AFTER INSERT ON orders BEGIN
    DELETE FROM log;
    INSERT INTO log VALUES ('inserted');
  END;
  CREATE TRIGGER totals_written INSTEAD OF INSERT ON order_totals BEGIN
    UPDATE orders SET total = NEW.total WHERE customer_id = NEW.customer_id;
  END;
  CREATE VIRTUAL TABLE docs USING fts5(body);
  CREATE VIRTUAL TABLE boxes USING rtree(id, low, high);
  CREATE TABLE ${MARKER_TABLE} (plan_id TEXT, output_json TEXT);
  CREATE VIEW stolen AS SELECT output_json FROM ${MARKER_TABLE};
  CREATE TABLE bait (line TEXT);
  CREATE TRIGGER marker_wiper AFTER INSERT ON bait BEGIN DELETE FROM ${MARKER_TABLE}; END;
`;

/** The guard by itself: no analyzer has looked at these statements before. */
describe("the engine's own guard", () => {
  let db: DatabaseSyncInstance;
  let guard: Guard;

  beforeEach(() => {
    db = new DatabaseSync(":memory:", { defensive: true, limits: { attach: 0 } });
    db.exec(SCHEMA);
    guard = new Guard(db);
  });
  afterEach(() => {
    db.close();
  });

  /** Prepares and runs the statement. @returns the refusal, the engine's other error, or "done". */
  const run = (sql: string, intent: Intent): string => {
    const shadowTables = new Catalog(db).shadowTables();
    try {
      const changesSchema = intent === "admin";
      guard.watch({ intent, phase: "preparing", shadowTables, changesSchema });
      const statement = db.prepare(sql);
      guard.watch({ intent, phase: "running", shadowTables: new Set() });
      statement.all();
      return "done";
    } catch (error) {
      return guard.denial ?? `engine: ${String(error)}`;
    } finally {
      guard.relax();
    }
  };

  const READ = "read_select";
  const everyWrite: readonly Intent[] = [
    "write_insert",
    "write_update",
    "write_delete",
    "admin",
    "cross_system_transaction",
  ];

  it.each([
    "SELECT * FROM orders JOIN customers ON customers.id = customer_id",
    "SELECT * FROM order_totals",
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n",
    "SELECT json_group_array(value) FROM json_each('[1, 2]')",
    "SELECT name, type FROM pragma_table_info('orders')",
    "SELECT * FROM pragma_foreign_key_list('orders')",
    "SELECT name, sql FROM sqlite_schema",
    "SELECT * FROM docs WHERE docs MATCH 'word'",
    "SELECT * FROM docs('word') ORDER BY rank",
    "SELECT * FROM boxes WHERE low > 1",
    "EXPLAIN QUERY PLAN SELECT * FROM orders",
    "SELECT count(*) OVER (PARTITION BY customer_id) FROM orders",
  ])("lets every intent read: %s", (sql) => {
    for (const intent of [READ, ...everyWrite] as const) {
      expect([intent, run(sql, intent)]).toEqual([intent, "done"]);
    }
  });

  const changes: readonly (readonly [string, readonly Intent[]])[] = [
    ["INSERT INTO customers (name) VALUES ('Ada')", everyWrite],
    ["INSERT INTO orders (total) VALUES (1) RETURNING id", everyWrite],
    ["INSERT INTO docs VALUES ('word')", everyWrite],
    ["INSERT INTO boxes VALUES (1, 2, 3)", everyWrite],
    ["INSERT INTO order_totals VALUES (1, 2)", everyWrite],
    ["EXPLAIN INSERT INTO customers (name) VALUES ('Ada')", everyWrite],
    [
      "INSERT INTO customers VALUES (1, 'Ada') ON CONFLICT DO UPDATE SET name = 'Bo'",
      everyWrite.slice(1),
    ],
    ["UPDATE orders SET total = 0", everyWrite.slice(1)],
    ["UPDATE customers SET id = 7", everyWrite.slice(1)],
    ["UPDATE docs SET body = 'other'", everyWrite.slice(1)],
    ["EXPLAIN UPDATE orders SET total = 0", everyWrite.slice(1)],
    ["REPLACE INTO customers VALUES (1, 'Ada')", everyWrite.slice(2)],
    ["DELETE FROM orders", everyWrite.slice(2)],
    ["DELETE FROM customers", everyWrite.slice(2)],
    ["DELETE FROM docs", everyWrite.slice(2)],
    ["CREATE TABLE t (a)", ["admin"]],
    ["CREATE TABLE t AS SELECT * FROM orders", ["admin"]],
    ["CREATE VIRTUAL TABLE f USING fts5(body)", ["admin"]],
    ["CREATE INDEX i ON orders (total)", ["admin"]],
    ["CREATE VIEW v AS SELECT 1", ["admin"]],
    ["CREATE TRIGGER g AFTER DELETE ON orders BEGIN DELETE FROM log; END", ["admin"]],
    ["ALTER TABLE log RENAME TO journal", ["admin"]],
    ["ALTER TABLE log ADD COLUMN at TEXT", ["admin"]],
    ["DROP TABLE orders", ["admin"]],
    ["DROP VIEW order_totals", ["admin"]],
    ["DROP TRIGGER orders_inserted", ["admin"]],
    ["DROP TABLE docs", ["admin"]],
    ["REINDEX", ["admin"]],
    ["ANALYZE", ["admin"]],
    ["DELETE FROM sqlite_sequence", ["admin"]],
  ];

  it("lets a read alone see what other connections have changed", () => {
    const counted = "(SELECT data_version FROM pragma_data_version)";
    expect(run(`SELECT ${counted}`, READ)).toBe("done");
    expect(run(`UPDATE orders SET total = ${counted}`, "write_update")).toContain(
      "pragma_data_version is not allowed in a write",
    );
    expect(run("INSERT INTO docs VALUES ('word')", "write_insert")).toBe("done");
  });

  it.each(changes)("lets only the intents that cover it change: %s", (sql, covering) => {
    for (const intent of [READ, ...everyWrite] as const) {
      db.exec("SAVEPOINT before");
      const outcome = run(sql, intent);
      db.exec("ROLLBACK TO before");
      const expected = covering.includes(intent) ? "done" : expect.stringContaining(intent);
      expect([intent, outcome]).toEqual([intent, expected]);
    }
  });

  it.each([
    "ATTACH ':memory:' AS other",
    "ATTACH 'file:/etc/passwd' AS other",
    "DETACH main",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_journal_mode",
    "SELECT load_extension('evil')",
    "SELECT fts3_tokenizer('simple')",
    "BEGIN",
    "COMMIT",
    "SAVEPOINT s",
    "CREATE TEMP TABLE orders (a)",
    "CREATE TEMP VIEW customers AS SELECT 1",
    "CREATE TEMP TRIGGER g AFTER INSERT ON log BEGIN SELECT 1; END",
    "VACUUM",
    "VACUUM INTO '/tmp/copy.db'",
  ])("lets no intent do what reaches beyond the step: %s", (sql) => {
    for (const intent of [READ, ...everyWrite] as const) {
      expect([intent, run(sql, intent)]).not.toEqual([intent, "done"]);
    }
  });

  it.each([
    `SELECT * FROM ${MARKER_TABLE}`,
    `SELECT count(*) FROM ${MARKER_TABLE.toUpperCase()}`,
    "SELECT * FROM stolen",
    `INSERT INTO ${MARKER_TABLE} VALUES ('a', 'b')`,
    `DELETE FROM ${MARKER_TABLE}`,
    `UPDATE ${MARKER_TABLE} SET plan_id = ''`,
    `DROP TABLE ${MARKER_TABLE}`,
    `ALTER TABLE ${MARKER_TABLE} ADD COLUMN a`,
    `CREATE INDEX i ON ${MARKER_TABLE} (plan_id)`,
    `CREATE TRIGGER g AFTER INSERT ON ${MARKER_TABLE} BEGIN SELECT 1; END`,
    "INSERT INTO bait VALUES ('wipe')",
    `SELECT * FROM pragma_table_info('${MARKER_TABLE}')`,
  ])("keeps the service's own table from everybody: %s", (sql) => {
    for (const intent of [READ, ...everyWrite] as const) {
      expect([intent, run(sql, intent)]).not.toEqual([intent, "done"]);
    }
    expect(run(sql, "admin")).toContain(`The table ${MARKER_TABLE} belongs to the service`);
  });

  it.each([
    "INSERT INTO docs_data VALUES (1, x'00')",
    "DELETE FROM docs_content",
    "UPDATE boxes_node SET data = x''",
    "INSERT INTO sqlite_schema VALUES ('table', 't', 't', 0, 'CREATE TABLE t (a)')",
    "DELETE FROM sqlite_schema",
    "UPDATE orders SET cents = 5",
  ])("leaves to the engine what it never allows: %s", (sql) => {
    expect(run(sql, "admin")).toMatch(/^engine: .*(may not be modified|generated column)/);
  });

  it.each([
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/out', 'x')",
    "SELECT edit('x')",
    "SELECT shell('id')",
    "SELECT * FROM fsdir('/')",
    "SELECT * FROM sqlite_dbpage",
  ])("finds nothing in the engine that reaches files: %s", (sql) => {
    expect(run(sql, READ)).toMatch(/^engine: .*no such (function|table)/);
  });
});
