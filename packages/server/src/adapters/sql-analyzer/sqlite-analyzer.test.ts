import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SqliteAnalyzer } from "./index.js";

const analyzer = new SqliteAnalyzer();

function classOf(sql: string): string {
  const analysis = analyzer.analyze(sql, "sqlite");
  return analysis.kind === "statement" ? analysis.statementClass : analysis.reason;
}

function tablesOf(sql: string): readonly string[] {
  const analysis = analyzer.analyze(sql, "sqlite");
  if (analysis.kind === "rejected") throw new Error(analysis.message);
  return analysis.tables;
}

describe("the class of a SQLite statement", () => {
  it.each([
    ["SELECT 1", "read_select"],
    ["VALUES (1), (2)", "read_select"],
    ["WITH t AS (SELECT 1) SELECT * FROM t", "read_select"],
    [
      "WITH RECURSIVE t(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM t) SELECT x FROM t",
      "read_select",
    ],
    ["EXPLAIN QUERY PLAN SELECT * FROM orders", "read_select"],
    ["EXPLAIN SELECT * FROM orders", "read_select"],
    ["SELECT 'DELETE FROM orders' -- DROP TABLE orders", "read_select"],
    ["/* DELETE */ SELECT 1;", "read_select"],
    ["SELECT 1; -- ; DELETE FROM orders", "read_select"],
    ["SELECT 1;;;", "read_select"],
    ['SELECT "delete" FROM [drop table]', "read_select"],
    ["INSERT INTO orders VALUES (1)", "write_insert"],
    ["INSERT INTO orders DEFAULT VALUES RETURNING id", "write_insert"],
    ["INSERT OR IGNORE INTO orders SELECT * FROM old", "write_insert"],
    ["WITH t AS (SELECT 1) INSERT INTO orders SELECT * FROM t", "write_insert"],
    ["INSERT INTO orders VALUES (1) ON CONFLICT DO NOTHING", "write_insert"],
    ["UPDATE orders SET total = 0", "write_update"],
    ["UPDATE OR IGNORE orders SET total = 0 FROM products p WHERE p.id = 1", "write_update"],
    ["WITH t AS (SELECT 1 AS id) UPDATE orders SET total = 0 WHERE id IN t", "write_update"],
    ["DELETE FROM orders WHERE id = 1 RETURNING *", "write_delete"],
    ["EXPLAIN DELETE FROM orders", "write_delete"],
    ["EXPLAIN QUERY PLAN INSERT INTO orders VALUES (1)", "write_insert"],
    ["CREATE TABLE t (a)", "admin"],
    ["CREATE TABLE t AS SELECT * FROM orders", "admin"],
    ["CREATE UNIQUE INDEX i ON orders (id)", "admin"],
    ["CREATE VIEW v AS SELECT 1", "admin"],
    ["CREATE VIRTUAL TABLE f USING fts5(body)", "admin"],
    ["CREATE TRIGGER g AFTER INSERT ON orders BEGIN DELETE FROM orders; END", "admin"],
    ["SELECT 1_000", "read_select"],
    ["DROP TABLE orders", "admin"],
    ["DROP VIEW IF EXISTS v", "admin"],
    ["ALTER TABLE orders ADD COLUMN note TEXT", "admin"],
    ["REINDEX", "admin"],
    ["ANALYZE orders", "admin"],
  ])("%s is %s", (sql, expected) => {
    expect(classOf(sql)).toBe(expected);
  });

  it.each([
    ["INSERT INTO orders VALUES (1) ON CONFLICT (id) DO UPDATE SET total = 0", "write_update"],
    [
      "INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING ON CONFLICT (b) DO UPDATE SET a = 1",
      "write_update",
    ],
    ["REPLACE INTO orders VALUES (1)", "write_delete"],
    ["INSERT OR REPLACE INTO orders VALUES (1)", "write_delete"],
    ["UPDATE OR REPLACE orders SET id = 2", "write_delete"],
  ])("what may do several things to rows is the gravest of them: %s is %s", (sql, expected) => {
    expect(classOf(sql)).toBe(expected);
  });
});

