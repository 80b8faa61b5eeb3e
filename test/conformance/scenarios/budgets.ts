import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { billingAdmin, DENIED, operator, wrong } from "../billing-expectations.js";
import { expectNotRun, expectRefusal, rowsOf } from "../expectations.js";
import { scenario, scenarioOver, step, type Scenario } from "../scenario.js";

const CAP = { scope: "organization", unit: "aau", period: "day", limit: "10", action: "block" };
const USED_UP = { code: "QUOTA_EXCEEDED", rest: 429 };

/** Limits of usage. */
export const budgets: readonly Scenario[] = [
  scenario(
    ["D14-cap", "D14-pending", "D9-quota"],
    "of twenty writes at once a cap of ten admits three, and the others stay pending",
    async ({ steward, client }) => {
      const table = await steward.table("id INTEGER");
      const ids = Array.from({ length: 20 }, (_, i) => `s${i}`);
      const { plan_id } = await client.submit({
        steps: ids.map((id, i) => step(id, `INSERT INTO ${table} VALUES (${i})`)),
      });
      await billingAdmin(client).billing.setBudget(CAP);
      const executions = await Promise.all(ids.map((id) => client.execute(plan_id, id)));
      const refused = executions.filter(({ success }) => !success);
      expect(refused).toHaveLength(17);
      for (const execution of refused) expectNotRun(client.wire, execution, USED_UP);
      expect(await steward.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 3 }]);
      const { steps } = await client.getPlan(plan_id);
      expect(steps.filter(({ status }) => status === "pending")).toHaveLength(17);
      expect(await billingAdmin(client).billing.usage()).toMatchObject([
        { action_count: 3, total_aau: 9 },
      ]);
    },
  ),
  scenario(
    ["D14-remaining"],
    "the list of budgets shows what is used and what is left",
    async ({ steward, client }) => {
      const { billing } = billingAdmin(client);
      const table = await steward.table("id INTEGER");
      await billing.setBudget(CAP);
      expect(await billing.budgets()).toMatchObject([{ used: "0", remaining: "10" }]);
      const { plan_id } = await client.submit({
        steps: [step("a", `INSERT INTO ${table} VALUES (1)`)],
      });
      await rowsOf(client, plan_id, "a");
      expect(await billing.budgets()).toMatchObject([
        {
          limit: "10",
          used: "3",
          remaining: "7",
          resets_at: expect.stringMatching(/T00:00:00\.000Z$/),
        },
      ]);
    },
  ),
  scenario(
    ["D14-replay", "D14-pending"],
    "what has run is replayed whatever the budget says, and what was refused runs when there is room",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1 AS n"), step("b", "SELECT 2 AS n")],
      });
      await rowsOf(client, plan_id, "a");
      const { budget_id } = await billing.setBudget({ ...CAP, limit: "1" });
      expectNotRun(client.wire, await client.execute(plan_id, "b"), USED_UP);
      expect(await client.execute(plan_id, "a")).toMatchObject({ success: true, replayed: true });
      expect(await billing.budgets()).toMatchObject([{ budget_id, limit: "1" }]);
      await billing.removeBudget(budget_id);
      expect(await rowsOf(client, plan_id, "b")).toEqual([{ n: 2 }]);
      const gone = { code: "NOT_FOUND", grpc: "NOT_FOUND", rest: 404 };
      await expectRefusal(client.wire, billing.removeBudget(budget_id), gone);
    },
  ),
  scenario(
    ["D14-session"],
    "a session's budget caps each session for itself, in dollars too",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      await operator(client).billing.setPrice({
        scope: "intent",
        subject: "read_select",
        amount_usd: "0.5",
      });
      await billing.setBudget({
        ...CAP,
        scope: "session",
        unit: "usd",
        period: "month",
        limit: "0.7",
      });
      for (const session_id of ["first", "second"]) {
        const { plan_id } = await client.submit({
          session_id,
          steps: [step("a", "SELECT 1"), step("b", "SELECT 1")],
        });
        await rowsOf(client, plan_id, "a");
        const execution = await client.execute(plan_id, "b");
        expectNotRun(client.wire, execution, USED_UP);
        expect(execution.error_message).toMatch(/session's budget of \$0\.7 per month/);
      }
    },
  ),
  scenario(
    ["D15-ceiling"],
    "an organization sets no budget higher than the operator's, which counts beside its own",
    async ({ client }) => {
      const org = randomUUID();
      const tenant = client.as({ "x-org-id": org });
      const { billing } = billingAdmin(tenant);
      const ceiling = { ...CAP, limit: "1", org_id: org };
      const { budget_id, set_by } = await operator(client).billing.setBudget(ceiling);
      expect(set_by).toBe("operator");
      const refused = { ...wrong("limit"), message: /1 AAU per day, the operator's budget/ };
      await expectRefusal(client.wire, billing.setBudget(CAP), refused);
      await expectRefusal(client.wire, billing.removeBudget(budget_id), DENIED);
      await billing.setBudget({ ...CAP, limit: "1", action: "warn" });
      expect((await billing.budgets()).map((budget) => budget.set_by).sort()).toEqual([
        "operator",
        "organization",
      ]);
      const { plan_id } = await tenant.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 1")],
      });
      await rowsOf(tenant, plan_id, "a");
      expectNotRun(client.wire, await tenant.execute(plan_id, "b"), USED_UP);
    },
  ),
  scenario(
    ["D14-warn"],
    "a budget that warns tells the agent among the hints",
    async ({ client }) => {
      await billingAdmin(client).billing.setBudget({ ...CAP, limit: "0", action: "warn" });
      const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
      const { success, llm_context_update } = await client.execute(plan_id, "a");
      expect(success).toBe(true);
      expect(llm_context_update?.augmentation_hints.join()).toMatch(/budget of 0 AAU per day/);
    },
  ),
  scenario(["D14-cap"], "a budget that makes no sense is refused by name", async ({ client }) => {
    const { billing } = billingAdmin(client);
    for (const field of ["scope", "unit", "period", "limit", "action"] as const) {
      const budget = { ...CAP, [field]: "nonsense" };
      await expectRefusal(client.wire, billing.setBudget(budget), wrong(field));
    }
    expect(await billing.budgets()).toEqual([]);
  }),
  scenarioOver(
    "rest",
    ["D9-quota"],
    "a budget that is used up says how long to wait",
    async ({ steward, client }) => {
      const identity = { "x-org-id": randomUUID() };
      const caller = client.as(identity);
      await billingAdmin(caller).billing.setBudget({ ...CAP, limit: "0" });
      const { plan_id } = await caller.submit({ steps: [step("a", "SELECT 1")] });
      const path = `/api/plans/${plan_id}/steps/a/execute`;
      const response = await fetch(steward.url + path, { method: "POST", headers: identity });
      expect(response.status).toBe(429);
      const seconds = Number(response.headers.get("retry-after"));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(24 * 60 * 60);
    },
  ),
];
