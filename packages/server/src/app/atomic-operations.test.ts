import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { recordOf } from "../transport/operations.js";
import { openApp, type App } from "./app.js";
import {
  type ApiRoute,
  countOf,
  DescribedOperations,
  isRecorded,
  ORG,
  TARGET,
} from "./testing/described-operations.js";
import { postgresTestStore, sqliteTestStore, type TestStore } from "./testing/test-store.js";

/**
 * Every operation that changes something commits its own record with its effect: one without the other
 * is impossible, and no other write commits it, such as that of usage that catches up with steps.
 */
interface Statements {
  /** Make every write of the outbox fail. */
  readonly block: readonly string[];
  readonly unblock: string;
  /** The tables of the store. */
  readonly tables: string;
}

const SQLITE: Statements = {
  block: [
    "CREATE TRIGGER blocked BEFORE INSERT ON audit_outbox BEGIN SELECT raise(ABORT, 'blocked'); END",
  ],
  unblock: "DROP TRIGGER blocked",
  tables: "SELECT name FROM sqlite_schema WHERE type = 'table'",
};

const POSTGRES: Statements = {
  block: [
    `CREATE OR REPLACE FUNCTION blocked() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN RAISE EXCEPTION 'blocked'; END $$`,
    "CREATE TRIGGER blocked BEFORE INSERT ON audit_outbox FOR EACH ROW EXECUTE FUNCTION blocked()",
  ],
  unblock: "DROP TRIGGER blocked ON audit_outbox",
  tables: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
};

/** Tables that change while nobody asks for anything. */
const RESTLESS = /^(audit_|nodes$|sqlite_|usage_ledgers$)/;

