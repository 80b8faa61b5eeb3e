import { expect } from "vitest";
import { eventsOf, expectRefusal, rowsOf, untilStep } from "../../expectations.js";
import { ENDLESS, scenario, step, type Scenario } from "../../scenario.js";

const NOT_REVISABLE = { code: "STEP_NOT_REVISABLE", grpc: "FAILED_PRECONDITION", rest: 409 };
const NOT_ACTIVE = { code: "PLAN_NOT_ACTIVE", grpc: "FAILED_PRECONDITION", rest: 409 };
const CONFLICT = { code: "REVISION_CONFLICT", grpc: "ABORTED", rest: 409 };
const INVALID = { code: "INVALID_PLAN", grpc: "INVALID_ARGUMENT", rest: 400 };
const OTHER_REQUEST = { code: "IDEMPOTENCY_CONFLICT", grpc: "ALREADY_EXISTS", rest: 422 };

/** Plans that are changed while they run. */
export const revising: readonly Scenario[] = [
  scenario(
    ["D19-pause", "D19-revise", "D19-completed", "D19-checked", "D19-key", "D19-events"],
    "a failed step of a plan that pauses is revised, and the plan completes",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        on_failure: "pause",
        steps: [
          step("a", "SELECT n FROM nowhere"),
          step("b", "SELECT {{step.a.output[0].n}} AS n", { depends_on: ["a"] }),
        ],
      });
      expect((await client.execute(plan_id, "a")).success).toBe(false);
      const paused = await client.getPlan(plan_id);
      expect(paused).toMatchObject({ status: "running", on_failure: "pause", revision: 1 });
      expect(paused.steps[0]).toMatchObject({ status: "failed", wait_reason: "awaiting_revision" });
      const wrong = { query_template: "SELECT 1; SELECT 2" };
      await expectRefusal(client.wire, client.revise(plan_id, "a", wrong), INVALID);
      const mended = { query_template: "SELECT 1 AS n", expected_revision: 1 };
      const answer = { plan_id, status: "running", revision: 2 };
      expect(await client.revise(plan_id, "a", mended, "key")).toEqual(answer);
      expect(await client.revise(plan_id, "a", mended, "key")).toEqual(answer);
      const other = client.revise(plan_id, "a", { query_template: "SELECT 2 AS n" }, "key");
      await expectRefusal(client.wire, other, OTHER_REQUEST);
      expect(await rowsOf(client, plan_id, "a")).toEqual([{ n: 1 }]);
      const again = client.revise(plan_id, "a", { query_template: "SELECT 3 AS n" });
      await expectRefusal(client.wire, again, NOT_REVISABLE);
      expect(await rowsOf(client, plan_id, "b")).toEqual([{ n: 1 }]);
      const plan = await client.getPlan(plan_id);
      expect(plan).toMatchObject({ status: "completed", revision: 2 });
      expect(plan.steps.map(({ revision, attempt }) => [revision, attempt])).toEqual([
        ...[
          [2, 2],
          [1, 1],
        ],
      ]);
      const revised = (await eventsOf(client, plan_id)).find(
        ({ event_type }) => event_type === "PlanStepRevised",
      );
      expect(JSON.parse(revised?.payload_json ?? "")).toMatchObject({
        ...{ step_id: "a", step_index: 0, revision: 2, depends_on: [] },
      });
    },
  ),
  scenario(
    ["D19-append", "D19-checked", "D19-conflict", "D19-events"],
    "steps are appended that build on what was found out",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 20 AS n"), step("last", "SELECT 1")],
      });
      await rowsOf(client, plan_id, "a");
      const next = step("next", "SELECT {{step.a.output[0].n}} + 1 AS n", { depends_on: ["a"] });
      const twice = client.append(plan_id, { steps: [step("a", "SELECT 1")] });
      await expectRefusal(client.wire, twice, INVALID);
      const appended = await client.append(plan_id, { steps: [next], expected_revision: 1 });
      expect(appended).toEqual({ plan_id, status: "running", revision: 2 });
      const late = { steps: [step("late", "SELECT 1")], expected_revision: 1 };
      await expectRefusal(client.wire, client.append(plan_id, late), CONFLICT);
      expect(await rowsOf(client, plan_id, "next")).toEqual([{ n: 21 }]);
      await rowsOf(client, plan_id, "last");
      const told = (await eventsOf(client, plan_id)).find(
        ({ event_type }) => event_type === "PlanStepAppended",
      );
      expect(JSON.parse(told?.payload_json ?? "")).toMatchObject({
        ...{ step_id: "next", step_index: 2, revision: 2, depends_on: ["a"] },
      });
    },
  ),
  scenario(
    ["D19-open"],
    "a plan that stays open takes further steps after its last one, and is finished once",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        keep_open: true,
        steps: [step("a", "SELECT 20 AS n")],
      });
      await expectRefusal(client.wire, client.finish(plan_id), NOT_ACTIVE);
      expect(await rowsOf(client, plan_id, "a")).toEqual([{ n: 20 }]);
      const open = { status: "running", keep_open: true, wait_reason: "awaiting_steps" };
      expect(await client.getPlan(plan_id)).toMatchObject(open);
      const next = step("b", "SELECT {{step.a.output[0].n}} + 1 AS n", { depends_on: ["a"] });
      await client.append(plan_id, { steps: [next] });
      const { wait_reason } = await client.getPlan(plan_id);
      expect(wait_reason ?? "").toBe("");
      expect(await rowsOf(client, plan_id, "b")).toEqual([{ n: 21 }]);
      const finished = { plan_id, status: "completed" };
      expect(await client.finish(plan_id)).toEqual(finished);
      expect(await client.finish(plan_id)).toEqual(finished);
      expect((await client.getPlan(plan_id)).status).toBe("completed");
      const ends = (await eventsOf(client, plan_id)).filter(
        ({ event_type }) => event_type === "PlanCompleted",
      );
      expect(ends).toHaveLength(1);
      const late = { steps: [step("c", "SELECT 1")] };
      await expectRefusal(client.wire, client.append(plan_id, late), NOT_ACTIVE);
    },
  ),
  scenario(
    ["D19-time-limit"],
    "a step ends at the time limit that it asks for, which is at most the operator's",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("endless", ENDLESS, { timeout_ms: 20 })],
      });
      const ended = await client.execute(plan_id, "endless");
      expect(ended).toMatchObject({ success: false, error_code: "STEP_TIMEOUT" });
      expect(ended.error_message).toContain("The limit of 20 ms is the step's own timeout_ms");
      const greedy = client.submit({ steps: [step("a", "SELECT 1", { timeout_ms: 3_600_001 })] });
      await expectRefusal(client.wire, greedy, {
        ...INVALID,
        field: "steps[0].timeout_ms",
        message: /the operator's maximum \(SERVICE_STEP_TIMEOUT_MS\)/,
      });
    },
  ),
  scenario(
    ["D19-revive"],
    "a plan that failed runs on when its step is revised",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step("a", "SELECT n FROM nowhere"),
          step("b", "SELECT 2 AS n", { depends_on: ["a"] }),
        ],
      });
      await client.execute(plan_id, "a");
      expect((await client.getPlan(plan_id)).steps.map(({ status }) => status)).toEqual([
        ...["failed", "skipped"],
      ]);
      await client.revise(plan_id, "a", { query_template: "SELECT 1 AS n" });
      expect(await rowsOf(client, plan_id, "a")).toEqual([{ n: 1 }]);
      expect(await rowsOf(client, plan_id, "b")).toEqual([{ n: 2 }]);
    },
  ),
  scenario(
    ["D19-fork", "D19-fork-event", "D19-key"],
    "a completed plan is forked at a step, and only what is new runs",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step("a", "SELECT 1 AS n"),
          step("b", "SELECT {{step.a.output[0].n}} + 1 AS n", { depends_on: ["a"] }),
          step("c", "SELECT {{step.b.output[0].n}} + 1 AS n", { depends_on: ["b"] }),
        ],
      });
      for (const id of ["a", "b", "c"]) await rowsOf(client, plan_id, id);
      await expectRefusal(client.wire, client.fork(plan_id, {}), INVALID);
      const more = step("d", "SELECT {{step.c.output[0].n}} + 10 AS n", { depends_on: ["c"] });
      const fork = { step_id: "b", steps: [more] };
      const forked = await client.fork(plan_id, fork, "fork");
      expect(forked).toMatchObject({ status: "pending", revision: 1 });
      expect(await client.fork(plan_id, fork, "fork")).toEqual(forked);
      const { steps, forked_from } = await client.getPlan(forked.plan_id);
      expect(forked_from).toBe(plan_id);
      expect(steps.map(({ status }) => status)).toEqual([
        ...["completed", "pending", "pending", "pending"],
      ]);
      const taken = await client.execute(forked.plan_id, "a");
      expect(taken).toMatchObject({ success: true, replayed: true });
      expect(taken.llm_context_update?.tool_output_json).toBe('[{"n":1}]');
      await client.revise(forked.plan_id, "b", {
        query_template: "SELECT {{step.a.output[0].n}} + 100 AS n",
      });
      expect(await rowsOf(client, forked.plan_id, "b")).toEqual([{ n: 101 }]);
      expect(await rowsOf(client, forked.plan_id, "c")).toEqual([{ n: 102 }]);
      expect(await rowsOf(client, forked.plan_id, "d")).toEqual([{ n: 112 }]);
      const events = await eventsOf(client, forked.plan_id);
      expect(events.filter(({ event_type }) => event_type === "PlanStepStarted")).toHaveLength(3);
      const told = events.find(({ event_type }) => event_type === "PlanForked");
      expect(JSON.parse(told?.payload_json ?? "")).toEqual({
        ...{ plan_id, step_id: "b", step_ids: ["a"] },
      });
      const again = await client.fork(forked.plan_id, { step_id: "d" });
      expect(await rowsOf(client, again.plan_id, "d")).toEqual([{ n: 112 }]);
    },
  ),
  scenario(["D19-running"], "a running step is not revised", async ({ client }) => {
    const { plan_id } = await client.submit({ steps: [step("endless", ENDLESS)] });
    const execution = client.execute(plan_id, "endless");
    await untilStep(client, plan_id, "endless", "running");
    const revision = client.revise(plan_id, "endless", { query_template: "SELECT 1" });
    await expectRefusal(client.wire, revision, NOT_REVISABLE);
    await client.cancel(plan_id);
    await execution;
  }),
];
