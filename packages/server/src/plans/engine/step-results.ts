import { assert } from "@steward/kernel/assert.js";
import { executionOf, outputOf } from "../execution.js";
import type { StepContext, StepState } from "../plan-state.js";
import type { PreparedStep, StepExecution } from "../plan.js";
import type { NewPlan, ResultRef, StepOutput } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { PlanLog } from "./plan-log.js";

/** The stored result of an ended step. */
export async function storedExecution(
  log: PlanLog,
  plan: OpenPlan,
  step: StepState,
): Promise<StepExecution> {
  const result = plan.resultOf(step.index);
  const context = result && (await readResult(log, plan, result));
  const execution = executionOf(plan.ref.planId, step, context, plan.step(step.stepId));
  assert(execution !== undefined, "a finished step has a result");
  return { ...execution, replayed: true };
}

/** The outputs that a step's statement refers to, by step id. */
export async function outputsFor(
  log: PlanLog,
  plan: OpenPlan,
  step: PreparedStep,
): Promise<ReadonlyMap<string, StepOutput>> {
  const outputs = new Map<string, StepOutput>();
  for (const { stepId } of step.statement.binds) {
    if (outputs.has(stepId)) continue;
    outputs.set(stepId, plan.outputs.find(stepId) ?? (await storedOutput(log, plan, stepId)));
  }
  return outputs;
}

async function storedOutput(log: PlanLog, plan: OpenPlan, stepId: string): Promise<StepOutput> {
  const step = plan.step(stepId);
  assert(step !== undefined, "a placeholder names a step of its plan");
  const result = plan.resultOf(step.index);
  assert(result !== undefined, "a step is claimed after those it refers to have completed");
  return outputOf(await readResult(log, plan, result));
}

/** A result, in the log of the plan itself or of the one that it was forked from. */
function readResult(
  log: PlanLog,
  { ref: { orgId } }: OpenPlan,
  { planId, sequence }: ResultRef,
): Promise<StepContext> {
  return log.readResult({ orgId, planId }, sequence);
}

/** Where the results of a new plan stand, by step index: those of steps that it takes over from another. */
export function takenResults({ steps, fork }: NewPlan): ReadonlyMap<number, ResultRef> {
  const taken = new Map(fork?.taken.map(({ stepId, result }) => [stepId, result]));
  return new Map(
    steps.flatMap(({ id, index }) => {
      const result = taken.get(id);
      return result === undefined ? [] : [[index, result] as const];
    }),
  );
}