describe.each([
  { engine: "SQLite", statements: SQLITE, open: sqliteTestStore },
  { engine: "PostgreSQL", statements: POSTGRES, open: postgresTestStore },
])("operations on $engine", ({ statements, open }) => {
  let directory: string;
  let store: TestStore;
  let app: App;
  let baseUrl: string;
  let operations: DescribedOperations;
  let routes: readonly ApiRoute[];
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "steward-atomic-"));
    store = await open(directory);
    createSampleDatabase(join(directory, "shop.db"));
    app = await openApp({
      ...{ port: 0, log: silentLog, dataDir: directory, databaseUrl: store.url },
      dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
      tools: { strict: false, tools: [], webhooks: [TARGET] },
    });
    baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    operations = new DescribedOperations(baseUrl);
    routes = await operations.routes();
  }, 60_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  async function contents(): Promise<Readonly<Record<string, readonly string[]>>> {
    const tables = await store.query(statements.tables);
    const names = tables.map(({ name }) => String(name)).filter((name) => !RESTLESS.test(name));
    const found: Record<string, readonly string[]> = {};
    for (const name of names) {
      const rows = await store.query(`SELECT * FROM "${name}"`);
      found[name] = rows.map((row) => JSON.stringify(row)).toSorted();
    }
    return found;
  }

  /** Runs a step, with which usage has to catch up before prices and budgets can change. */
  async function runStep(): Promise<void> {
    const client = createClient({ baseUrl, orgId: ORG, userId: "stepper", role: "admin" });
    const steps = [{ id: "a", query_template: "SELECT 1 AS one" }];
    const { plan_id: planId } = await client.plans.submit({ name: "p", steps });
    await client.plans.execute(planId, "a");
  }

  it("have no effect while their records cannot be committed with it", async () => {
    const withEffect = routes.filter((route) => isRecorded(route, "withEffect"));
    const ids = await operations.existingIds();
    const before = await contents();
    expect(before["api_keys"]).toHaveLength(1);
    for (const sql of statements.block) await store.query(sql);
    for (const route of withEffect) {
      const { operation } = route;
      const { status } = await operations.askFor(route, ids, {});
      expect({ operation, status }).toEqual({ operation, status: 503 });
      expect({ operation, contents: await contents() }).toEqual({ operation, contents: before });
    }
    await store.query(statements.unblock);
    expect(withEffect.length).toBeGreaterThan(15);
  }, 60_000);

  it("that many ask for at once leave one record each, with their own outcome and caller", async () => {
    const changing = routes.filter((route) => isRecorded(route, "withEffect", "around"));
    const outcomes = { done: 0, failed: 0, refused: 0 };
    for (const route of changing) {
      const { operation } = route;
      const record = recordOf(operation);
      const ids = await operations.existingIds();
      const refusals = countOf(await operations.entries(ORG, "operation.refused"));
      await runStep();
      const asked = await Promise.all(
        [0, 1, 2, 3].map(async (at) => {
          const [id, user] = [crypto.randomUUID(), `${operation} ${String(at)}`];
          const isReader = at === 3;
          const who = { "x-request-id": id, "x-user-id": user, ...(isReader ? READER : {}) };
          const response = await operations.askFor(route, ids, who);
          await response.text();
          return { id, user, isReader, status: response.status };
        }),
      );
      const told = await operations.entries(ORG, record?.kind);
      let refused = 0;
      for (const { id, user, isReader, status } of asked) {
        const outcome = status === 403 ? "refused" : status < 300 ? "done" : "failed";
        outcomes[outcome] += 1;
        if (outcome === "refused") refused += 1;
        const ends = ENDS[record?.time === "around" ? "around" : "withEffect"][outcome];
        const own = told.filter(({ request }) => request?.["id"] === id).toReversed();
        expect({
          ...{ operation, status, isReader },
          records: own.map(({ detail, user: by }) => [detail["status"], by]),
        }).toEqual({
          ...{ operation, status, isReader: outcome === "refused" },
          records: ends.map((end) => [end, user]),
        });
      }
      const counted = countOf(await operations.entries(ORG, "operation.refused")) - refusals;
      expect({ operation, counted }).toEqual({ operation, counted: refused });
    }
    expect(outcomes.refused).toBe(changing.length);
    expect(outcomes.done).toBeGreaterThan(changing.length);
    expect(outcomes.failed).toBeGreaterThan(0);
  }, 120_000);

  it("that refuse by themselves right after a step are recorded as refused, and as nothing else", async () => {
    const change = (method: string, path: string, role: string, body?: object): Promise<Response> =>
      operations.ask(
        { method, path: `/billing/budgets${path}` },
        {
          headers: { "x-user-role": role, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
      );
    const budget = { scope: "organization", unit: "aau", period: "month", action: "block" };
    const set = await change("POST", "", "operator", { ...budget, limit: "1000" });
    const { data } = (await set.json()) as { readonly data: { readonly budget_id: string } };
    const [before, refusals] = [
      await operations.entries(ORG, "budget"),
      countOf(await operations.entries(ORG, "operation.refused")),
    ];
    for (let tries = 0; tries < 3; tries += 1) {
      await runStep();
      const above = await change("POST", "", "billing", { ...budget, limit: "1001" });
      expect(above.ok).toBe(false);
      await runStep();
      expect((await change("DELETE", `/${data.budget_id}`, "billing")).status).toBe(403);
    }
    expect(await operations.entries(ORG, "budget")).toEqual(before);
    const refused = await operations.entries(ORG, "operation.refused");
    expect(countOf(refused) - refusals).toBeGreaterThanOrEqual(3);
    expect(refused.map(({ subject }) => subject)).toContain("removeBudget");
  }, 60_000);
});

/** The rights of somebody who may read and change nothing. */
const READER = { "x-user-role": "auditor", "x-user-permissions": "" };

/** The statuses of an operation's records, by when it is recorded and how it ended. */
const ENDS = {
  withEffect: { done: ["succeeded"], failed: [], refused: [] },
  around: { done: ["begun", "succeeded"], failed: ["begun", "failed"], refused: [] },
};
