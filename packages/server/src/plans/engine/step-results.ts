import { assert } from "@steward/kernel/assert.js";
import { executionOf, outputOf, planRecordOf } from "../execution.js";
import type { StepContext, StepState } from "../plan-state.js";
import type { PreparedStep, StepExecution, StepRecord } from "../plan.js";
import type { NewPlan, ResultRef, StepOutput, StepRef } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { LoadedPlan, PlanLog } from "./plan-log.js";

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

/** A result, stored in the plan's own log or in the log of the plan that it was forked from. */
function readResult(
  log: PlanLog,
  { ref: { orgId } }: OpenPlan,
  { planId, sequence }: ResultRef,
): Promise<StepContext> {
  return log.readResult({ orgId, planId }, sequence);
}

/** A step as committed, for readers that decide nothing. */
export interface StoredStep {
  readonly record: StepRecord;
  readonly prepared: PreparedStep;
  /** Outputs of the steps that its statement refers to; absent until all of them have completed. */
  readonly outputs?: ReadonlyMap<string, StepOutput>;
  /** Absent until it has ended. */
  readonly execution?: StepExecution;
}

/** @returns `undefined` when the plan has no such step. */
export async function storedStep(
  log: PlanLog,
  { orgId, planId, stepId }: StepRef,
  loaded: LoadedPlan,
): Promise<StoredStep | undefined> {
  const prepared = loaded.prepared.find(({ id }) => id === stepId);
  const state = prepared && loaded.state.steps[prepared.index];
  const record = planRecordOf(loaded).steps.find((step) => step.stepId === stepId);
  if (prepared === undefined || state === undefined || record === undefined) return undefined;
  const contextOf = async (index: number): Promise<StepContext | undefined> => {
    const result = loaded.results.get(index);
    return result && log.readResult({ orgId, planId: result.planId }, result.sequence);
  };
  const execution = executionOf(planId, state, await contextOf(prepared.index), prepared);
  const outputs = new Map<string, StepOutput>();
  const needed = new Set(prepared.statement.binds.map((bind) => bind.stepId));
  for (const id of needed) {
    const index = loaded.state.steps.findIndex((step) => step.stepId === id);
    const isCompleted = loaded.state.steps[index]?.status === "completed";
    const context = isCompleted ? await contextOf(index) : undefined;
    if (context !== undefined) outputs.set(id, outputOf(context));
  }
  return {
    record,
    prepared,
    ...(outputs.size === needed.size ? { outputs } : {}),
    ...(execution === undefined ? {} : { execution: { ...execution, replayed: true } }),
  };
}

/** The places of results that a new plan takes over from another one, by step index. */
export function takenResults({ steps, fork }: NewPlan): ReadonlyMap<number, ResultRef> {
  const taken = new Map(fork?.taken.map(({ stepId, result }) => [stepId, result]));
  return new Map(
    steps.flatMap(({ id, index }) => {
      const result = taken.get(id);
      return result === undefined ? [] : [[index, result] as const];
    }),
  );
}
