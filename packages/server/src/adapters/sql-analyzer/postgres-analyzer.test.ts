import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intentCovers } from "../../governance/index.js";
import { PostgresAnalyzer } from "./postgres-analyzer.js";

const analyzer = await PostgresAnalyzer.load();

function classOf(sql: string): string {
  const analysis = analyzer.analyze(sql, "postgres");
  return analysis.kind === "statement" ? analysis.statementClass : analysis.reason;
}

function tablesOf(sql: string): readonly string[] {
  const analysis = analyzer.analyze(sql, "postgres");
  if (analysis.kind === "rejected") throw new Error(analysis.message);
  return analysis.tables;
}

describe("a PostgreSQL statement with thousands of comments", () => {
  it.each(["/**/", "/*/**/*/", "/*é*/", "/*é/*+-*/*/"])("is read like any other: %s", (comment) => {
    const comments = comment.repeat(Math.floor(60_000 / comment.length));
    expect(classOf(`SELECT ${comments} 1`)).toBe("read_select");
    expect(tablesOf(`DELETE FROM ${comments} orders`)).toEqual(["orders"]);
    const wrong = analyzer.analyze(`SELECT ${comments}) 'é/**/'`, "postgres");
    const column = "SELECT ".length + comments.length + 1;
    expect(wrong).toMatchObject({ message: expect.stringContaining(`column ${String(column)}`) });
  });

  it("keeps what is no comment", () => {
    const [comments, name] = ["/**/".repeat(100), "/**/".repeat(15)];
    expect(tablesOf(`SELECT a ${comments} FROM "${name}"`)).toEqual([name]);
  });
});

