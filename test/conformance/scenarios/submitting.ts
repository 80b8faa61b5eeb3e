import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { expectRefusal } from "../expectations.js";
import { scenario, step, type Scenario } from "../scenario.js";

const UUID_SHAPED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const submitting: readonly Scenario[] = [
  scenario(
    [
      "C1-submit",
      "C2.1-fields",
      "C2.2-fields",
      "C2.3-plan-id",
      "C2.3-status",
      "C3-plan",
      "C4.1-submit",
      "C4.2-submit",
    ],
    "a plan that is submitted gets an id and is pending",
    async ({ client }) => {
      const submitted = await client.submit({
        session_id: "session-1",
        name: "two steps",
        description: "The second needs the first",
        steps: [
          step("first", "SELECT 1 AS n", { intent: "read_select", schema_table_hints: ["orders"] }),
          step("second", "SELECT 2 AS n", { intent: "read_select", depends_on: ["first"] }),
        ],
      });
      expect(submitted).toEqual({
        plan_id: expect.stringMatching(UUID_SHAPED),
        status: "pending",
      });
    },
  ),
  scenario(
    ["C1-status", "C2.3-steps", "C3-step", "C4.1-status", "C4.2-get", "D9-plan-fields"],
    "a plan that is asked for is what was submitted, and how it stands",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        session_id: "session-1",
        name: "a name",
        description: "a description",
        steps: [
          step("first", "SELECT 1 AS n", { intent: "read_select" }),
          step("second", "SELECT 2 AS n", { depends_on: ["first"] }),
        ],
      });
      const plan = await client.getPlan(plan_id);
      expect(plan).toMatchObject({
        plan_id,
        status: "pending",
        session_id: "session-1",
        name: "a name",
        description: "a description",
        created_at: expect.stringMatching(RFC_3339),
        steps: [
          {
            step_id: "first",
            status: "pending",
            name: "first",
            tool_name: "sql",
            intent: "read_select",
            attempt: 0,
          },
          { step_id: "second", status: "pending", depends_on: ["first"], attempt: 0 },
        ],
      });
      expect([plan.started_at ?? "", plan.finished_at ?? ""]).toEqual(["", ""]);
    },
  ),
  scenario(
    ["C2.3-status", "D9-plan-fields"],
    "a plan tells its times, and of each step the row count, the attempt and the error",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step("good", "SELECT 1 AS n UNION ALL SELECT 2"),
          step("bad", "SELECT * FROM nowhere"),
        ],
      });
      await client.execute(plan_id, "good");
      const running = await client.getPlan(plan_id);
      expect(running).toMatchObject({
        status: "running",
        started_at: expect.stringMatching(RFC_3339),
        steps: [
          {
            status: "completed",
            row_count: 2,
            attempt: 1,
            executed_at: expect.stringMatching(RFC_3339),
          },
          { status: "pending" },
        ],
      });
      await client.execute(plan_id, "bad");
      expect(await client.getPlan(plan_id)).toMatchObject({
        status: "failed",
        finished_at: expect.stringMatching(RFC_3339),
        steps: [
          { status: "completed" },
          {
            status: "failed",
            error: { code: "STEP_FAILED", message: expect.stringContaining("nowhere") },
          },
        ],
      });
    },
  ),
  scenario(
    ["D2-session"],
    "a plan without a session belongs to the caller's",
    async ({ client }) => {
      const caller = client.as({ "x-session-id": "session-of-the-caller" });
      const { plan_id } = await caller.submit({ steps: [step("only", "SELECT 1")] });
      expect(await client.getPlan(plan_id)).toMatchObject({ session_id: "session-of-the-caller" });
    },
  ),
  scenario(
    ["D4-idempotent"],
    "a submit that is repeated under its key gives the first answer and no second plan",
    async ({ client }) => {
      const key = randomUUID();
      const plan = { session_id: key, steps: [step("only", "SELECT 1")] };
      const first = await client.submit(plan, key);
      expect(await client.submit(plan, key)).toEqual(first);
      expect((await client.list({ session_id: key })).plans).toHaveLength(1);
    },
  ),
  scenario(
    ["D4-idempotency-conflict", "D9-idempotency"],
    "another plan under the same key is refused",
    async ({ client }) => {
      const key = randomUUID();
      await client.submit({ steps: [step("only", "SELECT 1")] }, key);
      await expectRefusal(client.wire, client.submit({ steps: [step("only", "SELECT 2")] }, key), {
        code: "IDEMPOTENCY_CONFLICT",
        grpc: "ALREADY_EXISTS",
        rest: 422,
      });
      const somebodyElse = client.as({ "x-org-id": randomUUID() });
      await somebodyElse.submit({ steps: [step("only", "SELECT 2")] }, key);
    },
  ),
];
