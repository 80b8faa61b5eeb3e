import type { Approval } from "@steward/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { ShopServer, Tenant } from "./testing/shop-server.js";

/** Agents run plans whose deletions may be approved with the whole plan, and persons decide, over REST. */
let shop: ShopServer;
beforeAll(async () => {
  shop = await ShopServer.open();
});
afterAll(() => shop[Symbol.asyncDispose]());

const deletions = (
  plan: string,
  more = "",
) => `@id("deletions") @approval("approver") ${plan} ${more}
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const ORDERS = `@id("orders") @approval("approver") @approval_plan("known")
  forbid (principal, action == Steward::Action::"write_update", resource == Steward::Table::"shop/orders")
  unless { context.approved };`;

/** The steps of a plan: a read, and deletions by its value. */
const STEPS = [
  { id: "read", query_template: "SELECT -7 AS id" },
  { id: "first", query_template: "DELETE FROM orders WHERE id = -1", depends_on: ["read"] },
  {
    ...{ id: "second", depends_on: ["first", "later"] },
    query_template: "DELETE FROM orders WHERE id = {{step.later.output[0].id}}",
  },
  { id: "later", query_template: "SELECT -8 AS id", depends_on: ["first"] },
];

class PlanTenant extends Tenant {
  async submit(steps: readonly object[] = STEPS): Promise<string> {
    const body = { name: "p", steps: steps as typeof STEPS };
    return (await this.agent.plans.submit(body)).plan_id;
  }

  async run(planId: string, ...stepIds: readonly string[]): Promise<readonly string[]> {
    const ended = [];
    for (const stepId of stepIds) {
      const { step_result } = await this.agent.plans.execute(planId, stepId);
      ended.push(step_result.status);
    }
    return ended;
  }

  /** Executes a step that has to wait. @returns its approval, and the plan's that waits, if one does. */
  async waits(planId: string, stepId: string) {
    await expect(this.agent.plans.execute(planId, stepId)).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    const { approvals } = await this.agent.approvals.listApprovals({
      plan_id: planId,
      status: "pending",
    });
    const plan = approvals.find(({ subject }) => subject.plan_steps !== undefined);
    const own = approvals.find((each) => each.step_id === stepId && each !== plan);
    return { own: own as Approval, plan: plan as Approval };
  }
}

const tenantUnder = (text: string) => new PlanTenant(shop).under(text);
const done = (count: number) => Array.from({ length: count }, () => "completed");

it("is approved at once: its approver has seen every step, and each runs once under its own approval", async () => {
  const tenant = await tenantUnder(deletions('@approval_plan("derived")'));
  const planId = await tenant.submit();
  await tenant.run(planId, "read");
  const { own, plan } = await tenant.waits(planId, "first");
  expect(plan.subject.plan_steps).toMatchObject([
    { step_id: "read", approval: "free", note: "it is completed" },
    { step_id: "first", approval: "covered", values: [], intent: "write_delete" },
    { step_id: "second", approval: "covered", values_from: ["step.later.output[0].id"] },
    { step_id: "later", approval: "free", statement: "SELECT -8 AS id" },
  ]);
  expect(plan.digest).not.toBe(own.digest);
  const { stdout } = await runHere(
    ["approvals", "show", plan.approval_id, "--org", tenant.orgId, "--user", "bob"],
    { env: { SERVICE_URL: tenant.baseUrl } },
  );
  expect(stdout).toContain("the whole plan: 2 of 4 steps");
  expect(stdout).toContain("second  write_delete on shop  covered");
  expect(stdout).toContain("1: from step.later.output[0].id");
  await tenant
    .person("bob")
    .approvals.grantApproval({ approval_id: plan.approval_id, digest: plan.digest });
  expect(await tenant.run(planId, "first", "later", "second")).toEqual(done(3));
  expect(await tenant.agent.approvals.getApproval({ approval_id: own.approval_id })).toMatchObject({
    ...{ status: "used", granted_by: plan.approval_id },
    decisions: [{ approver: { user_id: "bob" } }],
  });
  expect(await tenant.agent.approvals.getApproval({ approval_id: plan.approval_id })).toMatchObject(
    { status: "used" },
  );
  const decided: unknown[] = [];
  for await (const { event_type, payload_json } of tenant.agent.plans.watch(planId)) {
    if (event_type === "PlanApprovalDecided") decided.push(JSON.parse(payload_json));
  }
  expect(decided).toMatchObject([
    { approval_id: plan.approval_id, step_ids: ["first", "second"], approver: "bob" },
    { step_id: "first", granted_by: plan.approval_id },
    { step_id: "second", granted_by: plan.approval_id },
  ]);
});

it("covers no values that are not known unless its policy says so, and nothing without the annotation", async () => {
  const known = await tenantUnder(deletions('@approval_plan("known")'));
  const steps = [
    ...STEPS,
    { id: "third", query_template: "DELETE FROM orders WHERE id = -3", depends_on: ["read"] },
  ];
  const planId = await known.submit(steps);
  await known.run(planId, "read");
  const { plan } = await known.waits(planId, "first");
  expect(plan.subject.plan_steps?.map(({ approval }) => approval)).toEqual([
    ...["free", "covered", "separate", "free", "covered"],
  ]);
  await known
    .person("bob")
    .approvals.grantApproval({ approval_id: plan.approval_id, digest: plan.digest });
  expect(await known.run(planId, "first", "later", "third")).toEqual(done(3));
  await known.waits(planId, "second");

  const none = await tenantUnder(deletions(""));
  const other = await none.submit();
  await none.run(other, "read");
  expect((await none.waits(other, "first")).plan).toBeUndefined();
  await expect(tenantUnder(deletions('@approval_plan("always")'))).rejects.toMatchObject({
    message: expect.stringContaining('@approval_plan must be "known"') as string,
  });
});

it("ends with a change of the plan's steps or of the policies: what has not started waits again", async () => {
  const tenant = await tenantUnder(deletions('@approval_plan("derived")'));
  const planId = await tenant.submit();
  await tenant.run(planId, "read");
  const { plan } = await tenant.waits(planId, "first");
  const bob = tenant.person("bob").approvals;
  await bob.grantApproval({ approval_id: plan.approval_id, digest: plan.digest });
  await tenant.run(planId, "first");
  await tenant.agent.plans.appendSteps({
    plan_id: planId,
    steps: [{ id: "more", query_template: "DELETE FROM orders WHERE id = -9" }],
  });
  expect(await tenant.agent.approvals.getApproval({ approval_id: plan.approval_id })).toMatchObject(
    { status: "void" },
  );
  const again = await tenant.waits(planId, "more");
  expect(again.plan.digest).not.toBe(plan.digest);
  // The digest of the plan as it was approves nothing.
  await expect(
    bob.grantApproval({ approval_id: again.plan.approval_id, digest: plan.digest }),
  ).rejects.toMatchObject({
    code: "APPROVAL_CONFLICT",
  });
  await bob.grantApproval({ approval_id: again.plan.approval_id, digest: again.plan.digest });
  const text = deletions('@approval_plan("derived")', '@reason("changed")');
  await tenant.as({ role: "admin", userId: "root" }).policies.putPolicies({ text, version: 1 });
  await tenant.waits(planId, "more");
});

it("is decided by those who may decide about its steps, and denied without ending the plan", async () => {
  const two = '@approvals_min("2")';
  const tenant = await tenantUnder(`${deletions('@approval_plan("derived")', two)} ${ORDERS}`);
  const steps = [
    { id: "first", query_template: "DELETE FROM orders WHERE id = -1" },
    { id: "update", query_template: "UPDATE orders SET status = status WHERE id = -1" },
  ];
  const planId = await tenant.submit(steps);
  const { plan, own } = await tenant.waits(planId, "first");
  const { approval_id: id, digest } = plan;
  expect(plan.rules.map(({ policy_id, missing }) => [policy_id, missing])).toEqual([
    ["deletions", 2],
    ["orders", 1],
  ]);
  expect(plan.subject.plan_steps?.[1]?.tables).toMatchObject([{ name: "orders" }]);
  for (const forbidden of [tenant.agent, tenant.person("alice")]) {
    await expect(
      forbidden.approvals.grantApproval({ approval_id: id, digest }),
    ).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  }
  await expect(
    tenant.person("bob").approvals.grantApproval({ approval_id: id, digest: own.digest }),
  ).rejects.toMatchObject({ code: "APPROVAL_CONFLICT" });
  await tenant.person("bob").approvals.grantApproval({ approval_id: id, digest });
  await tenant.waits(planId, "first");
  const command = (userId: string, ...args: readonly string[]) =>
    runHere(["approvals", "approve", ...args, "--user", userId, "--org", tenant.orgId], {
      env: { SERVICE_URL: tenant.baseUrl },
    });
  expect(await command("carol", "--digest", digest)).toMatchObject({ code: 2 });
  expect(await command("carol", "--plan", planId, "--digest", digest)).toMatchObject({
    ...{ code: 0, stdout: "approved\n" },
  });
  expect(await tenant.run(planId, "first", "update")).toEqual(done(2));

  const denied = await tenant.submit(steps);
  const second = await tenant.waits(denied, "first");
  const reason = "one by one";
  const { approval_id, digest: other } = second.plan;
  await tenant.person("bob").approvals.denyApproval({ approval_id, digest: other, reason });
  expect(await tenant.agent.plans.getPlan({ plan_id: denied })).toMatchObject({
    status: "pending",
  });
  const next = await tenant.waits(denied, "update");
  expect(next.plan).toBeUndefined();
});
