import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eachStore } from "./testing/each-store.js";
import { ShopServer } from "./testing/shop-server.js";

/*
 * Who has a part in a plan cannot approve it, whichever way they had it; and an agent's credential
 * governs nothing. On both stores, because the authors are read from the plan's rows.
 */

const POLICY = `@id("deletions") @approval("approver") @approval_plan("derived") @approval_standing("1h")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b12";
const PERSONS = ["ada", "bob", "carol", "root"] as const;
const MALLORY = { "x-user-id": "mallory", "x-user-permissions": "manage:keys" };

describe.each(await eachStore())("on %s", (_engine, store) => {
  let shop: ShopServer;
  let keys: Readonly<Record<string, string>>;
  const as = (name: string) => shop.client({ apiKey: keys[name] ?? "" });

  beforeAll(async () => {
    shop = await ShopServer.open({
      ...{ ...store, organization: ORG },
      auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    });
    const root = shop.client({ orgId: ORG, role: "admin", userId: "root" });
    await root.policies.putPolicies({ version: 0, text: POLICY });
    const bot = { agent_id: "bot", roles: ["agent", "admin", "approver"] };
    keys = await shop.makeKeys(ORG, ["admin", "approver"], {
      ...Object.fromEntries(PERSONS.map((name) => [name, { user_id: name }])),
      "ada's other key": { user_id: "Ada" },
      nobody: {},
      "bot of ada": { ...bot, user_id: "ada" },
      "bot of bob": { ...bot, user_id: "bob" },
    });
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  const STEPS = [
    { id: "a", query_template: "DELETE FROM orders WHERE id = -1" },
    { id: "b", query_template: "DELETE FROM orders WHERE id = -2", depends_on: ["a"] },
  ];
  /** Each makes a plan in which ada has a part, and carol asks for the approval. */
  const PARTS: Readonly<Record<string, () => Promise<string>>> = {
    submitted: async () => (await as("ada").plans.submit({ name: "p", steps: STEPS })).plan_id,
    "had an agent submit": async () =>
      (await as("bot of ada").plans.submit({ name: "p", steps: STEPS })).plan_id,
    "appended to": async () => {
      const { plan_id } = await as("root").plans.submit({ name: "p", steps: STEPS });
      const steps = [{ id: "c", query_template: "SELECT 1" }];
      await as("ada").plans.appendSteps({ plan_id, steps });
      return plan_id;
    },
    "revised a step of": async () => {
      const { plan_id } = await as("root").plans.submit({ name: "p", steps: STEPS });
      await as("ada").plans.reviseStep({ plan_id, step_id: "b", query_template: "SELECT 2" });
      return plan_id;
    },
    "gave a step of another name": async () => {
      const { plan_id } = await as("root").plans.submit({ name: "p", steps: STEPS });
      await as("ada").plans.reviseStep({ plan_id, step_id: "a", name: "harmless" });
      return plan_id;
    },
    "revised and somebody else revised again": async () => {
      const { plan_id } = await as("root").plans.submit({ name: "p", steps: STEPS });
      await as("ada").plans.reviseStep({
        plan_id,
        step_id: "a",
        query_template: "DELETE FROM orders",
      });
      await as("root").plans.reviseStep({
        plan_id,
        step_id: "a",
        query_template: STEPS[0]?.query_template ?? "",
      });
      return plan_id;
    },
    "wrote the plan that was forked into": async () => {
      const { plan_id } = await as("ada").plans.submit({ name: "p", steps: STEPS });
      return (await as("root").plans.forkPlan({ plan_id, step_id: "a" })).plan_id;
    },
  };

  describe("nobody approves a plan", () => {
    const plans = new Map<string, string>();
    beforeAll(async () => {
      for (const [part, make] of Object.entries(PARTS)) {
        const planId = await make();
        plans.set(part, planId);
        await expect(as("carol").plans.execute(planId, "a"), part).rejects.toMatchObject({
          code: "APPROVAL_REQUIRED",
        });
      }
      // The authors are read again from the store.
      await shop.restart();
    });

    it.each(Object.keys(PARTS))("that they %s", async (part) => {
      const { approvals } = await as("bob").approvals.listApprovals({
        plan_id: plans.get(part) ?? "",
      });
      expect(approvals.length).toBeGreaterThan(0);
      for (const { approval_id: id, digest } of approvals) {
        for (const name of [
          "ada",
          "ada's other key",
          "bot of ada",
          "bot of bob",
          "carol",
          "nobody",
        ]) {
          const desk = as(name).approvals;
          await expect(desk.grantApproval({ approval_id: id, digest }), name).rejects.toMatchObject(
            {
              code: "POLICY_DENIED",
            },
          );
          await expect(
            desk.grantApproval({ approval_id: id, digest, standing_seconds: 60 }),
            name,
          ).rejects.toMatchObject({
            code: "POLICY_DENIED",
          });
        }
      }
      const [first] = approvals.filter(({ subject }) => subject.plan_steps === undefined);
      const { approval_id: id = "", digest = "" } = first ?? {};
      expect(await as("bob").approvals.grantApproval({ approval_id: id, digest })).toMatchObject({
        status: "approved",
      });
    });
  });

  it("an agent's credential governs nothing, whatever roles it carries", async () => {
    const id = crypto.randomUUID();
    const agents: Readonly<Record<string, Record<string, string>>> = {
      "an agent's key": { authorization: `Bearer ${keys["bot of ada"] ?? ""}` },
      "an agent by headers": { "x-agent-id": "bot", "x-user-id": "ada", "x-user-role": "admin" },
      "an operator's agent": { "x-agent-id": "bot", "x-user-role": "operator" },
      "an agent without a role": { "x-agent-id": "bot" },
    };
    for (const [who, headers] of Object.entries(agents)) {
      for (const [method, path] of [
        ["POST", "/api/keys"],
        ["DELETE", "/api/keys/1"],
        ["POST", "/api/keys/1/rotate"],
        ["PUT", "/api/policies"],
        ["PUT", "/api/retention"],
        ["POST", "/api/holds"],
        ["DELETE", `/api/holds/${id}`],
        ["POST", "/api/erasures"],
        ["POST", `/api/approvals/${id}/approve`],
        ["POST", `/api/approvals/${id}/deny`],
        ["POST", `/api/approvals/${id}/revoke`],
      ] as const) {
        const response = await fetch(`${shop.baseUrl}${path}`, {
          ...{ method, body: method === "DELETE" ? null : "{}" },
          headers: { "content-type": "application/json", "x-org-id": ORG, ...headers },
        });
        const told = `${who}: ${method} ${path}: ${await response.text()}`;
        expect(told).toContain("An agent's credential governs nothing");
        expect(response.status, told).toBe(403);
      }
    }
  });

  it("only an admin gives a key to another person", async () => {
    const make = async (body: object) => {
      const response = await fetch(`${shop.baseUrl}/api/keys`, {
        ...{ method: "POST", body: JSON.stringify({ name: "k", ...body }) },
        headers: { ...MALLORY, "content-type": "application/json", "x-org-id": ORG },
      });
      return { status: response.status, text: await response.text() };
    };
    const other = await make({ user_id: "bob" });
    expect(other.status).toBe(403);
    expect(other.text).toContain("only an admin gives a key to another person");
    expect(await make({ user_id: "mallory" })).toMatchObject({ status: 201 });
    const { keys: all } = await as("root").keys.listApiKeys();
    const bobs = all.find(({ user_id, agent_id }) => user_id === "bob" && agent_id === undefined);
    const rotated = await fetch(`${shop.baseUrl}/api/keys/${bobs?.key_id ?? ""}/rotate`, {
      ...{ method: "POST", body: "{}" },
      headers: { ...MALLORY, "content-type": "application/json", "x-org-id": ORG },
    });
    expect(rotated.status).toBe(403);
  });
});
