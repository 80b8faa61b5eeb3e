import type { Approval } from "@steward/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { ShopServer, Tenant } from "./testing/shop-server.js";

/** Persons let their approvals stand for later statements of the same shape, over REST and the CLI. */
let shop: ShopServer;
beforeAll(async () => {
  shop = await ShopServer.open();
});
afterAll(() => shop[Symbol.asyncDispose]());

const policy = (annotations: string) => `@id("deletions") @approval("approver") ${annotations}
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const DAY = '@approval_standing("24h")';

class StandingTenant extends Tenant {
  /** Runs one statement. @returns the approval that it waits for, or its plan's id when it ran. */
  async run(sql: string, agent = this.agent): Promise<Approval | string> {
    const { plan_id: planId } = await agent.plans.submit({
      name: "p",
      steps: [{ id: "step", query_template: sql }],
    });
    try {
      await agent.plans.execute(planId, "step");
      return planId;
    } catch (error) {
      expect(error).toMatchObject({ code: "APPROVAL_REQUIRED" });
      const { approvals } = await agent.approvals.listApprovals({
        plan_id: planId,
        status: "pending",
      });
      expect(approvals).toHaveLength(1);
      return approvals[0] as Approval;
    }
  }

  async waits(sql: string, agent = this.agent): Promise<Approval> {
    const approval = await this.run(sql, agent);
    expect(approval).toBeTypeOf("object");
    return approval as Approval;
  }

  /** Runs a statement whose approval is then to stand. */
  async stands(sql: string, standing_seconds = 3600): Promise<Approval> {
    const { approval_id: id, plan_id, digest } = await this.waits(sql);
    await this.person("bob").approvals.grantApproval({ approval_id: id, digest, standing_seconds });
    await this.agent.plans.execute(plan_id, "step");
    return this.agent.approvals.getApproval({ approval_id: id });
  }

  standing(): Promise<readonly string[]> {
    return this.agent.approvals
      .listApprovals({ standing: "true" })
      .then(({ approvals }) => approvals.map(({ approval_id }) => approval_id));
  }
}

const tenantUnder = (text: string) => new StandingTenant(shop).under(text);

it("lets later statements of its shape run, which tell who approved them, and no others", async () => {
  const tenant = await tenantUnder(policy(DAY));
  const first = await tenant.waits("DELETE FROM orders WHERE id = -1");
  expect(first).toMatchObject({ standing_seconds_max: 86_400 });
  const approval = await tenant.stands("DELETE FROM orders WHERE id = -2");
  expect(approval).toMatchObject({ status: "used" });
  expect(approval.standing_until).toBeDefined();
  expect(await tenant.standing()).toEqual([approval.approval_id]);

  const planId = await tenant.run("DELETE FROM orders -- other values\n WHERE id = -33");
  expect(planId).toBeTypeOf("string");
  const { approvals } = await tenant.agent.approvals.listApprovals({ plan_id: planId as string });
  expect(approvals).toMatchObject([
    {
      ...{ status: "used", granted_by: approval.approval_id },
      decisions: [{ approver: { user_id: "bob" } }],
    },
  ]);
  // What it has granted does not stand itself.
  expect(approvals[0]?.standing_until).toBeUndefined();

  await tenant.waits("DELETE FROM orders WHERE id > -33");
  await tenant.waits("DELETE FROM orders WHERE id = -33 OR id = -34");
  await tenant.waits("DELETE FROM order_items WHERE order_id = -33");
  const others = [
    tenant.as({ role: "agent", agentId: "bot", userId: "carol" }),
    tenant.as({ role: "agent", agentId: "another", userId: "alice" }),
  ];
  for (const other of others) {
    await tenant.waits("DELETE FROM orders WHERE id = -33", other);
  }
  const elsewhere = await tenantUnder(policy(DAY));
  await elsewhere.waits("DELETE FROM orders WHERE id = -33");
  await expect(
    elsewhere.person("bob").approvals.revokeApproval({ approval_id: approval.approval_id }),
  ).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("does not stand for a statement that somebody else wrote, whoever executes it", async () => {
  const tenant = await tenantUnder(policy(DAY));
  await tenant.stands("DELETE FROM orders WHERE id = -1");
  const other = tenant.as({ role: "agent", agentId: "another", userId: "alice" });
  const { plan_id: planId } = await other.plans.submit({
    name: "p",
    steps: [{ id: "step", query_template: "DELETE FROM orders WHERE id = -2" }],
  });
  await expect(tenant.agent.plans.execute(planId, "step")).rejects.toMatchObject({
    code: "APPROVAL_REQUIRED",
  });
  expect(await tenant.run("DELETE FROM orders WHERE id = -2")).toBeTypeOf("string");
});

it("ends when it is revoked, when its time has passed, and when the policies change", async () => {
  const tenant = await tenantUnder(policy(DAY));
  const { approval_id: id } = await tenant.stands("DELETE FROM orders WHERE id = -1");
  const env = { SERVICE_URL: tenant.baseUrl };
  const steward = (...args: readonly string[]) =>
    runHere(["approvals", ...args, "--org", tenant.orgId, "--user", "bob"], { env });
  expect((await steward("list", "--standing")).stdout).toContain(id.slice(0, 8));
  expect((await steward("show", id)).stdout).toContain("stands for later statements until");
  await expect(tenant.agent.approvals.revokeApproval({ approval_id: id })).rejects.toMatchObject({
    code: "POLICY_DENIED",
  });
  expect(await steward("revoke", id)).toMatchObject({ code: 0 });
  const revoked = await tenant.person("carol").approvals.revokeApproval({ approval_id: id });
  expect(revoked).toMatchObject({ revoked_by: "bob" });
  expect(await tenant.standing()).toEqual([]);
  await tenant.waits("DELETE FROM orders WHERE id = -1");

  const short = await tenant.stands("DELETE FROM orders WHERE id = -1", 1);
  await expect.poll(() => tenant.standing()).toEqual([]);
  await tenant.waits("DELETE FROM orders WHERE id = -1");
  await expect(
    tenant.person("bob").approvals.revokeApproval({ approval_id: short.approval_id }),
  ).rejects.toMatchObject({
    code: "APPROVAL_CONFLICT",
  });

  await tenant.stands("DELETE FROM orders WHERE id = -1");
  expect(await tenant.run("DELETE FROM orders WHERE id = -2")).toBeTypeOf("string");
  const text = policy(`${DAY} @reason("changed")`);
  await tenant.admin.policies.putPolicies({ text, version: 1 });
  await tenant.waits("DELETE FROM orders WHERE id = -2");
  const { records } = await tenant.admin.audit.listAuditRecords({ kind: "approval" });
  expect(records.map(({ entry, values }) => [JSON.parse(entry), values])).toMatchObject([
    [{ kind: "approval.revoke", subject: id }, { "by.user": "carol" }],
    [{ kind: "approval.revoke", subject: id }, { "by.user": "bob" }],
  ]);
});

it("stands only as its policies and all its approvers say", async () => {
  const two = await tenantUnder(policy(`${DAY} @approvals_min("2")`));
  const { approval_id: id, digest, plan_id } = await two.waits("DELETE FROM orders WHERE id = -1");
  await expect(
    two
      .person("bob")
      .approvals.grantApproval({ approval_id: id, digest, standing_seconds: 86_401 }),
  ).rejects.toMatchObject({
    code: "POLICY_DENIED",
    message: expect.stringContaining("86400") as string,
  });
  await expect(
    two.person("bob").approvals.denyApproval({ approval_id: id, digest, standing_seconds: 60 }),
  ).rejects.toMatchObject({ code: "POLICY_DENIED" });
  await expect(
    two.agent.approvals.grantApproval({ approval_id: id, digest, standing_seconds: 60 }),
  ).rejects.toMatchObject({ code: "POLICY_DENIED" });
  await two
    .person("bob")
    .approvals.grantApproval({ approval_id: id, digest, standing_seconds: 60 });
  await two.person("carol").approvals.grantApproval({ approval_id: id, digest });
  await two.agent.plans.execute(plan_id, "step");
  await two.waits("DELETE FROM orders WHERE id = -1");
  expect(await two.standing()).toEqual([]);

  const never = await tenantUnder(policy(""));
  const own = await never.waits("DELETE FROM orders WHERE id = -1");
  expect(own.standing_seconds_max).toBeUndefined();
  const approve = (...args: readonly string[]) =>
    runHere(
      [
        "approvals",
        "approve",
        own.approval_id,
        "--digest",
        own.digest,
        "--user",
        "bob",
        "--org",
        never.orgId,
        ...args,
      ],
      { env: { SERVICE_URL: never.baseUrl } },
    );
  expect(await approve("--standing", "1 day")).toMatchObject({ code: 2 });
  const refused = await approve("--standing", "1d");
  expect(refused.stderr).toContain("@approval_standing");
  expect(await approve()).toMatchObject({ code: 0 });
  for (const [text, problem] of [
    ['@approval_standing("forever")', "@approval_standing must be a number of"],
    ['@approval_standing("31d")', "at most 30 days"],
  ] as const) {
    await expect(tenantUnder(policy(text))).rejects.toMatchObject({
      message: expect.stringContaining(problem) as string,
    });
  }
});
