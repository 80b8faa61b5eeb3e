import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Approval, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp, type App } from "./app.js";

/** Agents run plans under policies that demand approvals, and persons decide, all over REST. */
const directory = mkdtempSync(join(tmpdir(), "steward-approvals-"));

let app: App;
const open = async (): Promise<void> => {
  app = await openApp({
    port: 0,
    log: silentLog,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    dataDir: directory,
  });
};
beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  await open();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const DELETES = `@id("two-eyes") @reason("Deletions are looked at") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const ORDERS = `@id("orders") @approval("approver") @approvals_min("2")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"write_update",
    resource == Steward::Table::"shop/orders")
  unless { context.approved };`;

/** An organization with these policies, its agent, and persons. */
class Tenant {
  readonly orgId = crypto.randomUUID();
  readonly agent = this.#as({ role: "agent", agentId: "bot", userId: "alice" });

  constructor(readonly version = 0) {}

  static async with(text: string): Promise<Tenant> {
    const tenant = new Tenant();
    await tenant.put(text, 0);
    return tenant;
  }

  put(text: string, version: number) {
    return this.#as({ role: "admin", userId: "root" }).policies.putPolicies({ text, version });
  }

  person(userId: string, role = "approver"): StewardClient {
    return this.#as({ role, userId });
  }

  #as(who: { readonly role: string; readonly userId?: string; readonly agentId?: string }) {
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    return createClient({ baseUrl, orgId: this.orgId, maxRetries: 0, ...who });
  }

  async submit(...statements: readonly string[]): Promise<string> {
    const steps = statements.map((query_template, index) => ({
      ...{ id: `s${String(index)}`, query_template },
      depends_on: index === 0 ? [] : [`s${String(index - 1)}`],
    }));
    return (await this.agent.plans.submit({ name: "p", steps })).plan_id;
  }

  /** Executes a step that has to wait. @returns the approval that it waits for. */
  async waits(planId: string, stepId = "s0"): Promise<Approval> {
    const refusal: unknown = await this.agent.plans.execute(planId, stepId).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ code: "APPROVAL_REQUIRED", status: 409 });
    const { details } = refusal as { details: readonly { field: string; reason: string }[] };
    const id = details.find(({ field }) => field === "approval_id")?.reason ?? "";
    return this.agent.approvals.getApproval({ approval_id: id });
  }

  async run(planId: string, stepId = "s0") {
    return (await this.agent.plans.execute(planId, stepId)).step_result;
  }

  async orders(): Promise<unknown> {
    const planId = await this.submit("SELECT count(*) AS n FROM orders");
    const { llm_context_update } = await this.agent.plans.execute(planId, "s0");
    return JSON.parse(llm_context_update.tool_output_json);
  }
}

describe("a step that a person must approve", () => {
  it("waits, shows what exactly runs, and runs once after the decision", async () => {
    const tenant = await Tenant.with(DELETES);
    const before = await tenant.orders();
    const planId = await tenant.submit(
      "SELECT -1 AS id",
      "DELETE FROM orders WHERE id = {{step.s0.output[0].id}}",
    );
    await tenant.run(planId);
    const approval = await tenant.waits(planId, "s1");
    expect(approval).toMatchObject({
      ...{ status: "pending", plan_id: planId, step_id: "s1" },
      requester: { kind: "agent", user_id: "alice", agent_id: "bot" },
      rules: [{ policy_id: "two-eyes", role: "approver", approvers_min: 1, missing: 1 }],
      subject: {
        ...{ data_source: "shop", intent: "write_delete", revision: 1 },
        query_template: "DELETE FROM orders WHERE id = {{step.s0.output[0].id}}",
        statement: expect.stringContaining("WHERE id = CASE typeof(?1)") as string,
        values: [{ text: "-1", type: "json" }],
      },
    });
    // Asking again asks for nothing new.
    expect((await tenant.waits(planId, "s1")).approval_id).toBe(approval.approval_id);
    const plan = await tenant.agent.plans.getPlan({ plan_id: planId });
    expect(plan).toMatchObject({ status: "running", wait_reason: "awaiting_approval" });
    expect(plan.steps[1]).toMatchObject({ status: "pending", wait_reason: "awaiting_approval" });
    expect(await tenant.orders()).toEqual(before);

    const { digest, approval_id: id } = approval;
    const decided = await tenant
      .person("bob")
      .approvals.grantApproval({ approval_id: id, digest, reason: "tests" });
    expect(decided).toMatchObject({
      status: "approved",
      decisions: [{ approver: { user_id: "bob" }, decision: "approve", reason: "tests" }],
    });
    expect(await tenant.run(planId, "s1")).toMatchObject({ status: "completed", row_count: 0 });
    expect(await tenant.agent.approvals.getApproval({ approval_id: id })).toMatchObject({
      status: "used",
    });
    expect((await tenant.agent.plans.getPlan({ plan_id: planId })).status).toBe("completed");
  });

  it("survives a restart while it waits and after it was approved", async () => {
    const tenant = await Tenant.with(DELETES);
    const planId = await tenant.submit("DELETE FROM orders WHERE id = -2");
    const { approval_id: id, digest } = await tenant.waits(planId);
    const restart = async (): Promise<Tenant> => {
      await app[Symbol.asyncDispose]();
      await open();
      return Object.assign(new Tenant(), { orgId: tenant.orgId });
    };
    let again = await restart();
    const person = () =>
      createClient({
        ...{ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId: tenant.orgId },
        ...{ role: "approver", userId: "bob" },
      });
    expect(await person().approvals.getApproval({ approval_id: id })).toMatchObject({
      status: "pending",
    });
    await person().approvals.grantApproval({ approval_id: id, digest });
    again = await restart();
    const agent = createClient({
      ...{ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId: again.orgId },
      ...{ role: "agent", agentId: "bot" },
    });
    const { step_result } = await agent.plans.execute(planId, "s0");
    expect(step_result.status).toBe("completed");
  });

  it("fails with the reason when it is denied, which its agent is told", async () => {
    const tenant = await Tenant.with(DELETES);
    const planId = await tenant.submit("DELETE FROM orders WHERE id = -3");
    const { approval_id: id, digest } = await tenant.waits(planId);
    const reason = "Archive orders instead of deleting them";
    await tenant.person("bob").approvals.denyApproval({ approval_id: id, digest, reason });
    const { step_result, llm_context_update } = await tenant.agent.plans.execute(planId, "s0");
    expect(step_result).toMatchObject({ status: "failed", error: { code: "APPROVAL_DENIED" } });
    expect(llm_context_update.augmentation_hints[0]).toContain(`bob denied it: ${reason}`);
    expect((await tenant.agent.plans.getPlan({ plan_id: planId })).status).toBe("failed");
    const types: string[] = [];
    for await (const { event_type } of tenant.agent.plans.watch(planId)) types.push(event_type);
    expect(types).toEqual([
      ...["PlanCreated", "PlanApprovalRequested"],
      ...["PlanApprovalDecided", "PlanStepExecuted", "PlanFailed"],
    ]);
  });

  it("waits for every approver that its tables demand, and runs on these tables only", async () => {
    const tenant = await Tenant.with(ORDERS);
    const planId = await tenant.submit("UPDATE orders SET status = status WHERE id = -4");
    const { approval_id: id, digest, subject } = await tenant.waits(planId);
    expect(subject.tables).toEqual([
      { name: "orders", accesses: expect.arrayContaining(["update"]) as string[] },
    ]);
    const first = await tenant.person("bob").approvals.grantApproval({ approval_id: id, digest });
    expect(first).toMatchObject({ status: "pending", rules: [{ missing: 1 }] });
    // The same person counts once.
    await tenant.person("bob").approvals.grantApproval({ approval_id: id, digest });
    await tenant.waits(planId);
    await tenant.person("carol").approvals.grantApproval({ approval_id: id, digest });
    expect(await tenant.run(planId)).toMatchObject({ status: "completed" });
    const other = await tenant.submit("UPDATE customers SET name = name WHERE id = -4");
    expect(await tenant.run(other)).toMatchObject({ status: "completed" });
  });

  it("is asked for again when its definition or the policies have changed", async () => {
    const tenant = await Tenant.with(DELETES);
    const planId = await tenant.submit("DELETE FROM orders WHERE id = -5");
    const first = await tenant.waits(planId);
    const bob = tenant.person("bob").approvals;
    await bob.grantApproval({ approval_id: first.approval_id, digest: first.digest });
    await tenant.agent.plans.reviseStep({
      plan_id: planId,
      step_id: "s0",
      query_template: "DELETE FROM orders WHERE id < -5",
    });
    const second = await tenant.waits(planId);
    expect(second.digest).not.toBe(first.digest);
    expect(
      await tenant.agent.approvals.getApproval({ approval_id: first.approval_id }),
    ).toMatchObject({ status: "void" });
    await bob.grantApproval({ approval_id: second.approval_id, digest: second.digest });
    await tenant.put(`${DELETES} ${ORDERS}`, 1);
    const third = await tenant.waits(planId);
    expect(third.policy_version).not.toBe(second.policy_version);
    await expect(
      bob.grantApproval({ approval_id: second.approval_id, digest: second.digest }),
    ).rejects.toMatchObject({
      code: "APPROVAL_CONFLICT",
      status: 409,
    });
    // Policies that demand nothing any more end the wait.
    await tenant.put("", 2);
    expect(await tenant.run(planId)).toMatchObject({ status: "completed" });
    expect(
      await tenant.agent.approvals.getApproval({ approval_id: third.approval_id }),
    ).toMatchObject({ status: "void" });
  });
});

describe("a decision", () => {
  it("is refused to agents, to the requester, to strangers, and about anything else than was read", async () => {
    const tenant = await Tenant.with(DELETES);
    const planId = await tenant.submit("DELETE FROM orders WHERE id = -6");
    const { approval_id: id, digest } = await tenant.waits(planId);
    const bob = tenant.person("bob").approvals;
    const refusals = [
      [
        () => tenant.agent.approvals.grantApproval({ approval_id: id, digest }),
        "POLICY_DENIED",
        "governs nothing",
      ],
      [
        () => tenant.person("alice").approvals.grantApproval({ approval_id: id, digest }),
        "POLICY_DENIED",
        "own request",
      ],
      [
        () => tenant.person("dave", "admin").approvals.grantApproval({ approval_id: id, digest }),
        "POLICY_DENIED",
        "role approver",
      ],
      [
        () => bob.grantApproval({ approval_id: id, digest: "0".repeat(64) }),
        "APPROVAL_CONFLICT",
        "Read the approval again",
      ],
      [
        () => bob.grantApproval({ approval_id: crypto.randomUUID(), digest }),
        "NOT_FOUND",
        "There is no approval",
      ],
      [() => bob.grantApproval({ approval_id: "x", digest }), "NOT_FOUND", "There is no approval"],
      [
        () => new Tenant().person("bob").approvals.grantApproval({ approval_id: id, digest }),
        "NOT_FOUND",
        "no approval",
      ],
      [
        () => new Tenant().person("bob").approvals.getApproval({ approval_id: id }),
        "NOT_FOUND",
        "no approval",
      ],
      [
        () => bob.denyApproval({ approval_id: id, digest, reason: "x".repeat(2000) }),
        "INVALID_ARGUMENT",
        "reason",
      ],
    ] as const;
    for (const [decision, code, message] of refusals) {
      await expect(decision()).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message) as string,
      });
    }
    expect(await tenant.agent.approvals.getApproval({ approval_id: id })).toMatchObject({
      status: "pending",
      decisions: [],
    });
    await bob.grantApproval({ approval_id: id, digest });
    await tenant.run(planId);
    const message = expect.stringContaining("is used") as string;
    await expect(
      tenant.person("carol").approvals.grantApproval({ approval_id: id, digest }),
    ).rejects.toMatchObject({
      code: "APPROVAL_CONFLICT",
      message,
    });
  });

  it("of an agent is refused whatever roles its credential has", async () => {
    const tenant = await Tenant.with(DELETES);
    const planId = await tenant.submit("DELETE FROM orders WHERE id = -7");
    const { approval_id: id, digest } = await tenant.waits(planId);
    const response = await fetch(
      `http://127.0.0.1:${String(app.address.port)}/api/approvals/${id}/approve`,
      {
        method: "POST",
        headers: {
          ...{ "content-type": "application/json", "x-org-id": tenant.orgId },
          ...{ "x-agent-id": "other", "x-user-id": "bob", "x-user-role": "approver" },
        },
        body: JSON.stringify({ digest }),
      },
    );
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("An agent's credential governs nothing");
  });

  it("is listed by status and plan, a page at a time, for its organization", async () => {
    const tenant = await Tenant.with(DELETES);
    const plans = [];
    for (const id of ["-8", "-9", "-10"]) {
      plans.push(await tenant.submit(`DELETE FROM orders WHERE id = ${id}`));
    }
    const waiting = [];
    for (const planId of plans) waiting.push(await tenant.waits(planId));
    const newest = waiting.map(({ approval_id }) => approval_id).reverse();
    const bob = tenant.person("bob").approvals;
    const listed: string[] = [];
    for await (const { approval_id } of bob.eachApproval({ limit: 2 })) listed.push(approval_id);
    expect(listed).toEqual(newest);
    const { digest = "" } = waiting[0] ?? {};
    await bob.grantApproval({ approval_id: newest[2] ?? "", digest });
    const ids = async (query: object) =>
      (await bob.listApprovals(query)).approvals.map(({ approval_id }) => approval_id);
    expect(await ids({ status: "pending" })).toEqual(newest.slice(0, 2));
    expect(await ids({ status: "approved" })).toEqual(newest.slice(2));
    expect(await ids({ status: "expired" })).toEqual([]);
    expect(await ids({ plan_id: plans[1] })).toEqual([newest[1]]);
    expect((await new Tenant().person("bob").approvals.listApprovals()).approvals).toEqual([]);
    await expect(bob.listApprovals({ cursor: "x" })).rejects.toMatchObject({ status: 400 });
  });
});
