import { assert } from "@steward/kernel/assert.js";
import { executionOf, outputOf } from "../execution.js";
import type { StepState } from "../plan-state.js";
import type { PreparedStep, StepExecution } from "../plan.js";
import type { StepOutput } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { PlanLog } from "./plan-log.js";

/** The stored result of an ended step. */
export async function storedExecution(
  log: PlanLog,
  plan: OpenPlan,
  step: StepState,
): Promise<StepExecution> {
  const sequence = plan.resultSequence(step.index);
  const context = sequence === undefined ? undefined : await log.readResult(plan.ref, sequence);
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
  const sequence = plan.resultSequence(step.index);
  assert(sequence !== undefined, "a step is claimed after those it refers to have completed");
  return outputOf(await log.readResult(plan.ref, sequence));
}
