import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { rowsOf } from "../../expectations.js";
import { scenario, step, type Scenario } from "../../scenario.js";
import { putPolicies } from "../authorization.js";

/** Policies that forbid agents a column and demand an approval for deletions. */
const POLICIES = `@id("no-emails") @reason("Addresses are for people")
  forbid (principal in Steward::Role::"agent", action, resource)
  when { context has columns && context.columns.contains("checked/email") };
  @id("two-eyes") @approval("the data owner")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

const CREATE = "CREATE TABLE IF NOT EXISTS checked (id integer, email text)";

/** Plans that are checked before they run. */
export const checking: readonly Scenario[] = [
  scenario(
    ["D21-touched", "D21-verdict", "D21-price", "D21-stored"],
    "a check tells what each step touches, who decides and what it weighs, and stores nothing",
    async ({ client, steward }) => {
      const admin = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      const { plan_id } = await client.as(admin).submit({ steps: [step("table", CREATE)] });
      await rowsOf(client.as(admin), plan_id, "table");
      expect((await putPolicies(steward, admin, POLICIES)).status).toBe(200);
      const mine = client.as({ ...admin, "x-user-role": "agent" });
      const check = await mine.check({
        steps: [
          step("ids", "SELECT id FROM checked"),
          step("emails", "SELECT email FROM checked WHERE id = {{step.ids.output[0].id}}", {
            depends_on: ["ids"],
          }),
          step("clear", "DELETE FROM checked"),
        ],
      });
      expect(check).toMatchObject({ verdict: "deny", aau: 5, cost_usd: 0 });
      const [ids, emails, clear] = check.steps;
      expect(ids).toMatchObject({ step_id: "ids", verdict: "permit", aau: 1 });
      expect(ids?.tables[0]?.name).toMatch(/checked$/);
      expect(ids?.tables[0]?.reads).toEqual(["id"]);
      expect(emails).toMatchObject({ verdict: "deny", policies: [{ id: "no-emails" }] });
      expect(emails?.reason).toContain("Addresses are for people");
      expect(clear).toMatchObject({
        ...{ verdict: "approval", aau: 3 },
        policies: [{ id: "two-eyes", approval: "the data owner" }],
      });
      const { plans } = await mine.list({});
      expect(plans.map((plan) => plan.plan_id)).toEqual([plan_id]);
    },
  ),
  scenario(
    ["D21-problem", "D21-invalid"],
    "a check tells what the database would refuse, and refuses what a submission refuses",
    async ({ client }) => {
      const check = await client.check({ steps: [step("a", "SELECT n FROM no_such_table")] });
      expect(check.verdict).toBe("permit");
      expect(check.steps[0]?.problem).toMatch(/no_such_table/);
      await expect(client.check({ steps: [step("a", "SELECT 1; SELECT 2")] })).rejects.toThrow(
        /statement/,
      );
    },
  ),
];
