import { createClient } from "@steward/client";
import { expect, it } from "vitest";
import { openWireServer } from "../testing/wire-servers.js";

const PLAIN = { tls: false, split: false };

it("shows a step with its statement, values, decision and stored answer, and runs nothing", async () => {
  await using server = await openWireServer(PLAIN);
  const { plans } = createClient({ baseUrl: server.url });
  const long = "x".repeat(5000);
  const { plan_id: planId } = await plans.submit({
    steps: [
      { id: "a", query_template: `SELECT 7 AS n, NULL AS o, '${long}' AS t` },
      {
        id: "b",
        query_template:
          "SELECT {{step.a.output[0].n}} AS n, {{step.a.output[0].o}} AS o, {{step.a.output[0].t}} AS t",
        depends_on: ["a"],
      },
    ],
  });
  const before = await plans.getStep({ plan_id: planId, step_id: "b" });
  expect(before).toMatchObject({
    plan_id: planId,
    step: { step_id: "b", status: "pending" },
    definition: { id: "b", intent: "read_select", depends_on: ["a"] },
    check: { verdict: "permit", aau: 1 },
  });
  expect(before.statement).toContain("?1");
  expect([before.values, before.execution]).toEqual([undefined, undefined]);
  expect((await plans.getPlan({ plan_id: planId })).status).toBe("pending");

  await plans.execute(planId, "a");
  const { values } = await plans.getStep({ plan_id: planId, step_id: "b" });
  expect(values).toEqual([
    { text: "7" },
    { text: null },
    { text: `"${"x".repeat(4095)}`, bytes: long.length + 2 },
  ]);
  const ended = await plans.getStep({ plan_id: planId, step_id: "a", max_rows: 1 });
  expect(ended.execution).toMatchObject({ replayed: true, step_result: { row_count: 1 } });

  await expect(plans.getStep({ plan_id: planId, step_id: "c" })).rejects.toMatchObject({
    code: "STEP_NOT_FOUND",
  });
  const foreign = createClient({
    baseUrl: server.url,
    orgId: "11111111-1111-4111-8111-111111111111",
  });
  await expect(foreign.plans.getStep({ plan_id: planId, step_id: "a" })).rejects.toMatchObject({
    code: "STEP_NOT_FOUND",
  });
});
