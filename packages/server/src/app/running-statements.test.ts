import type { StewardClient } from "@steward/client";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eachStore } from "./testing/each-store.js";
import { ShopServer, Tenant } from "./testing/shop-server.js";

/**
 * Policies that are published, and keys and approvals that are revoked, while a statement waits or runs that they
 * forbid. The statements never end by themselves before the time limit of their steps.
 */
const ENDLESS =
  "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0)";
const READ = `SELECT name FROM customers WHERE 0 = ${ENDLESS}`;
const WRITE = `UPDATE customers SET name = 'changed' WHERE 0 = ${ENDLESS}`;
const FORBIDDEN = ["sqlite", "postgres"]
  .map(
    (source) => `@id("no-customers-${source}") @reason("Customers are for people")
      forbid (principal in Steward::Role::"agent", action, resource == Steward::Table::"${source}/customers");`,
  )
  .join("\n");

const directory = mkdtempSync(join(tmpdir(), "steward-running-"));
const stores = await eachStore();
let database: TestDatabase;
beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  database = await freshDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(
    "CREATE TABLE customers (id int, name text); INSERT INTO customers VALUES (1, 'Ada')",
  );
  await owner.end();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const submit = ({ plans }: StewardClient, data_source: string, query_template: string) =>
  plans.submit({ steps: [{ id: "a", data_source, query_template }] });

const stepOf = async ({ plans }: StewardClient, plan_id: string) =>
  (await plans.getPlan({ plan_id })).steps[0];

/** Submits a plan of one step and executes it. @returns once the step runs, with its end. */
async function started(client: StewardClient, source: string, sql: string) {
  const { plan_id } = await submit(client, source, sql);
  const end = client.plans.execute(plan_id, "a");
  // It may be refused before the test waits for it.
  end.catch(() => undefined);
  await expect
    .poll(async () => (await stepOf(client, plan_id))?.status, { timeout: 30_000 })
    .toBe("running");
  return { plan_id, end };
}

const DENIED = {
  code: "POLICY_DENIED",
  message: expect.stringContaining("Customers are for people") as string,
};

