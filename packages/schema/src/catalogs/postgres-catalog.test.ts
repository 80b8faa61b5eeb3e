import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { introspectPostgres } from "./postgres-catalog.js";

describe("the objects of a PostgreSQL database", () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await freshDatabase();
    await db.query("SET search_path = ''; CREATE TABLE public.t (a int)");
  });
  afterAll(() => db[Symbol.asyncDispose]());

  /**
   * Reads the schema. @param between runs once, before the second of the statements that read the
   * objects.
   */
  async function kinds(between = ""): Promise<{ found: readonly string[]; read: number }> {
    let read = 0;
    const schema = await introspectPostgres(async (sql) => {
      const isOfObjects = sql.includes("jsonb_strip_nulls");
      if (isOfObjects && read === 0) await db.query(between);
      if (isOfObjects) read += 1;
      return db.query(sql);
    });
    return { found: schema.objects.map(({ kind }) => kind), read };
  }

  it("are read by one statement", async () => {
    const { found, read } = await kinds();
    expect(found).toEqual(["Database", "Schema", "Table", "Column"]);
    expect(read).toBe(1);
  });

  it.each([
    ["view", "CREATE VIEW public.gone AS SELECT a FROM public.t", "DROP VIEW public.gone"],
    ["index", "CREATE INDEX gone ON public.t (a)", "DROP INDEX public.gone"],
    ["table", "CREATE TABLE public.gone (a int DEFAULT 1 CHECK (a > 0))", "DROP TABLE public.gone"],
    [
      "function",
      "CREATE FUNCTION public.gone() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "DROP FUNCTION public.gone",
    ],
  ])("say to try again when a %s is dropped while they are read", async (_kind, create, drop) => {
    await db.query(create);
    const reader = new pg.Client({ connectionString: db.url });
    await reader.connect();
    try {
      // The snapshot of this transaction still has the object.
      await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL search_path = ''");
      await reader.query("SELECT 1");
      await db.query(drop);
      const read = introspectPostgres(async (sql) => (await reader.query<object>(sql)).rows);
      await expect(read).rejects.toMatchObject({
        code: "STATE_CONFLICT",
        message: expect.stringContaining("try again") as string,
      });
    } finally {
      await reader.end();
    }
  });

  it("include one of a seldom sort that another connection has just made", async () => {
    const { found, read } = await kinds("CREATE CAST (public.t AS text) WITH INOUT");
    expect(found).toContain("Cast");
    expect(read).toBe(2);
    expect((await kinds()).read).toBe(1);
  });
});
