import { describe, expect, it } from "vitest";
import { readDefinitions } from "./read-definitions.js";

const statementsOf = async (sql: string, dialect: "sqlite" | "postgres" = "postgres") =>
  (await readDefinitions(sql, dialect)).statements.map((each) => each.sql);
const MIB = 1024 * 1024;

describe("a schema as pg_dump writes it", () => {
  it("is its definitions, and the settings that decide what they mean", async () => {
    const dump = `--
-- PostgreSQL database dump
--

\\restrict dQwC3XyZ0

-- Dumped from database version 18.1
SET statement_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;

CREATE SCHEMA public;
COMMENT ON SCHEMA public IS 'standard public schema';
CREATE TABLE public.t (id integer NOT NULL);
ALTER TABLE public.t OWNER TO app;
CREATE MATERIALIZED VIEW public.m AS
 SELECT 1 AS data
  WITH NO DATA;
CREATE RULE r AS ON INSERT TO public.t DO ALSO ( DELETE FROM public.t; NOTIFY n; );
ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);
ALTER INDEX public.i ATTACH PARTITION public.i_1;
ALTER TABLE ONLY public.t ATTACH PARTITION public.t_1 FOR VALUES FROM ('2026-01-01'::date) TO (MAXVALUE);
ALTER DEFAULT PRIVILEGES FOR ROLE admin IN SCHEMA public GRANT SELECT ON TABLES TO reader, PUBLIC;
REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT SELECT(id) ON TABLE public.t TO "Other one";
CREATE USER MAPPING FOR app SERVER s OPTIONS (password 'secret');

\\unrestrict dQwC3XyZ0
`;
    const { statements, roles } = await readDefinitions(dump, "postgres");
    expect(statements.map(({ sql }) => sql.replaceAll(/\s+/g, " "))).toEqual([
      "SELECT pg_catalog.set_config('search_path', '', false)",
      "SET xmloption = content",
      "SET default_table_access_method = heap",
      "COMMENT ON SCHEMA public IS 'standard public schema'",
      "CREATE TABLE public.t (id integer NOT NULL)",
      "ALTER TABLE public.t OWNER TO app",
      "CREATE MATERIALIZED VIEW public.m AS SELECT 1 AS data WITH NO DATA",
      "CREATE RULE r AS ON INSERT TO public.t DO ALSO ( DELETE FROM public.t; NOTIFY n; )",
      "ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id)",
      "ALTER INDEX public.i ATTACH PARTITION public.i_1",
      "ALTER TABLE ONLY public.t ATTACH PARTITION public.t_1 FOR VALUES FROM ('2026-01-01'::date) TO (MAXVALUE)",
      "ALTER DEFAULT PRIVILEGES FOR ROLE admin IN SCHEMA public GRANT SELECT ON TABLES TO reader, PUBLIC",
      "REVOKE USAGE ON SCHEMA public FROM PUBLIC",
      'GRANT SELECT(id) ON TABLE public.t TO "Other one"',
    ]);
    expect([...roles.entries()]).toEqual([
      ["app", "line 22"],
      ["admin", "line 30"],
      ["reader", "line 30"],
      ["Other one", "line 32"],
    ]);
  });

  it("keeps what no migration makes apart, to be compared with the database", async () => {
    const { statements, unmanaged } = await readDefinitions(
      `CREATE EVENT TRIGGER "Log" ON ddl_command_end EXECUTE FUNCTION f();
       ALTER EVENT TRIGGER "Log" OWNER TO app;
       CREATE DEFAULT CONVERSION app.c FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
       COMMENT ON CONVERSION app.c IS 'x';
       CREATE OR REPLACE TRUSTED PROCEDURAL LANGUAGE plx;
       CREATE SUBSCRIPTION s CONNECTION 'host=elsewhere' PUBLICATION p WITH (connect = false)`,
      "postgres",
    );
    expect(statements).toEqual([]);
    expect(unmanaged.map(({ sort, name }) => [sort, name])).toEqual([
      ["event trigger", "Log"],
      ["conversion", "app.c"],
      ["language", "plx"],
      ["subscription", "s"],
    ]);
  });

  it.each([
    ["\\! rm -rf /", "Commands of psql"],
    ["\\copy t FROM 'rows.csv'", "Commands of psql"],
    ["\\restrict a; DROP TABLE t", "Commands of psql"],
    ["\\connect other", "without --create"],
    ["CREATE TABLE t (a int) \\g", "Commands of psql"],
    ["COPY t (a) FROM stdin;\n1\tit's\n\\.\n", "--schema-only"],
    ["INSERT INTO t VALUES (1)", "--schema-only"],
    ["SELECT pg_catalog.setval('public.s', 42, true)", "--schema-only"],
    ["SELECT set_config('search_path', f(), false)", "needs no query"],
    ["SELECT pg_catalog.set_config('role', 'x', false), f()", "needs no query"],
    ["REFRESH MATERIALIZED VIEW m", "--schema-only"],
    ["DO $$ BEGIN PERFORM 1; END $$", "runs code"],
    ["CREATE TABLE t AS SELECT pg_read_file('/etc/passwd')", "runs a query"],
    ["CREATE TABLE t (a) WITH (fillfactor = 70) AS SELECT 1", "runs a query"],
    ["CREATE UNLOGGED TABLE IF NOT EXISTS s.t (a) AS TABLE u", "runs a query"],
    ["CREATE TABLE p PARTITION OF t FOR VALUES IN (pg_read_file('/etc/passwd'))", "run at once"],
    ["ALTER TABLE t ATTACH PARTITION p FOR VALUES FROM (s.f(1)) TO (2)", "run at once"],
    ["CREATE TEMP TABLE t (a int)", "temporary"],
    ["CREATE DATABASE other", "whole server"],
    ["COMMENT ON DATABASE shop IS 'x'", "whole server"],
    ["GRANT CONNECT ON DATABASE shop TO eve", "whole server"],
    ["REVOKE ALL ON TABLESPACE fast FROM eve", "whole server"],
    ["GRANT admin TO eve", "whole server"],
    ["ALTER SYSTEM SET fsync = off", "whole server"],
    ["CREATE SCHEMA s GRANT CONNECT ON DATABASE shop TO eve", "statements of their own"],
    ["ALTER LARGE OBJECT 1 OWNER TO eve", "Large objects are data"],
    ["SET ROLE eve", "OWNER TO"],
    ["SET SESSION AUTHORIZATION eve", "OWNER TO"],
    ["SET LOCAL search_path = s", "without LOCAL"],
    ["SET standard_conforming_strings = off", "backslash"],
    ["SET client_encoding = 'LATIN1'", "--encoding=UTF8"],
    ["DROP TABLE IF EXISTS t", "--clean"],
    ["SECURITY LABEL ON TABLE t IS 'x'", "--no-security-labels"],
    ["VACUUM", "defines nothing"],
  ])("is refused by line and statement where it is more than definitions: %j", async (sql, why) => {
    const text = `CREATE TABLE a (b text DEFAULT '\n;');\n\n-- a comment; of one line\n${sql}`;
    await expect(readDefinitions(text, "postgres")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^line 5: a schema is made of definitions only\. .+/),
    });
    await expect(readDefinitions(text, "postgres")).rejects.toThrow(why);
  });

  it("is never taken for something else than the server takes it for", async () => {
    const hidden = (sql: string) =>
      expect(readDefinitions(sql, "postgres")).rejects.toThrow("only");
    // A carriage return also ends a line comment.
    await hidden("CREATE TABLE t (a int); -- one\rCOPY t FROM PROGRAM 'id'");
    // Comments can be nested.
    expect(await statementsOf("/* /* */ COPY t FROM stdin; */ CREATE TABLE t (a int)")).toEqual([
      "CREATE TABLE t (a int)",
    ]);
    // A tag may contain letters beyond ASCII, and a no-break space counts as one.
    const body = "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $é$ SELECT 'x; $$' $é$";
    expect(await statementsOf(`${body}; CREATE TABLE t (a int)`)).toEqual([
      body,
      "CREATE TABLE t (a int)",
    ]);
    await hidden("CREATE\u00a0TABLE t (a int)");
    const escaped = "CREATE TABLE t (a text DEFAULT E'\\'; COPY t FROM stdin; --')";
    expect(await statementsOf(escaped)).toEqual([escaped]);
  });

  it("never runs the query of a materialized view", async () => {
    expect(
      await statementsOf(
        `/* of the day */ CREATE MATERIALIZED VIEW a AS SELECT 1;
         CREATE /* x */ MATERIALIZED VIEW b AS SELECT 1 AS data -- DATA
         ; CREATE MATERIALIZED VIEW c AS SELECT 1 WITH DATA`,
      ),
    ).toEqual([
      "CREATE MATERIALIZED VIEW a AS SELECT 1 WITH NO DATA",
      "CREATE /* x */ MATERIALIZED VIEW b AS SELECT 1 AS data WITH NO DATA",
      "CREATE MATERIALIZED VIEW c AS SELECT 1 WITH NO DATA",
    ]);
  });
});

