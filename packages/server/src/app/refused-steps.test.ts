import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ShopServer, Tenant } from "./testing/shop-server.js";

/** Refusals are decided before a claim: they are no attempts, and leave the plan's log as it was. */
/** How often a looping agent asks again. */
const LOOPS = 300;

let shop: ShopServer;
beforeAll(async () => {
  shop = await ShopServer.open();
});
afterAll(() => shop[Symbol.asyncDispose]());

/** A new organization with these policies, and a plan of its agent. */
async function tenantWith(policies: string, query_template: string) {
  const tenant = new Tenant(shop);
  const { orgId, baseUrl } = tenant;
  const agent = tenant.as({ role: "agent", userId: "ada" });
  const { plan_id } = await agent.plans.submit({
    name: "p",
    steps: [{ id: "a", query_template }],
  });
  const { admin } = await tenant.under(policies);
  const types = async (): Promise<readonly string[]> => {
    const response = await fetch(`${baseUrl}/api/plans/${plan_id}/events`, {
      headers: { "x-org-id": orgId, "x-user-role": "admin" },
      signal: AbortSignal.timeout(400),
    });
    let text = "";
    try {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    } catch {
      // The stream of a plan that is not over stays open.
    }
    return [...text.matchAll(/^event: (\w+)$/gm)].map(([, type = ""]) => type);
  };
  const step = async () => (await admin.plans.getPlan({ plan_id })).steps[0];
  return {
    ...{ agent, admin, approver: tenant.person("bob") },
    planId: plan_id,
    types,
    step,
  };
}

const READS = `action in Steward::Action::"statements"`;

describe("a step that is refused again and again", () => {
  it.each([
    [
      "for a table",
      `@id("no") forbid (principal, ${READS}, resource == Steward::Table::"shop/customers");`,
    ],
    [
      "for a column that only the database tells",
      `@id("no") forbid (principal, ${READS}, resource == Steward::Column::"shop/customers/email");`,
    ],
    [
      "for its intent",
      `@id("no") forbid (principal, action == Steward::Action::"read_select", resource);`,
    ],
  ])("%s makes no attempt and no event", async (_why, policy) => {
    const own = policy.replace(
      "resource);",
      'resource) unless { principal in Steward::Role::"admin" };',
    );
    const tenant = await tenantWith(own, "SELECT * FROM customers");
    for (let loop = 0; loop < LOOPS; loop += 1) {
      await expect(tenant.agent.plans.execute(tenant.planId, "a")).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
    }
    expect(await tenant.types()).toEqual(["PlanCreated"]);
    expect(await tenant.step()).toMatchObject({
      status: "pending",
      attempt: 0,
    });
    await tenant.admin.policies.putPolicies({ version: 1, text: "" });
    const { step_result } = await tenant.agent.plans.execute(tenant.planId, "a");
    expect(step_result).toMatchObject({ status: "completed", attempt: 1 });
  });

  it("because it waits for a person has one event, and runs as its first attempt", async () => {
    const tenant = await tenantWith(
      `@id("two-eyes") @approval("approver") forbid (principal, action == Steward::Action::"write_delete", resource)
       unless { context.approved };`,
      "DELETE FROM orders WHERE id = -1",
    );
    for (let loop = 0; loop < LOOPS; loop += 1) {
      await expect(tenant.agent.plans.execute(tenant.planId, "a")).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
    }
    expect(await tenant.types()).toEqual(["PlanCreated", "PlanApprovalRequested"]);
    const [approval] = (await tenant.approver.approvals.listApprovals({ plan_id: tenant.planId }))
      .approvals;
    const { approval_id = "", digest = "" } = approval ?? {};
    await tenant.approver.approvals.grantApproval({ approval_id, digest });
    const { step_result } = await tenant.agent.plans.execute(tenant.planId, "a");
    expect(step_result).toMatchObject({ status: "completed", attempt: 1 });
  });
});
