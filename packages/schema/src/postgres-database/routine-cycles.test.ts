import { expect, it } from "vitest";
import { migrationOn } from "../testing/migration-on.js";
import { PostgresSchemaDatabase } from "./index.js";
import { define, openPair, resultOf } from "./testing/transition.js";

const F = "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql RETURN $1;";
const G = "CREATE FUNCTION g(int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT f($1); END;";
const F_OF_G =
  "CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT g($1 - 1); END;";

/** The same, for a call that ends. */
const ENDING = F_OF_G.replace("g($1 - 1)", "CASE WHEN $1 < 1 THEN 7 ELSE g($1 - 1) END");

/** Schemas whose routines have parsed bodies that lead back to themselves: before, and after. */
const CYCLES: readonly (readonly [string, string, string])[] = [
  ["two functions that call each other, from nothing", "", F + G + F_OF_G],
  ["a function that begins to call one that calls it", F, F + G + F_OF_G],
  [
    "a function that calls itself",
    "",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql RETURN $1; CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql RETURN f($1 - 1);",
  ],
  [
    "three functions, a view and a row type",
    "CREATE TABLE t(a int);",
    `CREATE TABLE t(a bigint); ${F} CREATE VIEW v AS SELECT f(a::int) AS x FROM t;
      CREATE FUNCTION g(int) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT sum(x) FROM v; END;
      CREATE FUNCTION h(n int DEFAULT 3) RETURNS t LANGUAGE sql BEGIN ATOMIC SELECT * FROM t WHERE a > g(n); END;
      CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT (h($1 - 1)).a::int; END`,
  ],
  [
    "a function whose result gets another type",
    F + G + F_OF_G,
    `${F.replace("S int", "S bigint")} ${G.replace("f($1)", "f($1)::int")} ${F_OF_G.replace("S int", "S bigint")}`,
  ],
  [
    "the default of a parameter",
    "",
    `${F} CREATE FUNCTION g(a int DEFAULT f(2)) RETURNS int LANGUAGE sql RETURN a;
      CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT g(); END`,
  ],
  [
    "the default of a column, and what needs its table",
    "",
    `CREATE FUNCTION f() RETURNS bigint LANGUAGE sql RETURN 1; CREATE TABLE t(a bigint DEFAULT f());
      CREATE PROCEDURE g() LANGUAGE sql BEGIN ATOMIC INSERT INTO t VALUES (f()); END;
      CREATE OR REPLACE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(a) FROM t; END; CREATE VIEW v AS SELECT a + f() AS x FROM t`,
  ],
  [
    "a materialized view, which is only filled once the bodies are there",
    "CREATE TABLE t(a int);",
    `CREATE TABLE t(a int); ${F} ${G} ${ENDING} CREATE MATERIALIZED VIEW m AS SELECT f(2) AS x`,
  ],
];

const pair = await openPair();

it.each(CYCLES)("a cycle of routines comes and goes: %s", async (_title, current, desired) => {
  const { one, other } = pair;
  expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
  expect(await resultOf(one, other, { current, desired })).toBe("equal");
});

it("is proposed to an empty database, and everything is filled by the real bodies", async () => {
  const { one, url } = pair;
  await define(one, "CREATE TABLE t(a int)");
  await one.query("INSERT INTO public.t VALUES (1)");
  const cycle = F + G + ENDING;
  const others = `CREATE TABLE t(a int, b int DEFAULT f(2)); CREATE MATERIALIZED VIEW m AS SELECT f(2) AS x`;
  const database = new PostgresSchemaDatabase("shop", url);
  const rows = async (): Promise<readonly object[]> =>
    (await one.query<object>("SELECT a, b, x, public.f(2) FROM public.t, public.m")).rows;
  await migrationOn(database, `${cycle} ${others}`);
  expect(await rows()).toEqual([{ a: 1, b: 7, x: 7, f: 7 }]);
  await migrationOn(database, `${cycle.replaceAll("7", "8")} ${others}`);
  expect(await rows()).toEqual([{ a: 1, b: 7, x: 7, f: 8 }]);
});