describe("the class of a PostgreSQL statement", () => {
  it.each([
    ["SELECT 1", "read_select"],
    ["VALUES (1), (2)", "read_select"],
    ["TABLE orders", "read_select"],
    ["(SELECT 1) UNION ALL (SELECT 2)", "read_select"],
    ["WITH t AS (SELECT 1) SELECT * FROM t", "read_select"],
    ["SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(id int)", "read_select"],
    [
      "SELECT o.id FROM orders o, LATERAL (SELECT max(id) FROM lines l WHERE l.o = o.id) m",
      "read_select",
    ],
    [
      "SELECT extract(year FROM now()), substring('abc' FROM 2), 'x' LIKE 'y' ESCAPE '!'",
      "read_select",
    ],
    [
      "SELECT trim(both 'x' from 'xax'), position('a' in 'b'), now() AT TIME ZONE 'UTC'",
      "read_select",
    ],
    [
      "SELECT current_date, current_user, coalesce(a, b), greatest(1, 2), nullif(1, 2) FROM t",
      "read_select",
    ],
    ["SELECT sum(x) FILTER (WHERE y) OVER w FROM t WINDOW w AS (ORDER BY z)", "read_select"],
    ["SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (id int PATH '$.id'))", "read_select"],
    ["SELECT * FROM t TABLESAMPLE bernoulli (10)", "read_select"],
    ["SELECT relname FROM pg_class JOIN information_schema.tables ON true", "read_select"],
    ["EXPLAIN (FORMAT JSON) SELECT count(*) FROM orders", "read_select"],
    ["EXPLAIN ANALYZE SELECT 1", "read_select"],
    ["SELECT 'DELETE FROM orders' -- DROP TABLE orders", "read_select"],
    ["SELECT $$; DROP TABLE orders$$", "read_select"],
    ["SELECT 1;;;", "read_select"],
    ["INSERT INTO orders VALUES (1) RETURNING id", "write_insert"],
    ["INSERT INTO orders SELECT * FROM old ON CONFLICT DO NOTHING", "write_insert"],
    ["WITH t AS (SELECT 1) INSERT INTO orders SELECT * FROM t", "write_insert"],
    ["UPDATE orders SET total = 0 FROM products p WHERE p.id = 1", "write_update"],
    ["DELETE FROM orders USING products p WHERE p.id = 1 RETURNING *", "write_delete"],
    ["TRUNCATE orders", "write_delete"],
    ["EXPLAIN DELETE FROM orders", "write_delete"],
    ["EXPLAIN ANALYZE INSERT INTO events (org_id) VALUES ('acme')", "write_insert"],
    ["CREATE TABLE t (a int DEFAULT random())", "admin"],
    ["CREATE TABLE t AS SELECT * FROM orders", "admin"],
    ["CREATE UNIQUE INDEX i ON orders (lower(name))", "admin"],
    ["CREATE VIEW v AS SELECT 1", "admin"],
    ["CREATE MATERIALIZED VIEW v AS SELECT 1", "admin"],
    ["REFRESH MATERIALIZED VIEW v", "admin"],
    ["DROP TABLE IF EXISTS orders CASCADE", "admin"],
    ["ALTER TABLE orders ADD COLUMN note text DEFAULT ''", "admin"],
    ["ALTER TABLE orders RENAME TO old", "admin"],
    ["ALTER TYPE mood ADD VALUE 'calm'", "admin"],
    ["COMMENT ON TABLE orders IS 'x'", "admin"],
    ["CREATE SCHEMA s CREATE TABLE t (a int)", "admin"],
    ["CREATE TRIGGER g AFTER INSERT ON orders EXECUTE FUNCTION audit()", "admin"],
    ["GRANT SELECT ON orders TO reader", "admin"],
    ["ANALYZE orders", "admin"],
  ])("%s is %s", (sql, expected) => {
    expect(classOf(sql)).toBe(expected);
  });

  it.each([
    ["SELECT * INTO backup_orders FROM orders", "admin"],
    [
      "SELECT 1 UNION SELECT * FROM (WITH d AS (DELETE FROM e RETURNING 1) SELECT * FROM d) x",
      "write_delete",
    ],
    ["WITH d AS (DELETE FROM events RETURNING id) SELECT id FROM d", "write_delete"],
    ["WITH q AS (SELECT id FROM e FOR UPDATE SKIP LOCKED) DELETE FROM e USING q", "write_delete"],
    ["WITH d AS (DELETE FROM e RETURNING id) DELETE FROM f USING d", "write_delete"],
    ["SELECT id FROM products FOR UPDATE", "write_update"],
    ["SELECT * FROM (SELECT id FROM products FOR KEY SHARE SKIP LOCKED) p", "write_update"],
    ["INSERT INTO o VALUES (1) ON CONFLICT (id) DO UPDATE SET total = 0", "write_update"],
    ["MERGE INTO a USING b ON a.id = b.id WHEN NOT MATCHED THEN INSERT VALUES (1)", "write_insert"],
    [
      "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN UPDATE SET x = 'CMD_DELETE'",
      "write_update",
    ],
    [
      "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN DO NOTHING",
      "write_delete",
    ],
    ["MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DO NOTHING", "write_insert"],
    ["EXPLAIN (ANALYZE, COSTS off) CREATE TABLE t AS SELECT 1", "admin"],
    ["SELECT nextval('s')", "write_insert"],
    ["INSERT INTO t SELECT nextval('s')", "write_insert"],
    ["SELECT setval('s', 1)", "write_update"],
    ["INSERT INTO t SELECT pg_notify('c', 'x')", "write_update"],
    ["SELECT their_function(1)", "admin"],
    ["SELECT public.lower('x')", "admin"],
    ["SELECT * FROM t TABLESAMPLE theirs (10)", "admin"],
  ])("is the gravest of all it holds: %s is %s", (sql, expected) => {
    expect(classOf(sql)).toBe(expected);
  });

  // A DELETE must not contain an INSERT that the intent write_delete does not cover, and likewise
  // for every pair of writes.
  it.each([
    "WITH k AS (INSERT INTO a VALUES (1) RETURNING 1) UPDATE b SET x = 1",
    "WITH k AS (INSERT INTO a VALUES (1) RETURNING 1) DELETE FROM b",
    "WITH k AS (UPDATE a SET x = 1 RETURNING 1) INSERT INTO b SELECT * FROM k",
    "WITH k AS (UPDATE a SET x = 1 RETURNING 1) DELETE FROM b",
    "WITH k AS (DELETE FROM a RETURNING 1) INSERT INTO b SELECT * FROM k",
    "WITH k AS (INSERT INTO a VALUES (1)), l AS (DELETE FROM a) SELECT 1",
    "WITH k AS (MERGE INTO a USING b ON true WHEN MATCHED THEN UPDATE SET x = 1 RETURNING 1) DELETE FROM b",
    "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (1)",
    "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED AND a.x THEN UPDATE SET x = 1 WHEN MATCHED THEN DELETE",
    "EXPLAIN ANALYZE WITH k AS (INSERT INTO a VALUES (1) RETURNING 1) UPDATE b SET x = 1",
    "INSERT INTO a WITH d AS (DELETE FROM b RETURNING *) SELECT * FROM d",
  ])("is no single kind of write where its parts are of several: %s", (sql) => {
    expect(classOf(sql)).toBe("cross_system_transaction");
    for (const intent of ["read_select", "write_insert", "write_update", "write_delete"] as const) {
      expect(intentCovers(intent, "cross_system_transaction")).toBe(false);
    }
    expect(intentCovers("cross_system_transaction", "cross_system_transaction")).toBe(true);
    expect(intentCovers("admin", "cross_system_transaction")).toBe(true);
  });

  it.each([
    "CREATE POLICY p ON orders USING (true)",
    "ALTER POLICY p ON orders USING (true)",
    "DROP POLICY p ON orders",
    "ALTER TABLE orders ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE orders DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE orders NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE orders OWNER TO agent",
    "ALTER SCHEMA s OWNER TO agent",
    "GRANT SELECT ON orders TO reader",
    "REVOKE SELECT ON orders FROM reader",
    "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader",
  ])("is governed where it changes who may do what: %s", (sql) => {
    expect(analyzer.analyze(sql, "postgres")).toMatchObject({
      statementClass: "admin",
      because: "it changes who may read or change rows",
    });
  });

  it("is governed where TRUNCATE reaches tables that it does not name", () => {
    expect(classOf("TRUNCATE orders RESTRICT")).toBe("write_delete");
    expect(analyzer.analyze("TRUNCATE orders CASCADE", "postgres")).toMatchObject({
      statementClass: "admin",
      because: "TRUNCATE CASCADE empties tables that it does not name",
    });
  });

  it("comes with the reason, where that is not plain", () => {
    const becauseOf = (sql: string): unknown => analyzer.analyze(sql, "postgres");
    expect(becauseOf("SELECT 1 FOR UPDATE")).toMatchObject({
      because: expect.stringContaining("locks"),
    });
    expect(becauseOf("SELECT f(1)")).toMatchObject({ because: "it calls the function f" });
    expect(becauseOf("SELECT lenght(name) FROM t")).toMatchObject({
      unknownFunction: "PostgreSQL has no function lenght; did you mean length?",
    });
    expect(becauseOf("SELECT strftime('%Y', day) FROM t")).toMatchObject({
      unknownFunction:
        "PostgreSQL has no function strftime. Use `to_char(day, 'YYYY')` instead of `strftime('%Y', day)`.",
    });
    expect(becauseOf("SELECT own.f(1)")).not.toHaveProperty("unknownFunction");
    expect(becauseOf("DROP TABLE t")).not.toHaveProperty("unknownFunction");
    expect(becauseOf("WITH d AS (DELETE FROM e RETURNING 1) SELECT 1")).toMatchObject({
      because: "it holds a DELETE",
    });
    expect(becauseOf("WITH i AS (INSERT INTO a VALUES (1)) DELETE FROM e")).toMatchObject({
      because: "its parts delete and insert rows, and each could be a step of its own",
    });
    expect(becauseOf("DELETE FROM e")).not.toHaveProperty("because");
  });
});

