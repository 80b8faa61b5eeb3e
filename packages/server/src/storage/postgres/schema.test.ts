import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "./database.js";
import { migrate, pendingMigrations } from "./migrate.js";
import { openTestStore } from "./testing/open-store.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

describe("the schema on PostgreSQL", () => {
  it("is made once by nodes that start together, after a dry run that makes nothing", async () => {
    await using db = new Database(database.url);
    const pending = await pendingMigrations(db);
    expect(pending.map(({ name }) => name)).toContain("v1-plans");
    expect(await database.query("SELECT to_regclass('plans') AS plans")).toEqual([{ plans: null }]);
    const applied = await Promise.all([migrate(db), migrate(db), migrate(db)]);
    expect(applied.flat()).toEqual(pending);
    expect(await pendingMigrations(db)).toEqual([]);
  });

  it("carries the organization in every key, and leads with it, so that it can be distributed", async () => {
    const constraints = await database.query(
      `SELECT c.conrelid::regclass::text AS of, pg_get_constraintdef(c.oid) AS definition,
         (SELECT attname FROM pg_attribute WHERE attrelid = c.conrelid AND attnum = c.conkey[1]) AS first
       FROM pg_constraint AS c JOIN pg_namespace AS n ON n.oid = c.connamespace
       WHERE n.nspname = 'public' AND c.contype IN ('p', 'u', 'f')`,
    );
    expect(constraints.length).toBeGreaterThan(15);
    expect(constraints.filter(({ first }) => first !== "org_id")).toEqual([]);
    const uniqueIndexes = await database.query(
      `SELECT i.indexrelid::regclass::text AS name,
         (SELECT attname FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = i.indkey[0]) AS first
       FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
       JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND i.indisunique`,
    );
    expect(uniqueIndexes.filter(({ first }) => first !== "org_id")).toEqual([]);
    const keyless = await database.query(
      `SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r'
         AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p')`,
    );
    expect(keyless).toEqual([]);
  });

  it("needs no extension, no trigger of its own and no sequence", async () => {
    expect(await database.query("SELECT extname FROM pg_extension")).toEqual([
      { extname: "plpgsql" },
    ]);
    expect(await database.query("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")).toEqual(
      [],
    );
    expect(await database.query("SELECT relname FROM pg_class WHERE relkind = 'S'")).toEqual([]);
  });

  it("of a newer program is refused, with what to do", async () => {
    await database.query(
      `INSERT INTO schema_migrations
       VALUES ('00000000-0000-0000-0000-000000000000', '9999-later', now())`,
    );
    await expect(openTestStore(database.url)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/9999-later.*newer/) as string,
    });
  });
});