describe.each(stores)("with a store in %s", (_engine, options) => {
  let shop: ShopServer;
  beforeAll(async () => {
    const sqlite = { name: "sqlite", url: `sqlite:${join(directory, "shop.db")}` };
    const dataSources = [sqlite, { name: "postgres", url: database.url }];
    shop = await ShopServer.open({ ...options, dataSources });
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  describe.each(["sqlite", "postgres"])("a statement that runs on %s", (source) => {
    it.each([
      ["read", READ],
      ["write", WRITE],
    ])("is stopped by a policy that forbids the %s, and has no effect", async (_kind, sql) => {
      const tenant = new Tenant(shop);
      const { plan_id, end } = await started(tenant.agent, source, sql);
      await tenant.under(FORBIDDEN);
      await expect(end).rejects.toMatchObject(DENIED);
      expect((await stepOf(tenant.agent, plan_id))?.status).toBe("pending");
      const changed = "SELECT count(*) AS n FROM customers WHERE name = 'changed'";
      const { plan_id: counting } = await submit(tenant.admin, source, changed);
      const { llm_context_update: found } = await tenant.admin.plans.execute(counting, "a");
      expect(found.tool_output_json).toMatch(/^\[\{"n":"?0"?\}\]$/);
    });

    it("is stopped by a lower limit of rows", async () => {
      const tenant = new Tenant(shop);
      const { end } = await started(tenant.agent, source, WRITE);
      await tenant.under(`@id("few") @rows_changed_max("1") forbid (
        principal, action in Steward::Action::"writes", resource) when { context.rowsChangedMax > 1 };`);
      await expect(end).rejects.toMatchObject({ code: "POLICY_DENIED" });
    });

    it("is stopped to wait for an approval that a policy demands now", async () => {
      const tenant = new Tenant(shop);
      const { plan_id, end } = await started(tenant.agent, source, WRITE);
      await tenant.under(`@id("ask") @approval("approver") forbid (principal in Steward::Role::"agent",
        action in Steward::Action::"writes", resource) unless { context.approved };`);
      await expect(end).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
      expect(await stepOf(tenant.agent, plan_id)).toMatchObject({
        status: "pending",
        wait_reason: "awaiting_approval",
      });
    });

    it("goes on under policies that permit it", async () => {
      const tenant = new Tenant(shop);
      const { plan_id, end } = await started(tenant.admin, source, READ);
      const { end: refused } = await started(tenant.agent, source, READ);
      await tenant.under(FORBIDDEN);
      await expect(refused).rejects.toMatchObject(DENIED);
      expect((await stepOf(tenant.admin, plan_id))?.status).toBe("running");
      await tenant.admin.plans.cancelPlan({ plan_id });
      expect((await end).step_result.status).toBe("cancelled");
    });
  });

  it("a write that waits for its turn at SQLite is refused while another one runs", async () => {
    const [busy, tenant] = [new Tenant(shop), new Tenant(shop)];
    const { plan_id, end } = await started(busy.admin, "sqlite", WRITE);
    const { end: waiting } = await started(
      tenant.agent,
      "sqlite",
      "UPDATE customers SET name = 'changed'",
    );
    await tenant.under(FORBIDDEN);
    await expect(waiting).rejects.toMatchObject(DENIED);
    await busy.admin.plans.cancelPlan({ plan_id });
    expect((await end).step_result.status).toBe("cancelled");
  });
});

it("a statement is stopped when the API key of its caller is revoked", async () => {
  const organization = crypto.randomUUID();
  await using shop = await ShopServer.open({
    organization,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
  });
  const admin = shop.client({ orgId: organization, role: "admin", userId: "root" });
  const { api_key: apiKey, key_id } = await admin.keys.createApiKey({
    name: "bot",
    roles: ["agent"],
  });
  const { end } = await started(shop.client({ apiKey }), "shop", READ);
  await admin.keys.revokeApiKey({ key_id });
  await expect(end).rejects.toMatchObject({
    code: "POLICY_DENIED",
    message: expect.stringContaining("was revoked") as string,
  });
});

it("a caller who has joined a statement gets none of its rows once its API key is revoked", async () => {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(`CREATE VIEW gated AS SELECT name FROM customers,
    (SELECT pg_advisory_xact_lock_shared(1)::text AS passed OFFSET 0) gate WHERE passed IS NOT NULL`);
  await owner.query("SELECT pg_advisory_lock(1)");
  const organization = crypto.randomUUID();
  await using shop = await ShopServer.open({
    organization,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    dataSources: [{ name: "postgres", url: database.url }],
    quotas: { requestsPerSecond: 1000, stepsMax: 2, streamsMax: 1 },
  });
  const admin = shop.client({ orgId: organization, role: "admin", userId: "root" });
  const drafts = { roles: ["agent"], user_id: "alice", agent_id: "bot" };
  const [mine, others] = [
    await admin.keys.createApiKey({ name: "mine", ...drafts }),
    await admin.keys.createApiKey({ name: "others", ...drafts }),
  ];
  const { plan_id: quick } = await submit(admin, "postgres", "SELECT 1 AS n");
  await admin.plans.execute(quick, "a");
  const { plan_id, end } = await started(
    shop.client({ apiKey: mine.api_key }),
    "postgres",
    "SELECT name FROM gated",
  );
  // It is repeated while the question below has the other place of the quota.
  const joining = shop.client({ apiKey: others.api_key, maxRetries: 10 });
  const joined = joining.plans.execute(plan_id, "a");
  joined.catch(() => undefined);
  const secondPlace = () => admin.plans.execute(quick, "a").catch((error: unknown) => error);
  await expect.poll(secondPlace).toMatchObject({ code: "QUOTA_EXCEEDED" });
  await admin.keys.revokeApiKey({ key_id: others.key_id });
  await owner.query("SELECT pg_advisory_unlock(1)");
  await owner.end();
  await expect(joined).rejects.toMatchObject({
    code: "POLICY_DENIED",
    message: expect.stringContaining("was revoked") as string,
  });
  expect((await end).step_result.status).toBe("completed");
});