describe("texts that no intent allows", () => {
  it.each([
    "COPY products TO PROGRAM 'cat > /tmp/p'",
    "COPY products FROM STDIN",
    "DO $$ BEGIN NULL; END $$",
    "CALL p()",
    "SET ROLE admin",
    "SET LOCAL statement_timeout = 0",
    "RESET ALL",
    "SHOW data_directory",
    "DISCARD ALL",
    "BEGIN",
    "COMMIT AND CHAIN",
    "ROLLBACK TO SAVEPOINT s",
    "PREPARE TRANSACTION 'x'",
    "SET CONSTRAINTS ALL DEFERRED",
    "LOCK TABLE orders",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "EXPLAIN ANALYZE EXECUTE p",
    "CREATE TABLE t AS EXECUTE p",
    "DEALLOCATE ALL",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "EXPLAIN DECLARE c CURSOR FOR SELECT 1",
    "FETCH ALL FROM c",
    "LISTEN c",
    "NOTIFY c, 'x'",
    "LOAD 'x'",
    "CHECKPOINT",
    "VACUUM orders",
    "CREATE INDEX CONCURRENTLY i ON orders (id)",
    "DROP INDEX CONCURRENTLY i",
    "REINDEX (CONCURRENTLY) TABLE orders",
    "ALTER SYSTEM SET fsync = off",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE PROCEDURE p() LANGUAGE plpgsql AS 'BEGIN END'",
    "CREATE EXTENSION dblink",
    "CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw",
    "CREATE RULE r AS ON INSERT TO orders DO ALSO DELETE FROM events",
    "CREATE ROLE r SUPERUSER",
    "ALTER ROLE r SET search_path = x",
    "GRANT admin TO r",
    "CREATE DATABASE d",
    "ALTER ROLE r RENAME TO s",
    "ALTER DATABASE d OWNER TO r",
    "GRANT CONNECT ON DATABASE d TO r",
    "GRANT SET ON PARAMETER log_statement TO r",
    "DROP EXTENSION pgcrypto",
    "COMMENT ON ROLE r IS 'x'",
    "CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p",
    "CREATE TEMP TABLE t (a int)",
    "CREATE TEMPORARY VIEW orders AS SELECT 1",
    "SELECT 1 INTO TEMP t",
    "CREATE TABLE pg_temp.orders (a int)",
    "SELECT pg_sleep(1)",
    "SELECT pg_sleep_until('tomorrow')",
    "SELECT PG_CATALOG.pg_sleep(1)",
    'SELECT "pg_sleep"(1)',
    "SELECT id FROM orders ORDER BY pg_sleep(1)",
    "SELECT * FROM pg_sleep(1)",
    "SELECT * FROM ROWS FROM (pg_ls_dir('/'), generate_series(1, 2)) r",
    "SELECT count(*) FILTER (WHERE pg_try_advisory_lock(1)) FROM t",
    "SELECT (SELECT lo_import('/etc/passwd'))",
    "SELECT id FROM orders WHERE set_config('role', 'admin', false) <> ''",
    "SELECT current_setting('data_directory')",
    "SELECT pg_read_file('x')",
    "SELECT pg_stat_file('/etc/hosts')",
    "SELECT database_to_xml(true, false, '')",
    "SELECT query_to_xml('DELETE FROM orders', true, false, '')",
    "SELECT table_to_xml('api_keys', true, false, '')",
    "SELECT * FROM ts_stat('SELECT v FROM secrets')",
    "SELECT dblink('host=x', 'SELECT 1')",
    "SELECT dblink_exec('x')",
    "SELECT net.http_get('http://x')",
    "SELECT pg_terminate_backend(1)",
    "SELECT pg_advisory_xact_lock(1)",
    "INSERT INTO t SELECT pg_read_file('x')",
    "CREATE TABLE t (a text DEFAULT pg_read_file('x'))",
    "ALTER TABLE t ADD CHECK (pg_sleep(1) IS NULL)",
    "CREATE VIEW v AS SELECT pg_sleep(1)",
    "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = lo_unlink(1)",
    "SELECT * FROM pg_stat_activity",
    "SELECT * FROM pg_catalog.pg_authid",
    "SELECT * FROM pg_shadow",
    "TABLE pg_largeobject",
    "UPDATE pg_settings SET setting = 'off'",
    "DELETE FROM pg_catalog.pg_class",
    "UPDATE pg_class SET relname = 'x'",
  ])("%s is forbidden", (sql) => {
    expect(classOf(sql)).toBe("forbidden");
  });

  it.each([
    "SELECT 1; DELETE FROM orders",
    "SELECT 1;/**/DELETE FROM orders",
    "SELECT 1; -- comment\nDROP TABLE orders",
    "SELECT ';'; SELECT 2",
    "COMMIT; DROP TABLE orders",
  ])("%s is several statements", (sql) => {
    expect(classOf(sql)).toBe("multiple_statements");
  });

  it.each([
    "",
    "  ",
    ";",
    "-- only a comment",
    "/* unterminated",
    "selct 1",
    "SELECT 'unterminated",
    "SELECT 1\0",
    "SELECT 1\0; DROP TABLE orders",
    "\\copy t to 'x'",
    "PRAGMA foreign_keys",
    "REPLACE INTO t VALUES (1)",
    "ＳＥＬＥＣＴ 1",
  ])("%j is not PostgreSQL's SQL", (sql) => {
    expect(classOf(sql)).toBe("unparsable");
  });

  it("takes an unknown table without a schema for PostgreSQL's by its name, and says so", () => {
    expect(analyzer.analyze("TABLE pg_search_documents", "postgres")).toMatchObject({
      message: expect.stringContaining("must be named with its schema"),
    });
    expect(classOf("TABLE public.pg_search_documents")).toBe("read_select");
  });

  it("says where a syntax error is, counted in characters", () => {
    expect(analyzer.analyze("SELECT '😀'\nFROM orders WHERE WHERE", "postgres")).toMatchObject({
      reason: "unparsable",
      message:
        'syntax error at or near "WHERE" (line 2, column 19): "FROM orders WHERE >>>WHERE<<<"; clauses stand in the order FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, each once',
    });
  });
});

