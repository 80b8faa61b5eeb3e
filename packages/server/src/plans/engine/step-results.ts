import { assert } from "@steward/kernel/assert.js";
import { executionOf, outputOf, planRecordOf } from "../execution.js";
import type { StepContext, StepState } from "../plan-state.js";
import { boundSteps } from "../statements/compiled-statement.js";
import type { PreparedStep, StepExecution, StepRecord } from "../plan.js";
import type { NewPlan, ResultRef, StepOutput, StepRef } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { LoadedPlan, PlanLog, StoredResult } from "./plan-log.js";

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
  return { replayed: true, ...execution };
}

/** The outputs that a step's statement refers to, by step id. */
export function outputsFor(
  log: PlanLog,
  plan: OpenPlan,
  { statement }: PreparedStep,
): ReadonlyMap<string, StepOutput> | Promise<ReadonlyMap<string, StepOutput>> {
  const outputs = new Map<string, StepOutput>();
  if (statement.binds.length === 0) return outputs;
  const needed = boundSteps(statement);
  for (const stepId of needed) {
    const cached = plan.outputs.find(stepId);
    if (cached === undefined) return readOutputs(log, plan, needed);
    outputs.set(stepId, cached);
  }
  return outputs;
}

async function readOutputs(
  log: PlanLog,
  plan: OpenPlan,
  needed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, StepOutput>> {
  const outputs = new Map<string, StepOutput>();
  for (const stepId of needed) {
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

/** A step whose output another one contains, or its own. */
export interface StoredSource {
  readonly step: PreparedStep;
  /** Reads the result; `undefined` while the step has none. */
  result(): Promise<StoredResult | undefined>;
}

/** A class, because a step has one for each step that it depends on. */
class LoggedSource implements StoredSource {
  readonly step: PreparedStep;
  readonly #log: PlanLog;
  readonly #orgId: string;
  readonly #at: ResultRef | undefined;

  /** @param at the place of its result; `undefined` while it has none. */
  constructor(log: PlanLog, orgId: string, step: PreparedStep, at: ResultRef | undefined) {
    this.step = step;
    this.#log = log;
    this.#orgId = orgId;
    this.#at = at;
  }

  result(): Promise<StoredResult | undefined> {
    if (this.#at === undefined) return Promise.resolve(undefined);
    const { planId, sequence } = this.#at;
    return this.#log.readResult({ orgId: this.#orgId, planId }, sequence);
  }
}

/** The steps of a plan with their results. */
interface StepsWithResults {
  step(stepId: string): PreparedStep | undefined;
  resultOf(stepIndex: number): ResultRef | undefined;
}

/**
 * The sources of the values that a step binds: the steps that its placeholders name, and those whose
 * outputs these have bound themselves.
 */
export function boundSources(
  log: PlanLog,
  orgId: string,
  statement: PreparedStep["statement"],
  plan: StepsWithResults,
): readonly StoredSource[] {
  if (statement.binds.length === 0) return [];
  const found = new Map<string, StoredSource>();
  const pending = [...boundSteps(statement)];
  for (let stepId = pending.pop(); stepId !== undefined; stepId = pending.pop()) {
    const step = found.has(stepId) ? undefined : plan.step(stepId);
    if (step === undefined) continue;
    found.set(stepId, storedSource(log, orgId, step, plan));
    pending.push(...boundSteps(step.statement));
  }
  return [...found.values()];
}

/** The sources of a step's own output: its statement, and the values that it bound. */
export function outputSources(
  log: PlanLog,
  orgId: string,
  step: PreparedStep,
  plan: StepsWithResults,
): readonly StoredSource[] {
  const own = storedSource(log, orgId, step, plan);
  return [own, ...boundSources(log, orgId, step.statement, plan)];
}

function storedSource(
  log: PlanLog,
  orgId: string,
  step: PreparedStep,
  plan: StepsWithResults,
): StoredSource {
  return new LoggedSource(log, orgId, step, plan.resultOf(step.index));
}

/** The steps that the values in the stored outputs of a plan come from. */
export class PlanSources {
  readonly #log: PlanLog;
  readonly #orgId: string;
  readonly #steps: StepsWithResults;

  constructor(log: PlanLog, loaded: LoadedPlan) {
    this.#log = log;
    this.#orgId = loaded.state.orgId;
    this.#steps = loadedSteps(loaded);
  }

  /** The sources of a step's output; the first is the step itself. */
  of(step: PreparedStep): readonly StoredSource[] {
    return outputSources(this.#log, this.#orgId, step, this.#steps);
  }

  /** The step itself, without those that it has bound. */
  own(step: PreparedStep): StoredSource {
    return storedSource(this.#log, this.#orgId, step, this.#steps);
  }
}

/** The steps of a plan that was read. */
function loadedSteps({
  prepared,
  results,
}: Pick<LoadedPlan, "prepared" | "results">): StepsWithResults {
  const byId = new Map(prepared.map((step) => [step.id, step]));
  return { step: (stepId) => byId.get(stepId), resultOf: (index) => results.get(index) };
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
  /** The sources of its output; the first is the step itself. */
  readonly sources: readonly StoredSource[];
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
  const needed = boundSteps(prepared.statement);
  for (const id of needed) {
    const index = loaded.state.steps.findIndex((step) => step.stepId === id);
    const isCompleted = loaded.state.steps[index]?.status === "completed";
    const context = isCompleted ? await contextOf(index) : undefined;
    if (context !== undefined) outputs.set(id, outputOf(context));
  }
  return {
    record,
    prepared,
    sources: outputSources(log, orgId, prepared, loadedSteps(loaded)),
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
