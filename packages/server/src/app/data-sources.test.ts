import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { createClient, type StewardClient } from "@steward/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { silentLog } from "@steward/kernel/log.js";

describe("a plan on a PostgreSQL data source", () => {
  let directory: string;
  let database: TestDatabase;
  let app: App;
  let client: StewardClient;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "sources-"));
    database = await freshDatabase();
    await database.query(`
      CREATE SCHEMA sales;
      CREATE TABLE sales.orders (id int PRIMARY KEY, customer text NOT NULL, total numeric(10,2));
      INSERT INTO sales.orders VALUES (1, 'Ada', 10), (2, 'Bo', 20.50), (3, 'Ada', 30);
      ALTER DATABASE ${database.name} SET search_path = sales`);
    app = await openApp({
      port: 0,
      databaseUrl: `sqlite:${join(directory, "store.db")}`,
      dataSources: [{ name: "shop", url: database.url }],
      dataDir: directory,
      log: silentLog,
    });
    client = createClient({ baseUrl: `http://127.0.0.1:${app.address.port}` });
  });
  afterEach(async () => {
    await app[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  it("runs from its first step to its last, each bound to what came before", async () => {
    const { plan_id } = await client.plans.submit({
      name: "Discounts",
      steps: [
        {
          id: "best",
          query_template:
            "SELECT customer, sum(total) AS total FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        },
        {
          id: "theirs",
          depends_on: ["best"],
          query_template:
            "SELECT id FROM orders WHERE customer = '{{step.best.output[0].customer}}' ORDER BY id",
        },
        {
          id: "table",
          intent: "admin",
          query_template: "CREATE TABLE discounts (order_id int REFERENCES orders, reason text)",
        },
        {
          id: "grant",
          depends_on: ["best", "theirs", "table"],
          intent: "write_insert",
          query_template: `INSERT INTO discounts
            SELECT id, 'for {{step.best.output[0].customer}}' FROM orders
            WHERE id IN ({{step.theirs.output[*].id}}) RETURNING order_id`,
        },
        {
          id: "check",
          depends_on: ["grant"],
          query_template: `SELECT reason, count(*) AS n FROM discounts
            JOIN jsonb_to_recordset({{step.grant.output}}) AS g (order_id int) USING (order_id)
            GROUP BY 1`,
        },
      ],
    });
    const outputs: Record<string, unknown> = {};
    for (const step of ["best", "theirs", "table", "grant", "check"]) {
      const { step_result, llm_context_update } = await client.plans.execute(plan_id, step);
      expect([step, step_result.status, step_result.error]).toEqual([step, "completed", undefined]);
      outputs[step] = JSON.parse(llm_context_update.tool_output_json);
    }
    expect(outputs).toEqual({
      best: [{ customer: "Ada", total: 40 }],
      theirs: [{ id: 1 }, { id: 3 }],
      table: [],
      grant: [{ order_id: 1 }, { order_id: 3 }],
      check: [{ reason: "for Ada", n: 2 }],
    });
    expect((await client.plans.getPlan({ plan_id })).status).toBe("completed");
  });

  it("is refused whole when a statement is not what it says", async () => {
    const submit = (query_template: string) =>
      client.plans.submit({
        name: "x",
        steps: [{ id: "a", intent: "read_select", query_template }],
      });
    await expect(
      submit("WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d"),
    ).rejects.toThrow("write_delete (it holds a DELETE), which read_select does not cover");
    await expect(submit("SELECT pg_sleep(1)")).rejects.toThrow("pg_sleep is not allowed");
  });

  it("names a function that does not exist before any right is asked", async () => {
    const submit = (intent: string, by = client) => {
      const query_template = "SELECT divide(total, 2) FROM orders";
      return by.plans.submit({ name: "x", steps: [{ id: "a", intent, query_template }] });
    };
    const unknown =
      "PostgreSQL has no function divide; write, with your own names, `a / b`. If the database defines this function";
    await expect(submit("read_select")).rejects.toThrow(
      `${unknown}, the statement is admin, which read_select does not cover`,
    );
    const { port } = app.address;
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    const agent = createClient({ baseUrl, orgId: randomUUID(), role: "agent" });
    await expect(submit("", agent)).rejects.toThrow(`${unknown}: `);
  });

  it("says what helps when a step fails", async () => {
    const { plan_id } = await client.plans.submit({
      name: "x",
      steps: [{ id: "a", query_template: "SELECT custmer FROM orders" }],
    });
    const { step_result, llm_context_update } = await client.plans.execute(plan_id, "a");
    expect(step_result).toMatchObject({ status: "failed" });
    expect(llm_context_update.augmentation_hints).toEqual([
      'column "custmer" does not exist; did you mean customer? Columns of orders: id, customer, total',
      expect.stringContaining(`send PATCH /api/plans/${plan_id}/steps/a`),
    ]);
  });
});
