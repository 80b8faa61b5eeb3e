import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApp, type App } from "./app.js";

/** Tables whose names have a dot, and policies about them and about a table with the name after the dot. */
const SCHEMA = `CREATE TABLE "a.b" (id integer); CREATE TABLE b (id integer);
  CREATE TABLE "x.y" (id integer); CREATE TABLE y (id integer);`;
const POLICIES = ["sqlite", "postgres"]
  .flatMap((source) =>
    ["b", "x.y"].map(
      (table, n) => `@id("no-${source}-${String(n)}")
        forbid (principal in Steward::Role::"agent", action, resource == Steward::Table::"${source}/${table}");`,
    ),
  )
  .join("\n");

const directory = mkdtempSync(join(tmpdir(), "steward-dots-"));
let database: TestDatabase;
let app: App;
beforeAll(async () => {
  const file = join(directory, "data.db");
  const sqlite = new DatabaseSync(file);
  sqlite.exec(SCHEMA);
  sqlite.close();
  database = await freshDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(SCHEMA);
  await owner.end();
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "sqlite", url: `sqlite:${file}` },
      { name: "postgres", url: database.url },
    ],
  });
  await as("admin").policies.putPolicies({ text: POLICIES, version: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const orgId = crypto.randomUUID();
const as = (role: string) =>
  createClient({ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId, role });

it.each(["sqlite", "postgres"])(
  "a policy on %s is about the table of that name alone",
  async (source) => {
    const { plans, catalog } = as("agent");
    const run = async (table: string) => {
      const query_template = `SELECT count(*) AS n FROM (SELECT * FROM ${table}) t`;
      const { plan_id } = await plans.submit({
        steps: [{ id: "a", data_source: source, query_template }],
      });
      return (await plans.execute(plan_id, "a")).step_result.status;
    };
    await expect(run('"x.y"')).rejects.toMatchObject({ code: "POLICY_DENIED" });
    await expect(run("b")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(await run("y")).toBe("completed");
    const { tables } = await catalog.listTables({ data_source: source });
    expect(tables.map(({ table }) => table).toSorted()).toEqual(["a.b", "y"]);
  },
);
