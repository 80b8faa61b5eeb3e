import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { EventView } from "../client.js";
import { eventsOf, expectRefusal, payloadOf, rowsOf, storyOf } from "../expectations.js";
import { scenario, step, type Scenario } from "../scenario.js";

export const events: readonly Scenario[] = [
  scenario(
    [
      "C1-stream",
      "C2.6-fields",
      "C4.1-stream",
      "C6-types",
      "C6-own",
      "C6-fields",
      "D6-sequence",
      "D6-timestamp",
      "D6-success",
      "D6-end",
    ],
    "a plan that succeeds is told from its creation to its completion",
    async ({ client }) => {
      const other = await client.submit({ steps: [step("x", "SELECT 1")] });
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2", { depends_on: ["a"] })],
      });
      await rowsOf(client, plan_id, "a");
      await rowsOf(client, other.plan_id, "x");
      await rowsOf(client, plan_id, "b");
      const told = await eventsOf(client, plan_id);
      expect(storyOf(told)).toEqual([
        "PlanCreated",
        "PlanStarted",
        "PlanStepStarted a",
        "PlanStepExecuted a",
        "PlanStepStarted b",
        "PlanStepExecuted b",
        "PlanCompleted",
      ]);
      expect(told.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(new Set(told.map((event) => event.plan_id))).toEqual(new Set([plan_id]));
      const times = told.map(({ timestamp }) => timestamp);
      for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(times).toEqual(times.toSorted());
    },
  ),
  scenario(
    ["D6-executed", "D6-completed"],
    "events tell of the step and of the plan",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        session_id: "told",
        steps: [step("zero", "SELECT 1"), step("one", "SELECT 1 AS n UNION ALL SELECT 2")],
      });
      await rowsOf(client, plan_id, "one");
      await rowsOf(client, plan_id, "zero");
      const told = await eventsOf(client, plan_id);
      expect(payloadOf(told.find(({ event_type }) => event_type === "PlanStepExecuted"))).toEqual({
        step_id: "one",
        step_index: 1,
        status: "completed",
        attempt: 1,
        row_count: 2,
        duration_ms: expect.any(Number),
      });
      expect(payloadOf(told.at(-1))).toEqual({
        session_id: "told",
        total_steps: 2,
        duration_ms: expect.any(Number),
      });
    },
  ),
  scenario(
    ["D6-failure", "C6-types"],
    "a plan that fails tells what was skipped, and why it failed",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step("last", "SELECT 1", { depends_on: ["middle"] }),
          step("middle", "SELECT 1", { depends_on: ["bad"] }),
          step("bad", "SELECT * FROM nowhere"),
        ],
      });
      await client.execute(plan_id, "bad");
      const told = await eventsOf(client, plan_id);
      expect(storyOf(told)).toEqual([
        "PlanCreated",
        "PlanStarted",
        "PlanStepStarted bad",
        "PlanStepExecuted bad",
        "PlanStepSkipped middle",
        "PlanStepSkipped last",
        "PlanFailed",
      ]);
      expect(payloadOf(told[3])).toMatchObject({ status: "failed" });
      expect(payloadOf(told.at(-1))).toEqual({
        failed_step_id: "bad",
        reason: expect.stringContaining("nowhere"),
      });
    },
  ),
  scenario(
    ["D6-replay", "D6-end"],
    "a stream first repeats, then goes on live, then ends",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2")],
      });
      await rowsOf(client, plan_id, "a");
      const seen: EventView[] = [];
      const following = (async () => {
        for await (const event of client.events(plan_id)) seen.push(event);
      })();
      while (seen.length < 4) await delay(10);
      expect(storyOf(seen).at(-1)).toBe("PlanStepExecuted a");
      await rowsOf(client, plan_id, "b");
      await following;
      expect(storyOf(seen).at(-1)).toBe("PlanCompleted");
      expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await eventsOf(client, plan_id)).toEqual(seen);
      expect(await eventsOf(client, plan_id, 4)).toEqual(seen.slice(4));
    },
  ),
  scenario(
    ["D6-unknown"],
    "a stream of a plan that is not there is refused",
    async ({ client }) => {
      const unknown = "00000000-0000-7000-8000-000000000000";
      await expectRefusal(client.wire, eventsOf(client, unknown), {
        code: "PLAN_NOT_FOUND",
        grpc: "NOT_FOUND",
        rest: 404,
      });
    },
  ),
  scenario(["D6-out-of-range"], "a cursor beyond the log is refused", async ({ client }) => {
    const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
    await expectRefusal(client.wire, eventsOf(client, plan_id, 2), {
      code: "CURSOR_OUT_OF_RANGE",
      grpc: "OUT_OF_RANGE",
      rest: 400,
    });
  }),
];
