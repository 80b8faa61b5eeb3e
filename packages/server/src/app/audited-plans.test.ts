import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";
import { openApp, type App } from "./app.js";
import { toldRecord } from "./testing/told-record.js";

/** Agents run plans and persons decide on them, all over REST; then an auditor reads the records. */
describe.each([
  { engine: "SQLite", database: () => Promise.resolve(undefined) },
  { engine: "PostgreSQL", database: () => storeDatabase() },
])("the records of plans on $engine", ({ database }) => {
  let directory: string;
  let store: Awaited<ReturnType<typeof database>>;
  let app: App;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "steward-audited-plans-"));
    createSampleDatabase(join(directory, "shop.db"));
    store = await database();
    app = await openApp({
      ...{ port: 0, log: silentLog, dataDir: directory },
      databaseUrl: store?.url ?? `sqlite:${join(directory, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    });
  }, 60_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  it("tell the approvals of a step, who decided, and by which policies", async () => {
    const { put, agent, person, records } = tenant();
    const first = await put(DELETES, 0);
    const submit = async (id: number): Promise<string> => {
      const query_template = `DELETE FROM orders WHERE id = ${String(-id)}`;
      return (await agent.plans.submit({ name: "p", steps: [{ id: "s0", query_template }] }))
        .plan_id;
    };
    const approved = await submit(1);
    const void_ = await awaited(agent, approved);
    const second = await put(`${DELETES} // changed`, 1);
    // The policies have changed, so that the approval is void and asked for again.
    const { approval_id: id, digest } = await awaited(agent, approved);
    expect(id).not.toBe(void_.approval_id);
    await person("bob").approvals.grantApproval({ approval_id: id, digest });
    await agent.plans.execute(approved, "s0");
    const [bot, bob] = [{ agent: "bot" }, { roles: ["approver"] }];
    const decision = { type: "PlanApprovalDecided", decision: "approve", approval_id: id };
    expect(eventsOf(await records(approved))).toMatchObject([
      { by: bot, type: "PlanCreated", policy_version: first },
      { by: bot, ...REQUESTED, approval_id: void_.approval_id, policy_version: first },
      { by: bot, ...REQUESTED, approval_id: id, policy_version: second },
      { by: bob, ...decision, policy_version: second },
      { by: bot, type: "PlanStarted", policy_version: second },
      { by: bot, type: "PlanStepStarted", policy_version: second },
      { by: bot, type: "PlanStepExecuted", status: "completed", policy_version: second },
      { by: bot, type: "PlanCompleted", policy_version: second },
    ]);

    const denied = await submit(2);
    const asked = await awaited(agent, denied);
    await person("carol").approvals.denyApproval({
      approval_id: asked.approval_id,
      digest: asked.digest,
      reason: "no",
    });
    expect(eventsOf(await records(denied)).slice(-3)).toMatchObject([
      { by: bob, type: "PlanApprovalDecided", decision: "deny", approval_id: asked.approval_id },
      { by: bob, type: "PlanStepExecuted", status: "failed" },
      { by: bob, type: "PlanFailed" },
    ]);
  });

  it("tell the statements that policies refuse, when they are submitted and when they run", async () => {
    const { put, agent, records } = tenant();
    const steps = [{ id: "s0", query_template: "SELECT id FROM orders" }];
    const { plan_id: planId } = await agent.plans.submit({ name: "p", steps });
    const policy_version = await put(NO_ORDERS, 0);
    await expect(agent.plans.execute(planId, "s0")).rejects.toMatchObject({ status: 403 });
    await expect(agent.plans.submit({ name: "p", steps })).rejects.toMatchObject({ status: 403 });
    const told = { action: "read_select", data_source: "shop", code: "POLICY_DENIED" };
    const refused = await records("read_select");
    expect(refused.map(({ detail }) => detail["count"]).reduce(sum)).toBe(2);
    for (const record of refused) {
      expect(record).toMatchObject({ by: { agent: "bot" }, detail: { ...told, policy_version } });
    }
  });

  it("count a refusal once, however often it was decided on within its request", async () => {
    const { put, agent, records } = tenant();
    const steps = [{ id: "s0", query_template: "SELECT email FROM customers" }];
    const { plan_id: planId } = await agent.plans.submit({ name: "p", steps });
    await put(NO_EMAIL, 0);
    const counted = async (): Promise<unknown> =>
      (await records("read_select")).map(({ detail }) => detail["count"]).reduce(sum, 0);
    for (const times of [1, 2, 3]) {
      await expect(agent.plans.execute(planId, "s0")).rejects.toMatchObject({ status: 403 });
      expect(await counted()).toBe(times);
    }
  });

  it("tell no refusal where a reading leaves something out, or what nobody asked for is decided on", async () => {
    const { put, agent, person, admin, records } = tenant();
    const deletes = DELETES.replace("@id", '@approval_plan("known") @id');
    await put(deletes, 0);
    const submit = async (...templates: readonly string[]) => {
      const steps = templates.map((query_template, index) => ({
        id: `s${String(index)}`,
        query_template,
      }));
      return (await agent.plans.submit({ name: "p", steps })).plan_id;
    };
    const read = await submit("SELECT email FROM customers");
    await admin.plans.execute(read, "s0");
    await put(`${deletes} ${NO_EMAIL}`, 1);
    const [shown] = (await agent.plans.getPlan({ plan_id: read })).steps;
    expect([shown?.status, shown?.row_count]).toEqual(["completed", undefined]);

    const deletion = "DELETE FROM customers WHERE id = -1";
    const planId = await submit(deletion, deletion, "SELECT email FROM customers");
    const { approval_id: id } = await awaited(agent, planId);
    const { preview } = await person("bob").approvals.getApproval({ approval_id: id });
    expect(preview).toMatchObject({ rows_changed: 0 });
    const { approvals } = await person("bob").approvals.listApprovals({ plan_id: planId });
    expect(approvals).toHaveLength(2);
    expect(await records("read_select")).toEqual([]);
  });

  it("tell the call of an attempt that was cancelled while it ran", async () => {
    const { agent, records } = tenant();
    const query_template = `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
      SELECT count(*) FROM c, (SELECT count(*) FROM orders)`;
    const steps = [{ id: "s0", query_template }];
    const { plan_id: planId } = await agent.plans.submit({ name: "p", steps });
    const executed = agent.plans.execute(planId, "s0").catch((error: unknown) => error);
    // A claim is written once its read has lasted for a while.
    for await (const { event_type } of agent.plans.watch(planId)) {
      if (event_type === "PlanStepStarted") break;
    }
    await agent.plans.cancelPlan({ plan_id: planId });
    await executed;
    const cancelled = (await records(planId)).filter(({ detail }) => "call" in detail);
    expect(cancelled).toMatchObject([
      {
        by: { agent: "bot" },
        detail: { call: { status: "cancelled", data_source: "shop", statement: query_template } },
      },
    ]);
    expect(eventsOf(cancelled)).toMatchObject([
      { type: "PlanStepCancelled" },
      { type: "PlanCancelled" },
    ]);
  });

  /** An organization, its agent, its persons, and the records about a subject, oldest first. */
  function tenant() {
    const orgId = crypto.randomUUID();
    const as = (who: {
      readonly role: string;
      readonly userId: string;
      readonly agentId?: string;
    }) =>
      createClient({
        ...{ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId, maxRetries: 0 },
        ...who,
      });
    const auditor = as({ role: "auditor", userId: "eve" });
    const records = async (subject: string): Promise<readonly Entry[]> => {
      const { records: found } = await auditor.audit.listAuditRecords({ subject });
      return found.map((record) => toldRecord(record) as Entry).toReversed();
    };
    const admin = as({ role: "admin", userId: "root" });
    /** @returns the version that records tell while these policies are in force. */
    const put = async (text: string, version: number): Promise<string> => {
      await admin.policies.putPolicies({ text, version });
      const { key_id: keyId } = await admin.keys.createApiKey({
        name: `k${String(version)}`,
        roles: ["agent"],
      });
      const [made] = await records(keyId);
      return String(made?.detail["policy_version"]);
    };
    const agent = as({ role: "agent", userId: "alice", agentId: "bot" });
    const person = (userId: string): StewardClient => as({ role: "approver", userId });
    return { put, agent, person, admin, records };
  }
});

