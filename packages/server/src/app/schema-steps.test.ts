import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { freshDatabase } from "@steward/test-postgres";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PostgresSchemaDatabase } from "@steward/schema/postgres-database";
import { introspectSqlite } from "@steward/schema/sqlite-catalog";
import { SqliteAnalyzer } from "../adapters/sql-analyzer/index.js";
import { SqliteTarget } from "../adapters/sql-target-sqlite/index.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { silentLog } from "@steward/kernel/log.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { identify, rootOf } from "@steward/schema";
import {
  applying,
  dieAfter,
  execute,
  headSchema,
  history,
  propose,
  send,
  startShop,
  type StepBody,
  submit,
} from "../testing/schema-plans.js";

const AGENT = { "x-agent-id": "agent-7" };

let dir: string;
let shop: DatabaseSyncInstance;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steward-steps-"));
  shop = new DatabaseSync(join(dir, "shop.db"));
  shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)");
  shop.exec("INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo')");
});
afterEach(() => {
  shop.close();
  rmSync(dir, { recursive: true });
});

describe("a step that changes the schema", () => {
  it("leaves a commit that names plan, step and whoever ran it", async () => {
    await using app = await startShop(dir);
    const plan = await submit(app, [
      { id: "make", query_template: "CREATE TABLE orders (id INTEGER PRIMARY KEY)" },
      { id: "fill", query_template: "INSERT INTO orders VALUES (1)", depends_on: ["make"] },
      { id: "tidy", query_template: "ANALYZE", depends_on: ["fill"] },
    ]);
    for (const step of ["make", "fill", "tidy"]) await execute(app, plan, step, AGENT);
    const [made, first, ...others] = await history(app);
    expect(made).toMatchObject({ author: "agent-7", message: `Run step make of plan ${plan}` });
    expect(first?.message).toBe("Record the schema of shop");
    expect(others).toEqual([]);
    expect(await send(app, "GET /api/state/drift?database=shop")).toMatchObject({
      differences: [],
    });
  });

  it("does not pass off as its own what others changed", async () => {
    await using app = await startShop(dir);
    const make = (id: string): StepBody => ({ id, query_template: `CREATE TABLE ${id} (a)` });
    const plan = await submit(app, [make("one"), make("two")]);
    await execute(app, plan, "one");
    shop.exec("CREATE TABLE by_hand (a)");
    await execute(app, plan, "two");
    const [two, found, one] = await history(app);
    expect(two?.message).toBe(`Run step two of plan ${plan}`);
    expect(found?.message).toBe(`Found before step two of plan ${plan}: changed by others`);
    const named = await send(
      app,
      `GET /api/state/diff?from=${one?.commit ?? ""}&to=${found?.commit ?? ""}`,
    );
    expect(JSON.stringify(named)).toContain("by_hand");
    expect(JSON.stringify(named)).not.toContain('"two"');
  });

  it("leaves its commit when the process dies before it could", async () => {
    let plan: string;
    {
      await using app = await startShop(dir);
      plan = await submit(app, [{ id: "make", query_template: "CREATE TABLE orders (a)" }]);
    }
    await dieAfter(dir, { planId: plan, stepId: "make" }, async (attempt) => {
      await using target = new SqliteTarget({
        name: "shop",
        path: join(dir, "shop.db"),
        analyzer: new SqliteAnalyzer(),
        log: silentLog,
      });
      const request = { sql: "CREATE TABLE orders (a)", binds: [], intent: "admin" } as const;
      const rest = { schemaTableHints: [], waitMs: 5000, timeoutMs: 5000, attempt, caller: NOBODY };
      await target.run({ ...request, ...rest }, new AbortController().signal);
    });
    await using app = await startShop(dir);
    expect(await execute(app, plan, "make")).toMatchObject({
      step_result: { status: "completed", attempt: 1 },
      llm_context_update: { schema_additions: [{ table_name: "orders", operation: "NEW" }] },
    });
    expect((await history(app)).map(({ message }) => message)).toEqual([
      `Run step make of plan ${plan}`,
    ]);
  });

  it("takes effect when its history cannot be kept, and the next one makes up for it", async () => {
    await using app = await startShop(dir);
    const plan = await submit(app, [
      { id: "one", query_template: "CREATE TABLE one (a)" },
      { id: "two", query_template: "CREATE TABLE two (a)" },
    ]);
    await send(app, "GET /api/state/drift?database=shop");
    const state = new DatabaseSync(join(dir, "state", `${NIL_ORG_ID}.db`));
    state.exec("BEGIN EXCLUSIVE");
    expect(await execute(app, plan, "one")).toMatchObject({ step_result: { status: "completed" } });
    state.exec("ROLLBACK");
    state.close();
    expect(await send(app, "GET /api/state/drift?database=shop")).toMatchObject({
      differences: [{ action: "create", kind: "Table", path: "one" }],
    });
    await execute(app, plan, "two");
    expect((await history(app)).slice(0, 2).map(({ message }) => message)).toEqual([
      `Run step two of plan ${plan}`,
      `Found before step two of plan ${plan}: changed by others`,
    ]);
  }, 60_000);

  it("leads to a history whose head is the schema, whatever the steps were", async () => {
    await using app = await startShop(dir);
    const table = fc.constantFrom("a", "b", "customers");
    const column = fc.constantFrom("x", "y", "name");
    const statement = fc.oneof(
      table.map((name) => `CREATE TABLE ${name} (x INTEGER PRIMARY KEY, y TEXT)`),
      table.map((name) => `DROP TABLE ${name}`),
      fc.tuple(table, column).map(([name, what]) => `ALTER TABLE ${name} ADD COLUMN ${what} TEXT`),
      fc.tuple(table, column).map(([name, what]) => `ALTER TABLE ${name} DROP COLUMN ${what}`),
      fc.tuple(table, table).map(([name, to]) => `ALTER TABLE ${name} RENAME TO ${to}`),
      fc.tuple(table, column).map(([name, what]) => `CREATE INDEX i ON ${name} (${what})`),
      fc.constant("DROP INDEX i"),
      table.map((name) => `CREATE VIEW v AS SELECT * FROM ${name}`),
      fc.constant("DROP VIEW v"),
      table.map((name) => `CREATE TRIGGER g AFTER DELETE ON ${name} BEGIN DELETE FROM a; END`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 6 }), async (sqls) => {
        const steps = sqls.map((sql, index) => ({ id: `s${String(index)}`, query_template: sql }));
        // One plan each, because a step that the engine refuses would end a common plan.
        for (const step of steps) await execute(app, await submit(app, [step]), step.id);
        const head = headSchema(dir);
        return rootOf(head) === rootOf(identify(introspectSqlite(shop), head));
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

describe("a step that changes the schema of a PostgreSQL data source", () => {
  it("leads to a history whose head is the schema, and says which tables changed", async () => {
    await using db = await freshDatabase();
    await using app = await startShop(dir, db.url);
    const table = fc.constantFrom("a", "b", "s.a");
    const column = fc.constantFrom("x", "y", "z");
    const statement = fc.oneof(
      fc.constant("CREATE SCHEMA s"),
      fc.constant("CREATE TYPE mood AS ENUM ('sad', 'happy')"),
      table.map((name) => `CREATE TABLE ${name} (x serial PRIMARY KEY, y text UNIQUE)`),
      table.map((name) => `DROP TABLE ${name} CASCADE`),
      fc.tuple(table, column).map(([name, what]) => `ALTER TABLE ${name} ADD COLUMN ${what} int`),
      fc.tuple(table, column).map(([name, what]) => `ALTER TABLE ${name} DROP COLUMN ${what}`),
      fc.tuple(table, column).map(([name, what]) => `CREATE INDEX ON ${name} (${what})`),
      table.map((name) => `ALTER TABLE ${name} RENAME TO c`),
      table.map((name) => `CREATE VIEW v AS SELECT * FROM ${name}`),
    );
    const database = new PostgresSchemaDatabase("shop", db.url);
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 2, maxLength: 4 }), async (sqls) => {
        for (const sql of sqls) {
          const step = { id: "s", query_template: sql, intent: "admin" };
          await execute(app, await submit(app, [step]), "s");
        }
        const head = headSchema(dir);
        return rootOf(head) === rootOf(identify(await database.introspect(), head));
      }),
      { numRuns: 5 },
    );
    await db.query("CREATE TABLE told (x int)");
    const rename = { id: "s", query_template: "ALTER TABLE told RENAME TO renamed" };
    const told = await execute(app, await submit(app, [rename]), "s");
    const additions = told.llm_context_update.schema_additions as {
      readonly table_name: string;
      readonly operation: string;
    }[];
    expect(additions.map(({ operation, table_name }) => `${operation} ${table_name}`)).toEqual([
      "NEW renamed",
      "REMOVED told",
    ]);
  }, 120_000);

  it("is a migration too, applied once", async () => {
    await using db = await freshDatabase();
    await db.query("CREATE TABLE customers (id serial PRIMARY KEY, name text)");
    await db.query("INSERT INTO customers (name) VALUES ('Ada')");
    let plan: string;
    let id: string;
    {
      await using app = await startShop(dir, db.url);
      id = await propose(
        app,
        "CREATE TABLE customers (id serial PRIMARY KEY, name text, city text)",
      );
      plan = await submit(app, [applying(id)]);
    }
    await dieAfter(dir, { planId: plan, stepId: "apply" }, () =>
      db.query("ALTER TABLE customers ADD COLUMN city text").then(() => undefined),
    );
    await using app = await startShop(dir, db.url);
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed", attempt: 1 },
      llm_context_update: {
        schema_additions: [{ table_name: "customers", operation: "MODIFIED" }],
      },
    });
    expect((await send(app, `GET /api/state/migrations/${id}`)).commits).toHaveLength(1);
    expect((await history(app))[0]?.message).toContain(`step apply of plan ${plan}`);
  }, 60_000);
});
