import { randomUUID } from "node:crypto";
import {
  execute,
  executeFailing,
  insist,
  planBody,
  STEPS,
  UNCHANGED,
  type Acknowledged,
  type Address,
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
  await executeFailing(url, planId, "count");
  await revise(url, planId, "count", count?.query_template);
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
  await revise(url, planId, "total", total?.query_template);
  for (const { id } of STEPS.slice(3)) await run(id);
  return { planId, outputs, ...UNCHANGED, failures: 1, changes: REVISED };
}

/** The changes of {@link driveRevisedPlan}. */
const REVISED = [
  "PlanStepRevised count",
  ...["read", "update", "total"].map((id) => `PlanStepAppended ${id}`),
  "PlanStepRevised total",
];

/** Asks for the same revision until it is answered, under a key that makes it once. */
export async function revise(
  url: Address,
  planId: string,
  stepId: string,
  query_template: string | undefined,
): Promise<void> {
  const path = `/api/plans/${planId}/steps/${stepId}`;
  await insist(url, path, { query_template }, keyed(`revise-${stepId}`), "PATCH");
}

/** The header of a request that is made once, however often it is repeated. */
export function keyed(key: string): Readonly<Record<string, string>> {
  return { "idempotency-key": key };
}
