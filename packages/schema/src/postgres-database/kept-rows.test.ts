import { beforeEach, describe, expect, it } from "vitest";
import { migrationOn } from "../testing/migration-on.js";
import { PostgresSchemaDatabase } from "./index.js";
import { tryRandomChanges } from "./testing/kept-rows.js";
import { define, openPair } from "./testing/transition.js";

const pair = await openPair();
const client = pair.one;

describe("rows of a PostgreSQL database", () => {
  beforeEach(() => define(client));

  const rows = async (sql: string): Promise<unknown> => (await client.query<object>(sql)).rows;
  const migrate = (wanted: string): Promise<void> =>
    migrationOn(new PostgresSchemaDatabase("shop", pair.url), wanted);

  it("are kept in a schema that is to be dropped, unless that is accepted", async () => {
    await client.query(
      "CREATE SCHEMA store; CREATE TABLE store.t (a int); INSERT INTO store.t VALUES (1)",
    );
    await expect(migrate("CREATE TABLE t (a int)")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message: expect.stringContaining("store.t: its rows are lost") as unknown,
    });
    expect(await rows("SELECT a FROM store.t")).toEqual([{ a: 1 }]);
  });

  it("go with a schema, and with a table that moves, by hints", async () => {
    await client.query(`CREATE SCHEMA store; CREATE TABLE store.t (a int); CREATE TABLE store.u (a int);
      INSERT INTO store.t VALUES (1); INSERT INTO store.u VALUES (2)`);
    await migrate(`CREATE SCHEMA shop /* @renamed from=store */; CREATE TABLE shop.t (a int);
      CREATE TABLE v (a int) /* @renamed from=store.u */`);
    expect(await rows("SELECT t.a AS t, v.a AS v FROM shop.t, public.v")).toEqual([{ t: 1, v: 2 }]);
  });

  it("stay when a hint has no effect, which is said with its line", async () => {
    await client.query("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
    await expect(migrate("\nCREATE TABLE u (a int) /* @renamed from=tt */")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message:
        "line 2: the rename hint from=tt of the table u has no effect: the database has no table tt. " +
        "Correct the name or remove the hint",
    });
    expect(await rows("SELECT a FROM public.t")).toEqual([{ a: 1 }]);
  });

  it("are shown when a new type of a composite's attribute would change them, and stay", async () => {
    await client.query(
      "CREATE TYPE k AS (a numeric); CREATE TABLE t (x k); INSERT INTO t VALUES ('(1)'), ('(2.5)')",
    );
    const wanted = (type: string): string => `CREATE TYPE k AS (a ${type}); CREATE TABLE t (x k)`;
    await expect(migrate(wanted("numeric(4,0)"))).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message: expect.stringContaining("(2.5) → (3)") as unknown,
    });
    expect(await rows("SELECT x::text FROM public.t")).toEqual([{ x: "(1)" }, { x: "(2.5)" }]);
  });

  it.each([
    [
      "the row type of a table in an array",
      "CREATE TABLE r (a numeric); CREATE TABLE t (x r[])",
      "CREATE TABLE r (a numeric(4,0)); CREATE TABLE t (x r[])",
      "{(2.5)}",
      "'{(2.5)}' → {(3)}",
    ],
    [
      "a composite type that gets another attribute in front",
      "CREATE TYPE k AS (a numeric); CREATE TABLE t (x k[])",
      "CREATE TYPE k AS (b int, a numeric(4,0)); CREATE TABLE t (x k[])",
      "{(2.5)}",
      '{(2.5)} → {"(,3)"}',
    ],
    [
      "a composite type that loses an attribute, and changes the type of another one",
      "CREATE TYPE k AS (a int, b int); CREATE TABLE t (x k)",
      "CREATE TYPE k AS (a bigint); CREATE TABLE t (x k)",
      "(1,2)",
      "public.k.b: its values in columns of the type are lost",
    ],
  ])(
    "are shown when a change would lose them in %s, and stay",
    async (_title, now, wanted, value, said) => {
      await client.query(`${now}; INSERT INTO t VALUES ('${value}')`);
      await expect(migrate(wanted)).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
        message: expect.stringContaining(said) as unknown,
      });
      expect(await rows("SELECT x::text FROM public.t")).toEqual([{ x: value }]);
    },
  );

  it("are kept when they belong to an extension that is to be dropped, unless that is accepted", async () => {
    await client.query(`CREATE EXTENSION citext; CREATE TABLE own (a int); CREATE TABLE empty (a int);
      INSERT INTO own VALUES (1), (2); ALTER EXTENSION citext ADD TABLE own; ALTER EXTENSION citext ADD TABLE empty`);
    await expect(migrate("CREATE TABLE t (a int)")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message:
        "Nothing was changed: Data would be lost: citext: 2 rows of tables that belong to it would be dropped with it " +
        "(public.own: 2): to accept the loss, set accept_data_loss",
    });
    expect(await rows("SELECT a FROM public.own")).toEqual([{ a: 1 }, { a: 2 }]);
    await client.query("DELETE FROM public.own");
    await migrate("CREATE TABLE t (a int)");
    expect(await rows("SELECT to_regclass('public.own') AS own")).toEqual([{ own: null }]);
  }, 60_000);

  it("are all there after any migration that is not said to lose data, or it changes nothing", async () => {
    const applied = await tryRandomChanges(pair, { numRuns: 8, seed: 1 });
    expect(applied).toBeGreaterThan(1);
  }, 60_000);
});