describe("texts that no intent allows", () => {
  it.each([
    "ATTACH ':memory:' AS m",
    "DETACH m",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA writable_schema(1)",
    "VACUUM",
    "VACUUM INTO 'copy.db'",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT s",
    "RELEASE s",
    "ROLLBACK TO s",
    "EXPLAIN PRAGMA journal_mode",
    "EXPLAIN VACUUM INTO 'copy.db'",
    "CREATE TEMP TABLE t (a)",
    "CREATE TEMPORARY VIEW orders AS SELECT 1",
    "CREATE TABLE temp.orders (a)",
    "CREATE TEMP TRIGGER g AFTER INSERT ON orders BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE temp.f USING fts5(body)",
  ])("%s is forbidden", (sql) => {
    expect(classOf(sql)).toBe("forbidden");
  });

  it.each([
    "SELECT 1; DELETE FROM orders",
    "SELECT 1;/**/DELETE FROM orders",
    "SELECT 1; -- comment\nDROP TABLE orders",
    "SELECT ';'; SELECT 2",
    "SELECT 1; PRAGMA foreign_keys = OFF",
    "CREATE TRIGGER g AFTER INSERT ON orders BEGIN SELECT 1; END; DELETE FROM orders",
  ])("%s is several statements", (sql) => {
    expect(classOf(sql)).toBe("multiple_statements");
  });

  it.each([
    "",
    "  ",
    ";",
    "-- only a comment",
    "/* only a comment */",
    "selct 1",
    "SELECT",
    "SELECT 'unterminated",
    "SELECT 1\0",
    "SELECT 1\0; DROP TABLE orders",
    "WITH d AS (DELETE FROM orders RETURNING id) SELECT * FROM d",
    "SELECT * INTO copy FROM orders",
    "SELECT 1 FOR UPDATE",
    ".read secrets.sql",
    "ＳＥＬＥＣＴ 1",
  ])("%j is not SQLite's SQL", (sql) => {
    expect(classOf(sql)).toBe("unparsable");
  });

  it("says where a syntax error is", () => {
    expect(analyzer.analyze("SELECT 1\nFROM orders WHERE", "sqlite")).toMatchObject({
      reason: "unparsable",
      message: expect.stringContaining("line 2"),
    });
  });
});

describe("the tables a statement names", () => {
  it.each([
    ['SELECT secret FROM "api_keys"', ["api_keys"]],
    ["SELECT * FROM a, [b c] JOIN `d` ON 1 LEFT JOIN main.e USING (x)", ["a", "b c", "d", "e"]],
    ["SELECT * FROM orders o JOIN Orders p ON p.id = o.id", ["orders"]],
    [
      "SELECT (SELECT max(x) FROM a) FROM b WHERE x IN c AND EXISTS (SELECT 1 FROM d)",
      ["a", "b", "c", "d"],
    ],
    ["SELECT 1 FROM a UNION SELECT 2 FROM b ORDER BY (SELECT 1 FROM c)", ["a", "b", "c"]],
    [
      "SELECT sum(x) FILTER (WHERE x IN (SELECT y FROM b)) OVER (PARTITION BY (SELECT 1 FROM c)) FROM a",
      ["b", "c", "a"],
    ],
    [
      "INSERT INTO a SELECT * FROM b WHERE true ON CONFLICT DO UPDATE SET x = (SELECT 1 FROM c)",
      ["a", "b", "c"],
    ],
    ["UPDATE a SET x = 1 FROM b WHERE y = (SELECT 1 FROM c)", ["a", "b", "c"]],
    ["DELETE FROM a RETURNING (SELECT 1 FROM b)", ["a", "b"]],
    ["CREATE TABLE a (x REFERENCES b, y, FOREIGN KEY (y) REFERENCES c)", ["a", "b", "c"]],
    ["CREATE VIEW v AS SELECT * FROM a", ["v", "a"]],
    ["CREATE INDEX i ON a (x) WHERE x > 0", ["a"]],
    [
      "CREATE TRIGGER g AFTER INSERT ON a BEGIN UPDATE b SET x = 1; DELETE FROM c; INSERT INTO d SELECT * FROM e; END",
      ["a", "b", "c", "d", "e"],
    ],
    ["ALTER TABLE a RENAME TO b", ["a", "b"]],
    ["DROP TABLE IF EXISTS a", ["a"]],
    ["SELECT * FROM docs('term')", ["docs"]],
    ["SELECT * FROM pragma_table_info('a')", ["pragma_table_info"]],
    ["EXPLAIN SELECT * FROM a", ["a"]],
    ["SELECT 'FROM hidden' -- FROM hidden", []],
  ] as const)("%s names %j", (sql, expected) => {
    expect(tablesOf(sql)).toEqual(expected);
  });

  it("leaves out what a WITH names, but only where that hides the table", () => {
    expect(tablesOf("WITH a AS (SELECT * FROM b) SELECT * FROM a JOIN c")).toEqual(["b", "c"]);
    expect(tablesOf("WITH a AS (SELECT 1) SELECT * FROM main.a")).toEqual(["a"]);
    expect(tablesOf("SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a), a")).toEqual(["a"]);
    expect(tablesOf("WITH A AS (SELECT 1) DELETE FROM b WHERE x IN a")).toEqual(["b"]);
  });

  it("leaves out the functions through which a placeholder's value passes", () => {
    expect(tablesOf("SELECT value FROM json_each(?1), json_tree(?2)")).toEqual([]);
  });

  it("finds a table however deep it is nested", () => {
    const deep = `SELECT ${"(".repeat(20_000)}(SELECT 1 FROM a)${")".repeat(20_000)}`;
    expect(tablesOf(deep)).toEqual(["a"]);
  });
});

describe("any text at all", () => {
  const words = [
    "SELECT",
    "DELETE FROM",
    "t",
    "(",
    ")",
    ";",
    "--",
    "/*",
    "'",
    '"',
    "\0",
    "WITH",
    ",",
    "*",
    "1",
    "\n",
  ];

  it("is judged without an exception", () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(texts, (sql) => {
        expect(["statement", "rejected"]).toContain(analyzer.analyze(sql, "sqlite").kind);
      }),
    );
  });
});
