import { assert } from "../../kernel/assert.js";
import type { PreparedStep, StepExecution } from "../../plans/index.js";
import { executionOf, outputOf } from "../../plans/execution.js";
import type { StepOutput } from "../../plans/ports.js";
import type { StepState } from "../../plans/transitions.js";
import type { OpenPlan } from "./open-plan.js";
import type { PlanQueries } from "./plan-queries.js";

/** The result of a step that has ended, as it was stored. */
export async function storedExecution(
  queries: PlanQueries,
  plan: OpenPlan,
  step: StepState,
): Promise<StepExecution> {
  const sequence = plan.resultSequence(step.index);
  const context = sequence === undefined ? undefined : await queries.context(plan.ref, sequence);
  const execution = executionOf(plan.ref.planId, step, context);
  assert(execution !== undefined, "a finished step has a result");
  return { ...execution, replayed: true };
}

/** The outputs that a step's statement refers to, by step id. */
export async function outputsFor(
  queries: PlanQueries,
  plan: OpenPlan,
  step: PreparedStep,
): Promise<ReadonlyMap<string, StepOutput>> {
  const outputs = new Map<string, StepOutput>();
  for (const { stepId } of step.statement.binds) {
    if (outputs.has(stepId)) continue;
    outputs.set(stepId, plan.outputs.find(stepId) ?? (await storedOutput(queries, plan, stepId)));
  }
  return outputs;
}

async function storedOutput(
  queries: PlanQueries,
  plan: OpenPlan,
  stepId: string,
): Promise<StepOutput> {
  const step = plan.step(stepId);
  const sequence = step && plan.resultSequence(step.index);
  assert(sequence !== undefined, "a step is claimed after those it refers to have completed");
  return outputOf(await queries.context(plan.ref, sequence));
}
