import { expect } from "vitest";
import type { Client } from "../client.js";
import {
  eventsOf,
  expectNotRun,
  expectRefusal,
  rowsOf,
  storyOf,
  untilStep,
} from "../expectations.js";
import { ENDLESS, scenario, step, type Scenario } from "../scenario.js";

const PLAN_OVER = { code: "PLAN_NOT_ACTIVE", grpc: "FAILED_PRECONDITION", rest: 409 };

const statuses = async (client: Client, planId: string) => {
  const { status, steps } = await client.getPlan(planId);
  return [status, ...steps.map((each) => each.status)];
};

/** Cancelling plans, and retrying failed ones. */
export const ending: readonly Scenario[] = [
  scenario(
    [
      "C1-cancel",
      "C4.1-cancel",
      "C4.2-cancel",
      "D3-cancelled",
      "D3-cancel-skips",
      "D3-over",
      "D3-final",
      "D9-cancel",
      "D9-precondition",
      "D6-cancel",
    ],
    "a plan that is cancelled keeps what was done, skips the rest, and stays cancelled",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2", { depends_on: ["a"] })],
      });
      await rowsOf(client, plan_id, "a");
      const cancelled = { plan_id, status: "cancelled" };
      expect(await client.cancel(plan_id)).toEqual(cancelled);
      expect(await client.cancel(plan_id)).toEqual(cancelled);
      expect(await statuses(client, plan_id)).toEqual(["cancelled", "completed", "skipped"]);
      expectNotRun(client.wire, await client.execute(plan_id, "b"), PLAN_OVER);
      await expectRefusal(client.wire, client.retry(plan_id), PLAN_OVER);
      expect(storyOf(await eventsOf(client, plan_id)).slice(4)).toEqual([
        "PlanCancelRequested",
        "PlanStepSkipped b",
        "PlanCancelled",
      ]);
    },
  ),
  scenario(["D3-cancelled"], "a plan that never ran can be cancelled", async ({ client }) => {
    const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
    expect(await client.cancel(plan_id)).toEqual({ plan_id, status: "cancelled" });
    expect(await statuses(client, plan_id)).toEqual(["cancelled", "skipped"]);
  }),
  scenario(
    ["D3-cancel-interrupts", "D6-cancel"],
    "a cancel stops the running statement before it answers",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("endless", ENDLESS), step("next", "SELECT 1", { depends_on: ["endless"] })],
      });
      const execution = client.execute(plan_id, "endless");
      await untilStep(client, plan_id, "endless", "running");
      await client.cancel(plan_id);
      expect(await statuses(client, plan_id)).toEqual(["cancelled", "cancelled", "skipped"]);
      expect((await execution).success).toBe(false);
      expectNotRun(client.wire, await client.execute(plan_id, "endless"), PLAN_OVER);
      expect(storyOf(await eventsOf(client, plan_id)).slice(3)).toEqual([
        "PlanCancelRequested",
        "PlanStepCancelled endless",
        "PlanStepSkipped next",
        "PlanCancelled",
      ]);
    },
  ),
  scenario(
    ["D9-cancel", "D3-final"],
    "a plan that is over cannot be cancelled",
    async ({ client }) => {
      const done = await client.submit({ steps: [step("a", "SELECT 1")] });
      await rowsOf(client, done.plan_id, "a");
      await expectRefusal(client.wire, client.cancel(done.plan_id), PLAN_OVER);
      const failed = await client.submit({ steps: [step("a", "SELECT * FROM nowhere")] });
      await client.execute(failed.plan_id, "a");
      await expectRefusal(client.wire, client.cancel(failed.plan_id), PLAN_OVER);
    },
  ),
  scenario(
    ["D9-not-found"],
    "a plan that is not there can be neither read, cancelled nor retried",
    async ({ client }) => {
      const unknown = "00000000-0000-7000-8000-000000000000";
      const notFound = { code: "PLAN_NOT_FOUND", grpc: "NOT_FOUND", rest: 404 };
      await expectRefusal(client.wire, client.getPlan(unknown), notFound);
      await expectRefusal(client.wire, client.getPlan("no-uuid"), notFound);
      await expectRefusal(client.wire, client.cancel(unknown), notFound);
      await expectRefusal(client.wire, client.retry(unknown), notFound);
    },
  ),
  scenario(
    ["D3-retry-plan", "D9-retry", "D6-retried"],
    "a failed plan runs on and keeps what was completed",
    async ({ client, steward }) => {
      const counter = await steward.table("n INTEGER");
      const missing = await steward.table();
      const { plan_id } = await client.submit({
        steps: [
          step("write", `INSERT INTO ${counter} VALUES (1)`),
          step("read", `SELECT * FROM ${missing}`, { depends_on: ["write"] }),
        ],
      });
      await rowsOf(client, plan_id, "write");
      await client.execute(plan_id, "read");
      await steward.sql(`CREATE TABLE ${missing} (n INTEGER)`);
      expect(await client.retry(plan_id)).toMatchObject({ plan_id, status: "running" });
      expect(await statuses(client, plan_id)).toEqual(["running", "completed", "pending"]);
      expect(await rowsOf(client, plan_id, "read")).toEqual([]);
      expect(await statuses(client, plan_id)).toEqual(["completed", "completed", "completed"]);
      expect(await steward.rows(`SELECT * FROM ${counter}`)).toHaveLength(1);
      const story = storyOf(await eventsOf(client, plan_id, 7));
      expect(story).toEqual([
        "PlanRetried",
        "PlanStepStarted read",
        "PlanStepExecuted read",
        "PlanCompleted",
      ]);
    },
  ),
  scenario(["D9-retry"], "a plan that has not failed cannot be retried", async ({ client }) => {
    const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
    await expectRefusal(client.wire, client.retry(plan_id), PLAN_OVER);
    await rowsOf(client, plan_id, "a");
    await expectRefusal(client.wire, client.retry(plan_id), PLAN_OVER);
  }),
];
