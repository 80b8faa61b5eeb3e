import { describe, expect, it } from "vitest";
import { migrationOn } from "../testing/migration-on.js";
import { PostgresSchemaDatabase } from "./index.js";
import { define, openPair, resultOf } from "./testing/transition.js";

const OF_K = (attributes: string, table: string): string =>
  `CREATE TYPE k AS (${attributes}); ${table}; CREATE VIEW v AS SELECT x, n FROM p`;
const LIST =
  "CREATE TABLE p(x k, n int) PARTITION BY LIST (x); CREATE TABLE q PARTITION OF p FOR VALUES IN ('(1,a)')";
const SUB =
  "CREATE TABLE p(x k, n int) PARTITION BY LIST (n); CREATE TABLE o PARTITION OF p FOR VALUES IN (2); CREATE TABLE q PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (x); CREATE TABLE r PARTITION OF q DEFAULT";

/** Schemas before and after a change of something that a partition key uses. */
const CHANGES: readonly (readonly [string, string, string])[] = [
  ["an attribute's type", OF_K("a int, b text", LIST), OF_K("a bigint, b text", LIST)],
  [
    "an attribute's type, under an expression over another attribute and a domain",
    "CREATE TYPE k AS (a int, b text); CREATE DOMAIN d AS k; CREATE TABLE p(x d, n int) PARTITION BY RANGE (((x).b), n); CREATE TABLE q PARTITION OF p DEFAULT",
    "CREATE TYPE k AS (b text, a bigint); CREATE DOMAIN d AS k; CREATE TABLE p(x d, n int) PARTITION BY RANGE (((x).b), n); CREATE TABLE q PARTITION OF p DEFAULT",
  ],
  [
    "a new attribute",
    OF_K("a int, b text", LIST),
    OF_K("a int, b text, c int", LIST.replace("a)", "a,)")),
  ],
  ["an attribute's type, under a partition's own key", OF_K("a int", SUB), OF_K("a bigint", SUB)],
  [
    "the row type of a table",
    "CREATE TABLE r(a int); CREATE TABLE p(x r, n int) PARTITION BY LIST (x); CREATE TABLE q PARTITION OF p FOR VALUES IN ('(1)')",
    "CREATE TABLE r(a bigint, b int DEFAULT 1); CREATE TABLE p(x r, n int) PARTITION BY LIST (x); CREATE TABLE q PARTITION OF p FOR VALUES IN ('(1,2)')",
  ],
  [
    "an inherited column's type, under a partition's own key",
    SUB.replace("x k", "x int"),
    SUB.replace("x k", "x bigint"),
  ],
  [
    "the labels of an enum",
    "CREATE TYPE e AS ENUM ('a', 'b'); CREATE TABLE p(x e) PARTITION BY LIST (x); CREATE TABLE q PARTITION OF p FOR VALUES IN ('a')",
    "CREATE TYPE e AS ENUM ('b', 'a'); CREATE TABLE p(x e) PARTITION BY LIST (x); CREATE TABLE q PARTITION OF p FOR VALUES IN ('a')",
  ],
  [
    "a function's result",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'select $1'; CREATE TABLE p(x int) PARTITION BY RANGE (f(x)); CREATE TABLE q PARTITION OF p FOR VALUES FROM (1) TO (5)",
    "CREATE FUNCTION f(int) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'select $1::bigint'; CREATE TABLE p(x int) PARTITION BY RANGE (f(x)); CREATE TABLE q PARTITION OF p FOR VALUES FROM (1) TO (5)",
  ],
  [
    "a collation",
    "CREATE COLLATION c (LOCALE = 'C'); CREATE TABLE p(x text) PARTITION BY LIST (x COLLATE c); CREATE TABLE q PARTITION OF p FOR VALUES IN ('a')",
    "CREATE COLLATION c (PROVIDER = icu, LOCALE = 'de'); CREATE TABLE p(x text) PARTITION BY LIST (x COLLATE c); CREATE TABLE q PARTITION OF p FOR VALUES IN ('a')",
  ],
];

const INDEXED = (options: string): string =>
  `CREATE TABLE p(a int, b int) PARTITION BY LIST (a); CREATE TABLE q PARTITION OF p FOR VALUES IN (1); CREATE INDEX i ON p(b)${options}`;

const pair = await openPair();

describe("what a partition key uses", () => {
  it.each(CHANGES)("changes, and comes back: %s", async (_title, current, desired) => {
    const { one, other } = pair;
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
  });

  it("changes beside the storage parameters of the partitioned table's index", async () => {
    const { one, other } = pair;
    const desired = INDEXED(" WITH (fillfactor = 70)");
    expect([await define(one, INDEXED("")), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { desired })).toBe("equal");
  });

  it("changes with the loss of the rows only when that is accepted, and of no other rows", async () => {
    const { one, url } = pair;
    await define(one, OF_K("a int", SUB));
    await one.query("INSERT INTO p VALUES ('(1)', 1), ('(1)', 2)");
    const migrating = migrationOn(new PostgresSchemaDatabase("shop", url), OF_K("a bigint", SUB));
    await expect(migrating).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message: expect.stringMatching(/public\.q: it is dropped and created again/) as unknown,
    });
    await expect(migrating).rejects.not.toMatchObject({
      message: expect.stringMatching(/public\.[po]: /) as unknown,
    });
    expect((await one.query("SELECT FROM p")).rowCount).toBe(2);
  });
});
