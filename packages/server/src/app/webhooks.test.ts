import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { createClient } from "@steward/client";
import { silentLog, type Log } from "@steward/kernel/log.js";
import { describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import type { WebhookTarget } from "../webhooks/index.js";
import { openApp, type App } from "./app.js";
import { auditKeyFile } from "./testing/audit-key-file.js";
import { NEW_SECRET, OLD_SECRET, Receiver } from "./testing/webhook-receiver.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
/** A machine that is busy with other things may need longer than the first pause of 5 seconds. */

const ENGINES = ["SQLite", "PostgreSQL"] as const;

describe.each(ENGINES)("webhooks, the store on %s", (engine) => {
  it("tells each target of its events, signed, whatever the other targets do", async () => {
    await using receiver = await Receiver.listen();
    const logged: string[] = [];
    const webhooks = [
      ...["hanging", "flaky", "gone", "moved", "good"].map((name) => receiver.target(name)),
      receiver.target("failures", { events: ["plan.failed"] }),
    ];
    await using service = await open(engine, { webhooks, log: logTo(logged) });
    const planId = await runPlan(service.apps[0], "SELECT 1 AS n");
    await runPlan(service.apps[0], "SELECT 1 FROM missing").catch(() => undefined);
    await expect.poll(() => receiver.at("/good").length).toBe(1);
    const [message] = receiver.at("/good");
    const { headers = {}, body = "" } = message ?? {};
    for (const secret of [NEW_SECRET, OLD_SECRET]) {
      const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(verified).toMatchObject({
        type: "plan.completed",
        data: { org_id: ORG, plan_id: planId, total_steps: 1 },
      });
    }
    expect(() =>
      new Webhook(NEW_SECRET).verify(body.replace(ORG, planId), headers as Record<string, string>),
    ).toThrow();
    await expect.poll(() => receiver.at("/failures").length).toBe(1);
    expect(JSON.parse(receiver.at("/failures")[0]?.body ?? "")).toMatchObject({
      type: "plan.failed",
    });
    // A failed attempt is followed by another one of the same message.
    await expect.poll(() => receiver.at("/flaky").length).toBe(2);
    const ids = receiver.at("/flaky").map((each) => each.headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
    await expect.poll(() => receiver.at("/moved").length).toBeGreaterThan(0);
    // A redirect is not followed, and a target that is gone is asked once.
    expect(receiver.at("/good")).toHaveLength(1);
    expect(receiver.at("/gone")).toHaveLength(1);
    expect(logged.join("\n")).toContain("webhook failed for good");
    for (const hidden of [NEW_SECRET, OLD_SECRET, receiver.target("good").url]) {
      expect(logged.join("\n")).not.toContain(hidden);
    }
  });
});

it.each(ENGINES)("tells who has to approve a step, and what was decided, on %s", async (engine) => {
  await using receiver = await Receiver.listen();
  const webhooks = [
    receiver.target("good", {
      events: ["approval.requested", "approval.decided", "approval.void"],
    }),
  ];
  await using service = await open(engine, { webhooks });
  const baseUrl = `http://127.0.0.1:${String(service.apps[0]?.address.port)}`;
  const person = (role: string, userId: string) =>
    createClient({ baseUrl, orgId: ORG, role, userId });
  await person("admin", "root").policies.putPolicies({ version: 0, text: DELETES });
  await expect(runPlan(service.apps[0], "DELETE FROM orders WHERE id = -1")).rejects.toMatchObject({
    code: "APPROVAL_REQUIRED",
  });
  await expect.poll(() => receiver.at("/good").length).toBe(1);
  const [requested] = receiver.at("/good").map(({ body }) => JSON.parse(body) as ApprovalMessage);
  expect(requested).toMatchObject({
    type: "approval.requested",
    data: {
      ...{ org_id: ORG, step_id: "a", expires_at: expect.any(String) as string },
      rules: [{ policy_id: "two-eyes", role: "approver", approvers_min: 1 }],
    },
  });
  const { approval_id = "", digest = "" } = requested?.data ?? {};
  await person("approver", "bob").approvals.denyApproval({ approval_id, digest, reason: "no" });
  await expect.poll(() => receiver.at("/good").length).toBe(2);
  expect(JSON.parse(receiver.at("/good")[1]?.body ?? "")).toMatchObject({
    type: "approval.decided",
    data: { approval_id, decision: "deny", approver: "bob", reason: "no", status: "denied" },
  });
  // An approval that nobody needs any more is told of, too.
  await expect(runPlan(service.apps[0], "DELETE FROM orders WHERE id = -2")).rejects.toMatchObject({
    code: "APPROVAL_REQUIRED",
  });
  await expect.poll(() => receiver.at("/good").length).toBe(3);
  const second = JSON.parse(receiver.at("/good")[2]?.body ?? "") as ApprovalMessage;
  await person("agent", "alice").plans.cancelPlan({ plan_id: second.data.plan_id });
  await expect.poll(() => receiver.at("/good").length).toBe(4);
  expect(JSON.parse(receiver.at("/good")[3]?.body ?? "")).toMatchObject({
    type: "approval.void",
    data: { approval_id: second.data.approval_id, plan_id: second.data.plan_id, step_id: "a" },
  });
});

it.each(ENGINES)(
  "tells of approvals and budgets that came to their ends, on %s",
  async (engine) => {
    await using receiver = await Receiver.listen();
    const events = ["approval.expired", "budget.exceeded"] as const;
    const webhooks = [receiver.target("good", { events })];
    await using service = await open(engine, { webhooks, approvalValidMs: 1_500 });
    const baseUrl = `http://127.0.0.1:${String(service.apps[0]?.address.port)}`;
    const admin = createClient({ baseUrl, orgId: ORG, role: "admin", userId: "root" });
    await admin.policies.putPolicies({ version: 0, text: DELETES });
    await expect(
      runPlan(service.apps[0], "DELETE FROM orders WHERE id = -1"),
    ).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    await expect.poll(() => receiver.at("/good").length).toBeGreaterThan(0);
    expect(JSON.parse(receiver.at("/good")[0]?.body ?? "")).toMatchObject({
      type: "approval.expired",
      data: { org_id: ORG, step_id: "a", was: "pending", expires_at: expect.any(String) as string },
    });
    await admin.policies.putPolicies({ version: 1, text: "" });
    const told = () =>
      receiver
        .at("/good")
        .map(({ body }) => JSON.parse(body) as { readonly type: string; readonly data: object })
        .filter(({ type }) => type === "budget.exceeded");
    const budget = { scope: "organization", unit: "aau", period: "day", limit: "1" } as const;
    const { budget_id } = await admin.billing.setBudget({ ...budget, action: "block" });
    for (const id of [-2, -3]) {
      await expect(
        runPlan(service.apps[0], `DELETE FROM orders WHERE id = ${String(id)}`),
      ).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    }
    await expect.poll(() => told().length).toBe(1);
    expect(told()).toMatchObject([
      { data: { org_id: ORG, budget_id, limit: "1", unit: "aau", period: "day", action: "block" } },
    ]);
  },
);

it("tells of each event once where two nodes share the store", async () => {
  await using receiver = await Receiver.listen();
  const webhooks = [receiver.target("good")];
  await using service = await open("PostgreSQL", { webhooks, nodes: 2 });
  const plans = await Promise.all(
    Array.from({ length: 12 }, (_, index) => runPlan(service.apps[index % 2], "SELECT 1 AS n")),
  );
  await expect.poll(() => receiver.at("/good").length).toBe(plans.length);
  const told = receiver.at("/good").map(({ body }) => {
    const { data } = JSON.parse(body) as { readonly data: { readonly plan_id: string } };
    return data.plan_id;
  });
  expect(new Set(told)).toEqual(new Set(plans));
});

it("delivers after a restart what was not delivered before", async () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-webhooks-"));
  await using receiver = await Receiver.listen();
  const [silent, good] = [receiver.target("hanging"), receiver.target("good")];
  {
    await using service = await open("SQLite", {
      webhooks: [{ ...silent, name: "ops" }],
      directory,
    });
    await runPlan(service.apps[0], "SELECT 1 AS n");
    await expect.poll(() => receiver.at("/hanging").length).toBe(1);
  }
  await using _again = await open("SQLite", { webhooks: [{ ...good, name: "ops" }], directory });
  await expect.poll(() => receiver.at("/good").length).toBe(1);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
});

const DELETES = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

interface ApprovalMessage {
  readonly data: {
    readonly approval_id: string;
    readonly digest: string;
    readonly plan_id: string;
  };
}

interface Service extends AsyncDisposable {
  readonly apps: readonly App[];
}

async function open(
  engine: string,
  {
    webhooks,
    log = silentLog,
    nodes = 1,
    approvalValidMs,
    directory = mkdtempSync(join(tmpdir(), "steward-webhooks-")),
  }: {
    readonly webhooks: readonly WebhookTarget[];
    readonly log?: Log;
    readonly nodes?: number;
    readonly approvalValidMs?: number;
    readonly directory?: string;
  },
): Promise<Service> {
  const shop = join(directory, "shop.db");
  createSampleDatabase(shop);
  const database = engine === "PostgreSQL" ? await storeDatabase() : undefined;
  const shared = nodes === 1 ? {} : { keyFile: auditKeyFile(directory) };
  const apps = await Promise.all(
    Array.from({ length: nodes }, (_, node) =>
      openApp({
        ...{ port: 0, log, dataDir: join(directory, `node-${String(node)}`) },
        audit: { name: "steward/audit", witnesses: [], exports: [], ...shared },
        databaseUrl: database?.url ?? `sqlite:${join(directory, "store.db")}`,
        dataSources: [{ name: "shop", url: `sqlite:${shop}` }],
        tools: { strict: false, tools: [], webhooks },
        ...(approvalValidMs === undefined ? {} : { approvalValidMs }),
      }),
    ),
  );
  return {
    apps,
    async [Symbol.asyncDispose]() {
      for (const app of apps) await app[Symbol.asyncDispose]();
      await database?.[Symbol.asyncDispose]();
      rmSync(shop);
    },
  };
}

/** Runs a plan of one step. */
async function runPlan(app: App | undefined, query_template: string): Promise<string> {
  const baseUrl = `http://127.0.0.1:${String(app?.address.port)}`;
  const { plans } = createClient({ baseUrl, orgId: ORG, role: "agent" });
  const { plan_id: planId } = await plans.submit({
    name: "p",
    steps: [{ id: "a", query_template }],
  });
  await plans.execute(planId, "a");
  return planId;
}

/** A log that writes everything to a list. */
function logTo(lines: string[]): Log {
  const write = (...said: readonly unknown[]): void => void lines.push(JSON.stringify(said));
  const log: Log = {
    ...{ debug: write, info: write, warn: write, error: write },
    child: () => log,
  };
  return log;
}