describe("the tables a statement names", () => {
  it.each([
    ['SELECT secret FROM "API keys"', ["API keys"]],
    ["SELECT * FROM Orders, sales.orders, ORDERS", ["orders", "sales.orders"]],
    ["SELECT (SELECT max(x) FROM a) FROM b WHERE EXISTS (SELECT 1 FROM d)", ["a", "b", "d"]],
    ["SELECT 1 FROM a UNION SELECT 2 FROM b ORDER BY (SELECT 1 FROM c)", ["c", "a", "b"]],
    [
      "INSERT INTO a SELECT * FROM b ON CONFLICT (x) DO UPDATE SET x = (SELECT 1 FROM c)",
      ["a", "b", "c"],
    ],
    ["UPDATE a SET x = 1 FROM b WHERE y = (SELECT 1 FROM c)", ["a", "c", "b"]],
    ["DELETE FROM a USING b RETURNING (SELECT 1 FROM c)", ["a", "b", "c"]],
    ["MERGE INTO a USING b ON true WHEN MATCHED THEN DELETE", ["a", "b"]],
    ["TRUNCATE a, s.b", ["a", "s.b"]],
    ["CREATE TABLE a (x int REFERENCES b, LIKE c)", ["a", "b", "c"]],
    ["CREATE VIEW v AS SELECT * FROM a", ["v", "a"]],
    ["CREATE INDEX i ON a (x)", ["a"]],
    ["ALTER TABLE s.a RENAME TO b", ["s.a", "s.b"]],
    ["ALTER VIEW s.a SET SCHEMA t", ["s.a", "t.a"]],
    ["ALTER TABLE a RENAME COLUMN b TO c", ["a"]],
    ["ALTER INDEX a RENAME TO b", ["a"]],
    ["DROP TABLE IF EXISTS a, s.b", ["a", "s.b"]],
    ["DROP INDEX i", []],
    ["COMMENT ON TABLE s.a IS ''", ["s.a"]],
    ["EXPLAIN SELECT * FROM a", ["a"]],
    ["SELECT 1 FROM a, b AS c FOR UPDATE OF c", ["a", "b"]],
    ["SELECT * FROM generate_series(1, 2) a", []],
    ["SELECT 'FROM hidden' -- FROM hidden", []],
  ] as const)("%s names %j", (sql, expected) => {
    expect([...tablesOf(sql)].sort()).toEqual([...expected].sort());
  });

  it("leaves out what a WITH names, but only where that hides the table", () => {
    expect(tablesOf("WITH a AS (SELECT * FROM b) SELECT * FROM a JOIN c ON true")).toEqual([
      "c",
      "b",
    ]);
    expect(tablesOf("WITH a AS (SELECT 1) SELECT * FROM public.a")).toEqual(["public.a"]);
    expect(tablesOf("SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a")).toEqual(["a"]);
    expect(tablesOf("WITH a AS (SELECT * FROM a) SELECT * FROM a")).toEqual(["a"]);
    expect(tablesOf("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b")).toEqual([]);
    expect(tablesOf("WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b")).toEqual(["a"]);
    expect(tablesOf("WITH RECURSIVE a AS (SELECT 1 UNION SELECT * FROM a) TABLE a")).toEqual([]);
    expect(tablesOf("WITH a AS (WITH b AS (TABLE c) TABLE b), c AS (TABLE a) TABLE b")).toEqual([
      "b",
      "c",
    ]);
    expect(tablesOf("WITH a AS (SELECT 1) DELETE FROM a")).toEqual(["a"]);
  });
});

