import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrationOn } from "../../schema/testing/migration-on.js";
import { PostgresSchemaDatabase } from "./index.js";
import { type DatabasePair, define, openPair } from "./testing/transition.js";

describe("rows of a PostgreSQL database", () => {
  let pair: DatabasePair;
  let client: pg.Client;

  beforeAll(async () => {
    pair = await openPair();
    client = pair.one;
  });
  beforeEach(() => define(client));
  afterAll(() => pair[Symbol.asyncDispose]());

  const rows = async (sql: string): Promise<unknown> => (await client.query<object>(sql)).rows;
  const migrate = (wanted: string): Promise<void> =>
    migrationOn(new PostgresSchemaDatabase("shop", pair.url), wanted);

  it("are kept when they belong to an extension that is to be dropped, unless that is accepted", async () => {
    await client.query(`CREATE EXTENSION citext; CREATE TABLE own (a int); CREATE TABLE empty (a int);
      INSERT INTO own VALUES (1), (2); ALTER EXTENSION citext ADD TABLE own; ALTER EXTENSION citext ADD TABLE empty`);
    await expect(migrate("CREATE TABLE t (a int)")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message:
        "Nothing was changed: Data would be lost: citext: 2 rows of tables that belong to it would be dropped with it " +
        "(public.own: 2); accept_data_loss allows it",
    });
    expect(await rows("SELECT a FROM public.own")).toEqual([{ a: 1 }, { a: 2 }]);
    await client.query("DELETE FROM public.own");
    await migrate("CREATE TABLE t (a int)");
    expect(await rows("SELECT to_regclass('public.own') AS own")).toEqual([{ own: null }]);
  });
});