describe("a schema as sqlite3 writes it", () => {
  it("is its definitions, without SQLite's own tables", async () => {
    const dump = `PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, "a;b" TEXT);
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE sqlite_stat1(tbl,idx,stat);
CREATE TABLE IF NOT EXISTS "sqlite_stat4"(tbl,idx,neq,nlt,ndlt,sample);
ANALYZE sqlite_schema;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('t',7);
CREATE VIEW v AS SELECT id FROM t
/* v(id) */;
CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM t; END;
COMMIT;
`;
    const read = await statementsOf(dump, "sqlite");
    expect(read.map((sql) => sql.slice(0, 14))).toEqual([
      "CREATE TABLE t",
      "CREATE VIEW v ",
      "CREATE TRIGGER",
    ]);
  });

  it.each([
    ["INSERT INTO t VALUES(1)", ".schema"],
    ["INSERT INTO sqlite_schema(type) VALUES('table')", "virtual table"],
    ["CREATE TABLE t AS SELECT 1", "runs a query"],
    ["CREATE TEMP TABLE t (a)", "temporary"],
    [".read other.sql", "sqlite3 program"],
    ["ATTACH 'x.db' AS x", "one database"],
    ["ALTER TABLE t ADD COLUMN b", "as it is to be"],
    ["ROLLBACK", "failed"],
  ])("is refused by line and statement where it is more: %j", async (sql, why) => {
    await expect(readDefinitions(`CREATE TABLE a (b);\n${sql}`, "sqlite")).rejects.toThrow(
      new RegExp(`^line 2: .*definitions only.*${why.replaceAll(".", "\\.")}`),
    );
  });
});