const DELETES = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const NO_ORDERS = `@id("no-orders")
  forbid (principal, action, resource == Steward::Table::"shop/orders");`;
const NO_EMAIL = `@id("no-email")
  forbid (principal, action, resource == Steward::Column::"shop/customers/email")
  when { principal.isAgent || principal in Steward::Role::"approver" };`;
const REQUESTED = { type: "PlanApprovalRequested", step_id: "s0" };

interface Entry {
  readonly by?: Readonly<Record<string, unknown>>;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The events of records, each with the caller and the policies of its record. */
function eventsOf(records: readonly Entry[]): readonly object[] {
  return records.flatMap(({ by, detail: { events, policy_version } }) =>
    (events as readonly object[]).map((event) => ({ by, policy_version, ...event })),
  );
}

const sum = (left: unknown, right: unknown): number => Number(left) + Number(right);

/** Executes a step that has to wait. @returns the approval that it waits for. */
async function awaited(agent: StewardClient, planId: string) {
  const refusal: unknown = await agent.plans.execute(planId, "s0").then(
    () => undefined,
    (error: unknown) => error,
  );
  const { details = [] } = refusal as {
    readonly details?: readonly { readonly field: string; readonly reason: string }[];
  };
  return agent.approvals.getApproval({
    approval_id: details.find(({ field }) => field === "approval_id")?.reason ?? "",
  });
}
