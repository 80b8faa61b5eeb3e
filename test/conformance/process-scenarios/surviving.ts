import { expect } from "vitest";
import {
  expectNotRun,
  payloadOf,
  eventsOf,
  insist,
  rowsOf,
  storyOf,
  untilStep,
} from "../expectations.js";
import { ENDLESS, step, type ProcessScenario } from "../scenario.js";
import { Steward } from "../steward.js";
import { setTimeout as delay } from "node:timers/promises";

/** Enough rows to take some seconds to write. */
const MANY =
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1500000) SELECT n FROM c";

/** Timeouts and crashes. */
export const surviving: readonly ProcessScenario[] = [
  {
    cites: ["D3-step-timeout"],
    title: "a statement that runs too long is stopped, and the server answers meanwhile",
    run: async () => {
      await using steward = await Steward.start({ SERVICE_STEP_TIMEOUT_MS: "500" });
      const client = steward.client("rest");
      const { plan_id } = await client.submit({ steps: [step("endless", ENDLESS)] });
      const execution = client.execute(plan_id, "endless");
      await untilStep(client, plan_id, "endless", "running");
      expect(await execution).toMatchObject({
        success: false,
        error_code: "STEP_TIMEOUT",
        error_message: expect.stringContaining("took over 500 ms"),
        step_result: { status: "failed" },
      });
      expect((await client.getPlan(plan_id)).status).toBe("failed");
    },
  },
  {
    cites: ["D3-deadline"],
    title: "a plan past its deadline fails",
    run: async () => {
      await using steward = await Steward.start({ SERVICE_PLAN_DEADLINE_MS: "1000" });
      const client = steward.client("rest");
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 1")],
      });
      await rowsOf(client, plan_id, "a");
      await delay(1100);
      const late = await client.execute(plan_id, "b");
      expectNotRun("rest", late, { code: "PLAN_NOT_ACTIVE", rest: 409 });
      const events = await eventsOf(client, plan_id);
      expect(storyOf(events).slice(4)).toEqual(["PlanStepSkipped b", "PlanFailed"]);
      expect(payloadOf(events.at(-1))["reason"]).toMatch(/deadline/);
      expect((await client.getPlan(plan_id)).status).toBe("failed");
    },
  },
  {
    cites: ["D3-read-after-crash", "D3-attempt", "D3-write-once"],
    title: "a read that a crash interrupted is run again, and a write is applied once",
    run: async () => {
      await using steward = await Steward.startProcess({
        SERVICE_STEP_TIMEOUT_MS: "60000",
        SERVICE_ROWS_CHANGED_MAX: "2000000",
      });
      const client = steward.client("rest");
      const table = await steward.table("n INTEGER");
      const slow = MANY.replace("SELECT n FROM c", "SELECT count(*) AS n FROM c");
      const { plan_id } = await client.submit({
        steps: [step("slow", slow), step("write", `INSERT INTO ${table} ${MANY}`)],
      });
      const lost = ["slow", "write"].map((id) =>
        client.execute(plan_id, id).catch(() => undefined),
      );
      await Promise.all(["slow", "write"].map((id) => untilStep(client, plan_id, id, "running")));
      await steward.server.kill();
      expect(await Promise.all(lost)).toEqual([undefined, undefined]);
      await steward.server.restart();
      const completed = { success: true, step_result: { status: "completed" } };
      const read = await insist(client, plan_id, "slow");
      expect(read).toMatchObject(completed);
      expect(read.llm_context_update?.tool_output_json).toBe('[{"n":1500000}]');
      expect(await insist(client, plan_id, "write")).toMatchObject(completed);
      expect(await steward.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 1_500_000 }]);
    },
  },
];
