import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { identify, renameHints, type Schema, scriptBetween } from "../index.js";
import { NAME_SWAPS, type NameSwap, swapResult } from "../testing/name-swaps.js";
import { PostgresSchemaDatabase } from "./index.js";
import { introspectScratch, runScript } from "./session.js";
import { define, openPair } from "./testing/transition.js";

const SWAPS: Readonly<Record<string, NameSwap>> = {
  ...NAME_SWAPS,
  "two enums, and the columns of each": {
    base: "CREATE TYPE e AS ENUM ('x'); CREATE TYPE f AS ENUM ('x'); CREATE TABLE t (a e, b f);",
    wanted: `CREATE TYPE f /* @renamed from=e */ AS ENUM ('x'); CREATE TYPE e /* @renamed from=f */ AS ENUM ('x');
      CREATE TABLE t (a f, b e);`,
    rows: "INSERT INTO t VALUES ('x', 'x')",
    query: `SELECT a, (SELECT typname FROM pg_type y JOIN pg_attribute c ON c.atttypid = y.oid
        WHERE attrelid = 'public.t'::regclass AND attname = 'a') AS type FROM public.t`,
    ...{ before: { a: "x", type: "e" }, after: { a: "x", type: "f" } },
  },
  "two serial tables, whose keys go on counting, and a function of the rows of one": {
    base: `CREATE TABLE a (id serial PRIMARY KEY, y text); CREATE TABLE b (id serial PRIMARY KEY, y text);
      CREATE FUNCTION f(a) RETURNS text LANGUAGE sql AS 'SELECT $1.y'; CREATE VIEW v AS SELECT f(a.*) AS y FROM a;`,
    wanted: `CREATE TABLE b /* @renamed from=a */ (id serial PRIMARY KEY, y text);
      CREATE TABLE a /* @renamed from=b */ (id serial PRIMARY KEY, y text);
      CREATE FUNCTION f(b) RETURNS text LANGUAGE sql AS 'SELECT $1.y'; CREATE VIEW v AS SELECT f(b.*) AS y FROM b;`,
    rows: "INSERT INTO a (y) VALUES ('a'), ('a'); INSERT INTO b (y) VALUES ('b');",
    query: `SELECT (SELECT string_agg(id || y, ' ') FROM public.a) AS a, (SELECT string_agg(id || y, ' ') FROM public.b) AS b,
      (SELECT last_value::int FROM public.a_id_seq) AS last, (SELECT count(*)::int FROM public.v) AS v`,
    before: { a: "1a 2a", b: "1b", last: 2, v: 2 },
    after: { a: "1b", b: "1a 2a", last: 1, v: 2 },
  },
  "two partitions, and two tables of one name in two schemas": {
    base: `CREATE TABLE p (x int) PARTITION BY LIST (x); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
      CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2); CREATE SCHEMA s; CREATE TABLE s.p1 (x int);`,
    wanted: `CREATE TABLE p (x int) PARTITION BY LIST (x);
      CREATE TABLE p2 /* @renamed from=p1 */ PARTITION OF p FOR VALUES IN (1);
      CREATE TABLE p1 /* @renamed from=p2 */ PARTITION OF p FOR VALUES IN (2); CREATE SCHEMA s; CREATE TABLE s.p1 (x int);`,
    rows: "INSERT INTO p VALUES (1), (2); INSERT INTO s.p1 VALUES (3)",
    query:
      "SELECT (SELECT x FROM public.p1) AS p1, (SELECT x FROM public.p2) AS p2, (SELECT x FROM s.p1) AS s",
    ...{ before: { p1: 1, p2: 2, s: 3 }, after: { p1: 2, p2: 1, s: 3 } },
  },
};

const pair = await openPair();
const { one, other } = pair;

describe("names of a PostgreSQL schema change places", () => {
  it.each(Object.entries(SWAPS))("and rows go with them: %s", async (_title, swap) => {
    expect([await define(one, swap.base), await define(other, swap.wanted)]).toEqual([true, true]);
    await one.query(`SET search_path = public; ${swap.rows}`);
    const base = identify(await introspectScratch(one), undefined);
    const hints = renameHints(swap.wanted, "postgres");
    const target = identify(await introspectScratch(other), base, hints);
    const found = async (from: Schema, to: Schema): Promise<unknown> => {
      await runScript(one, scriptBetween(from, to), (sql) => new AppError("STEP_FAILED", sql));
      await one.query("SET search_path = public");
      return (await one.query<object>(swap.query)).rows[0];
    };
    const { before, after } = swap;
    expect(await found(base, target)).toEqual(after);
    expect(await found(target, base)).toEqual(before);
  });

  it("once, also when the process dies before it can record that", async () => {
    const [[, swap] = []] = Object.entries(NAME_SWAPS);
    assert(swap !== undefined);
    const { before, after } = swap;
    await define(one);
    const run = async (sql: string): Promise<readonly object[]> => {
      await one.query("SET search_path = public");
      return (await one.query<object>(sql)).rows;
    };
    const result = await swapResult(new PostgresSchemaDatabase("shop", pair.url), run, swap);
    expect(result).toEqual({ before, after, reverted: before, recorded: after });
  });
});
