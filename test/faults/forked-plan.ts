import { randomUUID } from "node:crypto";
import {
  execute,
  executeFailing,
  insist,
  planBody,
  STEPS,
  type Acknowledged,
  type Address,
} from "./plan-driver.js";
import { keyed, revise } from "./revised-plan.js";

/** The steps that are completed when the plan is forked. */
const TAKEN = ["count", "insert", "read"];

/**
 * A client that forks its plan while it drives it through all failures of the server. The plan fails at its
 * second write, where it is forked. It then runs on, revised so that it leaves the write to the fork. The fork is
 * asked for once more when its source is over, and is itself forked at its last step. So the three plans
 * together have written what one plan of `drivePlan` writes.
 */
export async function driveForkedPlan(url: Address): Promise<readonly Acknowledged[]> {
  const tag = randomUUID();
  const { steps, ...plan } = planBody(tag);
  const update = steps.find(({ id }) => id === "update")?.query_template ?? "";
  const wrong = steps.map((step) =>
    step.id === "update" ? { ...step, query_template: update.replace("ledger", "legder") } : step,
  );
  const submitted = await insist(url, "/api/plans", { ...plan, steps: wrong }, keyed(tag));
  const sourceId = planIdOf(submitted);
  const outputs = await executed(url, sourceId, TAKEN);
  await executeFailing(url, sourceId, "update");
  const forkId = await fork(url, sourceId, {}, `fork-${tag}`);
  await revise(url, sourceId, "update", update.replace("hits + 1", "hits"));
  const source: Acknowledged = {
    planId: sourceId,
    outputs: new Map([...outputs, ...(await executed(url, sourceId, ["update", "total"]))]),
    failures: 1,
    ran: STEPS.map(({ id }) => id),
    changes: ["PlanRetried", "PlanStepRevised update"],
  };
  expectSame(await fork(url, sourceId, {}, `fork-${tag}`), forkId);
  return [source, ...(await driveFork(url, { sourceId, forkId, tag, outputs, update }))];
}

/** The fork, and a fork of the fork that runs its last step again and one more. */
async function driveFork(
  url: Address,
  given: {
    readonly sourceId: string;
    readonly forkId: string;
    readonly tag: string;
    /** The results that the fork took over. */
    readonly outputs: ReadonlyMap<string, string>;
    /** The statement of the write that the source has not made. */
    readonly update: string;
  },
): Promise<readonly Acknowledged[]> {
  const { sourceId, forkId, tag, outputs, update } = given;
  await revise(url, forkId, "update", update);
  for (const [id, output] of await executed(url, forkId, TAKEN)) {
    expectSame(output, outputs.get(id));
  }
  const own = await executed(url, forkId, ["update", "total"]);
  expectSame(own.get("total"), '[{"hits":1}]');
  const last = { ...planBody(tag).steps[4], id: "last", depends_on: ["total"] };
  const changes = { step_id: "total", steps: [last] };
  const lastId = await fork(url, forkId, changes, `fork-again-${tag}`);
  const all = [...STEPS.map(({ id }) => id), "last"];
  return [
    {
      planId: forkId,
      outputs: new Map([...outputs, ...own]),
      failures: 0,
      ran: ["update", "total"],
      changes: [`PlanForked ${sourceId}`, "PlanStepRevised update"],
    },
    {
      planId: lastId,
      outputs: await executed(url, lastId, all),
      failures: 0,
      ran: ["total", "last"],
      changes: [`PlanForked ${forkId}`],
    },
  ];
}

async function executed(
  url: Address,
  planId: string,
  stepIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  for (const id of stepIds) outputs.set(id, await execute(url, planId, id));
  return outputs;
}

async function fork(url: Address, planId: string, body: object, key: string): Promise<string> {
  return planIdOf(await insist(url, `/api/plans/${planId}/fork`, body, keyed(key)));
}

function planIdOf(answer: unknown): string {
  return (answer as { data: { plan_id: string } }).data.plan_id;
}

function expectSame(actual: string | undefined, expected: string | undefined): void {
  if (actual !== expected) throw new Error(`${String(actual)} instead of ${String(expected)}`);
}
