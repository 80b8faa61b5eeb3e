import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COPIED_TABLES } from "../copied-table.js";
import { Database } from "./database.js";
import { migrate, pendingMigrations } from "./migrate.js";
import { openTestStore } from "./testing/open-store.js";

/** Tables of which `steward copy` copies nothing, and why. */
const NOT_COPIED = {
  browser_sessions: "people sign in again",
  schema_migrations: "the new store has its own",
  nodes: "no server runs while a store is copied",
  memory_sequences: "servers learn each other's changes from it, and none has read any",
  memory_deletions: "servers learn each other's deletions from it",
  retention_locks: "locks, made when they are needed",
  usage_ledgers: "locks, made when they are needed",
  usage_reservations: "calls in progress, of which there are none",
  state_stores: "the state is copied block by block",
  state_refs: "the state is copied block by block",
  state_blocks: "the state is copied block by block",
};

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
    expect(pending.map(({ name }) => name)).toContain("v7-store");
    expect(await database.query("SELECT to_regclass('plans') AS plans")).toEqual([{ plans: null }]);
    const applied = await Promise.all([migrate(db), migrate(db), migrate(db)]);
    expect(applied.flat()).toEqual(pending);
    expect(await pendingMigrations(db)).toEqual([]);
  });

  it("carries the organization in every key, so that it can be distributed, and leads with it but where all are searched", async () => {
    const constraints = await database.query(
      `SELECT c.conrelid::regclass::text AS of, pg_get_constraintdef(c.oid) AS definition,
         (SELECT attname FROM pg_attribute WHERE attrelid = c.conrelid AND attnum = c.conkey[1]) AS first
       FROM pg_constraint AS c JOIN pg_namespace AS n ON n.oid = c.connamespace
       WHERE n.nspname = 'public' AND c.contype IN ('p', 'u', 'f')`,
    );
    expect(constraints.length).toBeGreaterThan(15);
    expect(constraints.filter(({ first }) => first !== "org_id")).toEqual([
      {
        of: "memory_entry_vectors",
        definition: "PRIMARY KEY (entry_id, org_id, model_id)",
        first: "entry_id",
      },
    ]);
    const uniqueIndexes = await database.query(
      `SELECT i.indexrelid::regclass::text AS name,
         (SELECT attname FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = i.indkey[0]) AS first
       FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
       JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND i.indisunique`,
    );
    expect(uniqueIndexes.filter(({ first }) => first !== "org_id")).toEqual([
      { name: "memory_entry_vectors_pkey", first: "entry_id" },
    ]);
    const keyless = await database.query(
      `SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r'
         AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p')`,
    );
    expect(keyless).toEqual([]);
  });

  it("has no foreign key, whose check would be a statement for each row", async () => {
    expect(await database.query("SELECT conname FROM pg_constraint WHERE contype = 'f'")).toEqual(
      [],
    );
  });

  it("gets every table of a copied store, but those whose rows are left behind on purpose", async () => {
    const tables = await database.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    const copied = COPIED_TABLES.map(({ name }) => name);
    const rest = tables.map(({ name }) => String(name)).filter((name) => !copied.includes(name));
    expect(rest.toSorted()).toEqual(Object.keys(NOT_COPIED).toSorted());
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

  it.each([
    ["a newer program", "v7-later", /v7-later.*or a newer one/],
    ["an earlier program", "v2-audit", /v2-audit of an earlier version.*name an empty database/],
    [
      "the first programs",
      "0001-plans",
      /0001-plans of an earlier version.*name an empty database/,
    ],
  ])("of %s is refused, with what to do", async (_program, name, message) => {
    await database.query(
      `UPDATE schema_migrations SET name = '${name}' WHERE org_id = '${NIL_ORG_ID}'`,
    );
    await expect(openTestStore(database.url)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(message) as string,
    });
  });
});
