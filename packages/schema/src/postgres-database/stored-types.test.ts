import { describe, expect, it } from "vitest";
import { identify, scriptBetween } from "../index.js";
import { introspectScratch } from "./session.js";
import { tryRandomTypes } from "./testing/random-types.js";
import { answersOnTheWay, define, openPair, resultOf } from "./testing/transition.js";

/** A table, and columns of another one that store its row type in every way. */
const ROW = (columns: string, others = ""): string =>
  `CREATE TABLE r(${columns}); CREATE DOMAIN d AS r; CREATE TYPE c AS (y r[]); CREATE TABLE t(x d, y r[] DEFAULT '{}' CHECK (cardinality(y) < 9), z c, n int${others});
  CREATE TABLE u(k t[]); CREATE INDEX i ON t USING gin (y); CREATE VIEW v AS SELECT (x).a FROM t; CREATE MATERIALIZED VIEW m AS SELECT NULL::r AS x;
  CREATE TABLE p(k int, q r) PARTITION BY LIST (k); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); ALTER TABLE t ALTER x SET STORAGE EXTERNAL;`;
const ROW_ROWS = `INSERT INTO r VALUES (1), (2); INSERT INTO t VALUES ('(1)', '{(2),NULL}', '("{(3),(4)}")', 5), (NULL, NULL, NULL, NULL);
  INSERT INTO u VALUES (ARRAY[('(6)', NULL, NULL, 8)::t]); INSERT INTO p VALUES (1, '(9)');`;
const ROW_QUERY = `SELECT (x).a::int AS x, (y[1]).a::int AS y, cardinality(y) AS count, ((z).y[2]).a::int AS z, (((SELECT k FROM u)[1]).x).a::int AS u,
  (SELECT (q).a::int FROM p) AS p, (SELECT sum(a)::int FROM r) AS r, x IS NULL AS none FROM t ORDER BY n`;

/** A composite type in columns of every sort. */
const COMPOSITE = (attributes: string, others = ""): string =>
  `CREATE TYPE k AS (${attributes}); CREATE TYPE o AS (i k[], n int); CREATE DOMAIN d AS k;
  CREATE TABLE t(x k, y k[], z d, w o${others}); CREATE FUNCTION f(k) RETURNS o LANGUAGE sql AS 'select null'; CREATE VIEW v AS SELECT (x).a FROM t;`;
const COMPOSITE_ROWS = `INSERT INTO t VALUES ('(1,"a, b")', '{"(2,\\"\\")",NULL}', '(3,)', '("{""(4,q)""}",5)'), (NULL, NULL, NULL, NULL);`;
const COMPOSITE_QUERY = `SELECT (x).a::int AS x, (y[1]).a::int AS y, cardinality(y) AS count, (z).a::int AS z, ((w).i[1]).a::int AS w, (w).n AS n,
  x IS NULL AS none FROM t ORDER BY n`;

const F = (table: string): string =>
  `CREATE FUNCTION f(int) RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC SELECT $1 > coalesce(min(b), 0) FROM ${table}; END; CREATE DOMAIN d AS int CHECK (f(VALUE));`;
const DAYS = `CREATE TABLE p(id serial, day int) PARTITION BY LIST (day); CREATE TABLE c(LIKE p INCLUDING ALL);`;
const ATTACH = "ALTER TABLE p ATTACH PARTITION c FOR VALUES IN (1);";

