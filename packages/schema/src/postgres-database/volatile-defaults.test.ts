import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isVolatile, STEADY_FUNCTIONS } from "../postgres/locks/volatility.js";
import { NO_SEARCH_PATH } from "./session.js";
import { connect } from "./testing/transition.js";

/**
 * Each default is added to a table with a row. PostgreSQL rewrites the table, which gives it another
 * file, exactly when the default is volatile.
 */
const SETUP = `
  CREATE TABLE t (id int);
  INSERT INTO t VALUES (1);
  CREATE SEQUENCE numbers;
  CREATE TYPE mood AS ENUM ('new', 'old');
  CREATE FUNCTION fixed() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
  CREATE FUNCTION now(text) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN clock_timestamp(); END';
  CREATE FUNCTION "random"(text) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
  CREATE FUNCTION add_some(int, int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN $1; END';
  CREATE OPERATOR @+@ (LEFTARG = int, RIGHTARG = int, FUNCTION = add_some);
  CREATE TYPE pair AS (a int, b int);
  CREATE FUNCTION pair_of(int) RETURNS pair LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ($1, 1); END';
  CREATE CAST (int AS pair) WITH FUNCTION pair_of(int);
`;

type Case = readonly [type: string, preset: string];

const STEADY: readonly Case[] = [
  ["int", "7"],
  ["timestamptz", "now()"],
  ["timestamptz", "CURRENT_TIMESTAMP(3)"],
  ["timestamp", "now() AT TIME ZONE 'utc'"],
  ["timestamp", "LOCALTIMESTAMP(3)"],
  ["date", "CURRENT_DATE"],
  ["text", "CURRENT_USER"],
  ["text", "lower(concat('A', upper('b')))"],
  ["text", "'random()'"],
  ["text", "to_char(now(), 'YYYY-MM-DD')"],
  ["text", "substring('abc' FROM 2 FOR 1)"],
  ["text", "trim(BOTH FROM ' x ')"],
  ["varchar(10)", "'x'::varchar(10)"],
  ["numeric(10,2)", "round(1.234, 2)::numeric(10,2)"],
  ["boolean", "(1 > 0) AND (NOT (2 > 3))"],
  ["int", "CASE WHEN (1 > 0) THEN (2 + 3) ELSE (4) END"],
  ["int", "coalesce(NULL::int, greatest(1, 2))"],
  ["int[]", "ARRAY[1, 2]"],
  ["jsonb", "jsonb_build_object('a', ARRAY[1])"],
  ["bigint", "extract(epoch FROM now())::bigint"],
  ["regclass", "'numbers'::regclass"],
  ["mood", "'new'"],
];

const VOLATILE: readonly Case[] = [
  ["double precision", "random()"],
  ["uuid", "gen_random_uuid()"],
  ["bigint", "nextval('numbers')"],
  ["timestamptz", "clock_timestamp()"],
  ["timestamptz", "pg_catalog.clock_timestamp()"],
  ["timestamptz", "now('x')"],
  ["int", `"random"('x')`],
  ["int", "1 @+@ 2"],
  ["text", "lower(md5(random()::text))"],
  ["int", "CASE WHEN random() > 0.5 THEN 1 ELSE 2 END"],
  ["pair", "(abs(-1))::pair"],
];

describe("the defaults that rewrite the rows of a table", () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await freshDatabase();
    client = await connect(database.url);
    await client.query(SETUP);
  });
  afterEach(async () => {
    await client.query("ROLLBACK");
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  /** The default as the catalog prints it, and whether adding it has rewritten the table. */
  async function added([type, preset]: Case): Promise<{
    readonly printed: string;
    readonly isRewritten: boolean;
  }> {
    const file = "SELECT pg_relation_filenode('public.t') AS node";
    await client.query("BEGIN; SET LOCAL search_path = public");
    const { rows: before } = await client.query<{ readonly node: number }>(file);
    await client.query(`ALTER TABLE t ADD COLUMN c ${type} DEFAULT (${preset})`);
    const { rows: after } = await client.query<{ readonly node: number }>(file);
    await client.query(NO_SEARCH_PATH);
    const { rows } = await client.query<{ readonly printed: string }>(
      "SELECT pg_get_expr(adbin, adrelid) AS printed FROM pg_attrdef WHERE adrelid = 'public.t'::regclass",
    );
    return {
      printed: rows[0]?.printed ?? "",
      isRewritten: before[0]?.node !== after[0]?.node,
    };
  }

  it.each(STEADY)("are not a %s with %s", async (...steady) => {
    const { printed, isRewritten } = await added(steady);
    expect([printed, isRewritten, isVolatile(printed)]).toEqual([printed, false, false]);
  });

  it.each(VOLATILE)("are a %s with %s", async (...changing) => {
    const { printed, isRewritten } = await added(changing);
    expect([printed, isRewritten, isVolatile(printed)]).toEqual([printed, true, true]);
  });

  it("are announced for a function of the database, even one that is not volatile", async () => {
    const { printed, isRewritten } = await added(["int", "fixed()"]);
    expect([isRewritten, isVolatile(printed)]).toEqual([false, true]);
  });

  it("use no function of the list, because none of these is volatile in any form", async () => {
    const { rows } = await client.query<{ readonly name: string; readonly kinds: string }>(
      `SELECT proname AS name, string_agg(DISTINCT provolatile::text, '') AS kinds FROM pg_proc
       WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY($1) GROUP BY 1`,
      [[...STEADY_FUNCTIONS]],
    );
    expect(rows.filter(({ kinds }) => kinds.includes("v"))).toEqual([]);
    expect(rows.map(({ name }) => name).sort()).toEqual([...STEADY_FUNCTIONS].sort());
  });
});