describe("a schema of any origin", () => {
  it("names the file that a statement is in, and lets none reach into the next", async () => {
    const files = [
      { name: "a.sql", sql: "\ufeffSET search_path = s; CREATE TABLE t (a int)" },
      { name: "b.sql", sql: "CREATE TABLE u (a int);\nDO $$ $$" },
    ];
    await expect(readDefinitions(files, "postgres")).rejects.toThrow(/^b\.sql, line 2: /);
    const { statements } = await readDefinitions(
      files.map((file) => ({ ...file, sql: file.sql.replace("DO $$ $$", "") })),
      "postgres",
    );
    expect(statements.map(({ sql, place }) => `${place}: ${sql}`)).toEqual([
      "a.sql, line 1: SET search_path = s",
      "a.sql, line 1: CREATE TABLE t (a int)",
      "b.sql, line 1: SET search_path = public",
      "b.sql, line 1: CREATE TABLE u (a int)",
    ]);
    const open = [{ name: "a.sql", sql: "CREATE TABLE t (a text DEFAULT 'it" }, ...files];
    await expect(readDefinitions(open, "postgres")).rejects.toThrow(/^a\.sql, line 1: the quote/);
  });

  it.each([
    ["'", "quote"],
    ['"', "quote"],
    ["E'\\'", "quote"],
    ["$a$ $b$", "quote"],
    ["/* /* */", "comment"],
  ])("is refused where what begins with %j is never closed", async (open, what) => {
    const sql = `CREATE TABLE a (b int);\n\nCREATE TABLE t (a ${open}, c int);\n'`.replace(
      /'$/,
      open.includes("'") ? "" : "'",
    );
    await expect(readDefinitions(sql, "postgres")).rejects.toThrow(
      `line 3: the ${what} that begins here is never closed`,
    );
  });

  it.each([
    ["comments", "-- nothing\n", 16, /^$/],
    // Each of these texts once made a pattern scan to the end of the text repeatedly.
    ["tags that are never closed", "$a$ $b$ $c$ $d$ $e$ ", 16, /one statement of a schema has/],
    ["brackets", "[", 2, /one statement of a schema has/],
    ["brackets of SQLite", "[", 16, /never closed/],
  ] as const)("of %s is read, or refused, while others go on", async (name, part, mib, why) => {
    const sql = part.repeat((mib * MIB) / part.length);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const dialect = name.endsWith("SQLite") ? "sqlite" : "postgres";
    const refusal = await readDefinitions(sql, dialect).then(
      () => "",
      (error: unknown) => String(error),
    );
    clearInterval(timer);
    expect(refusal).toMatch(why);
    if (name === "comments") expect(turns).toBeGreaterThan(10);
  });

  it("has 16 MiB at most, and says what to leave out", async () => {
    const half = "-".repeat(8 * MIB + 1);
    const files = [
      { name: "a.sql", sql: half },
      { name: "b.sql", sql: half },
    ];
    await expect(readDefinitions(files, "sqlite")).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(/16 MiB at most, and this one has 16\.0 MiB.*--schema-only/),
    });
    await expect(
      readDefinitions(`CREATE TABLE t (a)\n${"-- x\n".repeat(MIB)}`, "sqlite"),
    ).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", message: expect.stringContaining("line 1") });
  });
});