/** Schemas, rows of the first one, the second schema, and a query whose answer stays the same. */
const CHANGES: readonly (readonly [string, string, string, string, string])[] = [
  [
    "a column's type of a table whose row type is stored",
    ROW("a int"),
    ROW_ROWS,
    ROW("a bigint"),
    ROW_QUERY,
  ],
  [
    "new columns with defaults of tables whose row types are stored",
    ROW("a int"),
    ROW_ROWS,
    ROW(
      "a int, b int NOT NULL DEFAULT 1, e text, g int GENERATED ALWAYS AS IDENTITY",
      ", l int DEFAULT 2",
    ),
    ROW_QUERY,
  ],
  [
    "a column's type, while columns begin and cease to store the row type",
    "CREATE TABLE r(a int); CREATE TABLE t(x r, y text, z text[]);",
    "INSERT INTO t VALUES ('(1)', '(2)', '{}')",
    "CREATE TABLE r(a bigint); CREATE TABLE t(x text, y r, z r[], w r[]); CREATE TABLE n(x r[]);",
    "SELECT x::text, y::text, z::text FROM t",
  ],
  [
    "how a table is logged whose row type is stored",
    "CREATE TABLE r(a int); CREATE TABLE t(x r[]);",
    "INSERT INTO r VALUES (1); INSERT INTO t VALUES ('{(1)}')",
    "CREATE UNLOGGED TABLE r(a int); CREATE TABLE t(x r[]);",
    "SELECT x::text, a FROM t, r",
  ],
  [
    "an inner composite type's attribute type",
    COMPOSITE("a int, b text"),
    COMPOSITE_ROWS,
    COMPOSITE("a bigint, b text"),
    `${COMPOSITE_QUERY}, (SELECT w::text FROM t LIMIT 1)`,
  ],
  [
    "an inner composite type's attributes, one of them between the others",
    COMPOSITE("a int, b text"),
    COMPOSITE_ROWS,
    COMPOSITE("b text, a int, e date"),
    COMPOSITE_QUERY,
  ],
  [
    "an attribute's type, together with new attributes and ones that go",
    COMPOSITE("a int, b text"),
    COMPOSITE_ROWS,
    COMPOSITE("e date, a bigint, g text"),
    COMPOSITE_QUERY,
  ],
  [
    "an enum within a composite type, and a composite type of a typed table",
    "CREATE TYPE e AS ENUM ('a', 'b'); CREATE TYPE k AS (a e, b int); CREATE TABLE t(x k[]); CREATE TABLE s OF k;",
    "INSERT INTO t VALUES ('{\"(a,1)\"}'); INSERT INTO s VALUES ('a', 2)",
    "CREATE TYPE e AS ENUM ('c', 'a'); CREATE TYPE k AS (a e, b bigint); CREATE TABLE t(x k[]); CREATE TABLE s OF k;",
    "SELECT x::text, s::text FROM t, s",
  ],
  [
    "a partition's own default, whose sequence goes",
    `${DAYS} ALTER TABLE p ALTER id DROP DEFAULT; ${ATTACH}`,
    "INSERT INTO c(day) VALUES (1), (1)",
    `CREATE TABLE p(id int NOT NULL, day int) PARTITION BY LIST (day); CREATE TABLE c PARTITION OF p FOR VALUES IN (1);`,
    "SELECT id, day FROM p ORDER BY id",
  ],
  [
    "the sequence of a partition, when its parent is new",
    "CREATE TABLE c(id serial, day int NOT NULL);",
    "INSERT INTO c(day) VALUES (1), (1)",
    `CREATE TABLE p(id serial, day int NOT NULL) PARTITION BY LIST (day); CREATE TABLE c(LIKE p INCLUDING ALL); ${ATTACH}`,
    "SELECT id, day FROM c ORDER BY id",
  ],
  [
    "a function under the defaults of a parent and a partition",
    `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'; CREATE TABLE p(id int DEFAULT 3, day int) PARTITION BY LIST (day); CREATE TABLE c PARTITION OF p (id DEFAULT f()) FOR VALUES IN (1);`,
    "INSERT INTO c(day) VALUES (1)",
    `CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS 'select 1::bigint'; CREATE TABLE p(id int DEFAULT f(), day int) PARTITION BY LIST (day); CREATE TABLE c PARTITION OF p (id DEFAULT f()) FOR VALUES IN (1);`,
    "SELECT id, day FROM c",
  ],
  [
    "a new domain in an array, whose check needs a new column",
    "CREATE TABLE r(a int); CREATE TABLE t(x int[]);",
    "INSERT INTO t VALUES ('{1,2}')",
    `CREATE TABLE r(a int, b int); ${F("r")} CREATE TABLE t(x d[], y d[]); CREATE TYPE k AS (y d); CREATE TABLE n(x d[], y k); CREATE DOMAIN w AS n; CREATE VIEW v AS SELECT x FROM t;`,
    "SELECT x::text FROM t",
  ],
  [
    "checks and NOT NULL of a domain in arrays and composite types",
    "CREATE DOMAIN d AS int; CREATE DOMAIN e AS d; CREATE TYPE k AS (a e); CREATE TABLE t(x d[], y k, z d, w e[]);",
    "INSERT INTO t VALUES ('{1,2}', '(3)', 4, '{5}')",
    "CREATE DOMAIN d AS int NOT NULL CHECK (VALUE > 0); CREATE DOMAIN e AS d; CREATE TYPE k AS (a e); CREATE TABLE t(x d[], y k, z d, w e[]);",
    "SELECT t::text FROM t",
  ],
  [
    "a multirange's subtype",
    "CREATE TYPE q AS RANGE (SUBTYPE = int, MULTIRANGE_TYPE_NAME = qm); CREATE TABLE t(a q, b qm);",
    "INSERT INTO t VALUES ('[1,2)', '{[3,4)}')",
    "CREATE TYPE q AS RANGE (SUBTYPE = numeric, MULTIRANGE_TYPE_NAME = qm); CREATE TABLE t(a q, b qm);",
    "SELECT t::text FROM t",
  ],
];

const pair = await openPair();
const { one, other } = pair;

describe("a type that PostgreSQL does not alter while columns store it is altered, and back", () => {
  it.each(CHANGES)("%s", async (_title, current, rows, desired, query) => {
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
    const given = { current, desired, rows, query };
    const [before, there, back] = await answersOnTheWay(one, other, given);
    expect([there, back]).toEqual([before, before]);
  });

  it("random ones that use each other", async () => {
    expect(await tryRandomTypes(pair, { numRuns: 8, seed: 1 })).toBeGreaterThan(3);
  }, 60_000);

  it("unless stored rows could not be read, which is said with the column and the type", async () => {
    const schema = (attributes: string): string =>
      `CREATE TYPE k AS (${attributes}); CREATE TABLE r(x k); CREATE TABLE t(y r[]);`;
    await define(one, schema("a int, b int"));
    await define(other, schema("b int, a int"));
    const base = identify(await introspectScratch(one), undefined);
    const target = identify(await introspectScratch(other), base);
    expect(() => scriptBetween(base, target)).toThrow(
      "The column public.t.y stores rows of a table with the composite type public.k, whose attributes",
    );
  });
});