describe("any text at all", () => {
  it("is judged without an exception", () => {
    const words =
      "SELECT DELETE FROM INTO t ( ) ; -- /* ' \" $$ \0 WITH AS , * 1 \n :: [ ] FOR UPDATE".split(
        " ",
      );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(texts, (sql) => {
        expect(["statement", "rejected"]).toContain(analyzer.analyze(sql, "postgres").kind);
      }),
    );
  });

  it("is told in about its own length, however often it gives or uses a name", () => {
    const list = (count: number, item: (place: number) => string): string =>
      Array.from({ length: count }, (_, place) => item(place)).join(", ");
    const analysis = analyzer.analyze(
      `SELECT ${list(3_000, (n) => `a.c${n}`)} FROM ${list(3_000, (n) => `t${n} a`)}`,
      "postgres",
    );
    expect(tablesOf(`WITH ${list(3_000, (n) => `a${n} AS (TABLE t)`)} TABLE a7`)).toEqual(["t"]);
    expect(JSON.stringify(analysis).length).toBeLessThan(1_000_000);
  });

  it("is found however deep it is nested, or refused, and the next one is read as ever", async () => {
    const nested = (open: string, inner: string, close: string, depth: number): string =>
      `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
    expect(classOf(`SELECT ${nested("(", "(DELETE FROM t)", ")", 100)}`)).toBe("unparsable");
    expect(tablesOf(nested("SELECT (", "SELECT 1 FROM a", ")", 500))).toEqual(["a"]);
    for (const depth of [3_000, 6_000, 9_000]) {
      for (const open of ["SELECT (", "SELECT 1+1+1+1 UNION ", "SELECT - - - ("]) {
        const verdict = classOf(nested(open, "SELECT 1", open.endsWith("(") ? ")" : "", depth));
        expect(["read_select", "unparsable"]).toContain(verdict);
      }
      await new Promise((resolve) => setImmediate(resolve));
      expect(classOf(`SELECT ${depth} FOR UPDATE`)).toBe("write_update");
    }
  });
});
