import { randomUUID } from "node:crypto";
import {
  execute,
  insist,
  planBody,
  STEPS,
  type Acknowledged,
  type Address,
  type StepResultAnswer,
} from "./plan-driver.js";

/**
 * A client that changes its plan while it drives it through all failures of the server: the first step fails and is
 * revised, the last three are appended, and one of them is revised before it has run. In the end the
 * plan is that of `drivePlan`.
 */
export async function driveRevisedPlan(url: Address): Promise<Acknowledged> {
  const tag = randomUUID();
  const { steps, ...plan } = planBody(tag);
  const [count, insert, read, update, total] = steps;
  const wrong = { ...count, query_template: "SELECT count(*) AS n FROM legder" };
  const submitted = await insist(
    url,
    "/api/plans",
    { ...plan, on_failure: "pause", steps: [wrong, insert] },
    keyed(tag),
  );
  const planId = (submitted as { data: { plan_id: string } }).data.plan_id;
  const failed = await insist(url, `/api/plans/${planId}/steps/count/execute`);
  const { status } = (failed as StepResultAnswer).data.step_result;
  if (status !== "failed") throw new Error(`step count of ${planId} is ${status}`);
  await revise(url, planId, "count", count);
  const outputs = new Map<string, string>();
  const run = async (id: string): Promise<void> => {
    outputs.set(id, await execute(url, planId, id));
  };
  await run("count");
  const early = { ...total, query_template: "SELECT 0 AS hits" };
  const path = `/api/plans/${planId}/steps`;
  await insist(url, path, { steps: [read, update, early] }, keyed(`append-${tag}`));
  await run("insert");
  await run("read");
  await revise(url, planId, "total", total);
  for (const { id } of STEPS.slice(3)) await run(id);
  return { planId, outputs, failures: 1 };
}

/** Asks for the same revision until it is answered, under a key that makes it once. */
async function revise(
  url: Address,
  planId: string,
  stepId: string,
  step: ReturnType<typeof planBody>["steps"][number] | undefined,
): Promise<void> {
  const changes = { query_template: step?.query_template };
  const path = `/api/plans/${planId}/steps/${stepId}`;
  await insist(url, path, changes, keyed(`revise-${stepId}`), "PATCH");
}

function keyed(key: string): Readonly<Record<string, string>> {
  return { "idempotency-key": key };
}