describe("a rename hint", () => {
  const hintsOf = async (sql: string, dialect: "sqlite" | "postgres" = "postgres") =>
    (await readDefinitions(sql, dialect)).hints;

  it("stands before, in or behind a definition, with the schemas that it says", async () => {
    const sql = `-- @renamed from=Store
      CREATE SCHEMA shop;
      CREATE TABLE shop.orders ( -- @renamed from=store."Old orders"
        id int, -- @renamed from=number
        CONSTRAINT positive CHECK (id > 0) /* @renamed from=some */);
      CREATE SEQUENCE counter /* @renamed from=count */;
      CREATE UNIQUE INDEX by_id ON shop.orders (id) -- @renamed from=by_number
    `;
    expect(await hintsOf(sql)).toEqual([
      { kind: "Schema", from: "store", to: "shop", place: "line 2" },
      {
        kind: "Table",
        schema: "shop",
        fromSchema: "store",
        from: "Old orders",
        to: "orders",
        place: "line 3",
      },
      {
        kind: "Column",
        schema: "shop",
        table: "orders",
        from: "number",
        to: "id",
        place: "line 3",
      },
      {
        ...{ kind: "Constraint", schema: "shop", table: "orders", from: "some", to: "positive" },
        place: "line 3",
      },
      { kind: "Sequence", from: "count", to: "counter", place: "line 6" },
      { kind: "Index", from: "by_number", to: "by_id", place: "line 7" },
    ]);
  });

  it.each([
    [
      "CREATE FUNCTION f() /* @renamed from=g */ RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "must stand in the CREATE",
    ],
    [
      "CREATE TABLE t (a int); COMMENT ON TABLE t /* @renamed from=u */ IS 'x'",
      "must stand in the CREATE",
    ],
    ["SET search_path = '' /* @renamed from=u */", "must stand in the CREATE"],
    ["CREATE TABLE t (a int, CHECK (a > 0) /* @renamed from=d */)", "a constraint without a name"],
    ["CREATE TYPE t AS (a int /* @renamed from=b */)", "attribute of a type"],
    ["CREATE TABLE t (a int /* @renamed from=u.b */)", "can come from another schema"],
    ["CREATE TABLE t (a int) /* @renamed u */", "@renamed from=OLD_NAME"],
    ["CREATE TABLE t (a int) /* @renamed from=a.b.c */", "@renamed from=OLD_NAME"],
    ["CREATE TABLE t (a int, -- @rename from=b\n c int)", "@renamed from=OLD_NAME"],
    ["CREATE TABLE t (a int) -- @Renamed from=u", "@renamed from=OLD_NAME"],
    ["CREATE TABLE t (a int) -- @renamed: from=u", "@renamed from=OLD_NAME"],
    ["CREATE TABLE t (a int) -- renamed from=u", "@renamed from=OLD_NAME"],
    ["-- @rename from=u\nCREATE TABLE t (a int)", "@renamed from=OLD_NAME"],
    ["CREATE TABLE t (a int); -- @rename from=u", "before the semicolon"],
    ["CREATE TABLE t (a int); -- @renamed from=u\nCREATE TABLE v (a int)", "before the semicolon"],
    ["CREATE TABLE t (a int);\n-- @renamed from=u\n", "before the semicolon"],
  ])("that can have no effect is refused: %s", async (sql, reason) => {
    await expect(readDefinitions(sql, "postgres")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(reason) as unknown,
    });
  });
});
