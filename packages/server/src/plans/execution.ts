import { isoTime } from "@steward/kernel/clock.js";
import { hintsOf } from "./context-update.js";
import type { PlanRecord, PreparedStep, StepExecution, StepRecord, StepResult } from "./plan.js";
import type { LoadedPlan } from "./engine/index.js";
import type { PlanSummary } from "./orchestrator.js";
import type { NewPlan, StepOutput } from "./ports.js";
import type { PlanState, StepContext, StepState } from "./transitions.js";

/**
 * What everybody who asks for this step gets, now and later: the same bytes each time (Decision §3).
 * @param context what its last attempt left; a cancelled attempt leaves nothing.
 * @returns `undefined` while the step is not over.
 */
export function executionOf(
  planId: string,
  step: StepState,
  context: StepContext | undefined,
): Omit<StepExecution, "replayed"> | undefined {
  const { status, stepId } = step;
  if (status !== "completed" && status !== "failed" && status !== "cancelled") return undefined;
  const stepResult: StepResult = {
    stepId,
    status,
    rowCount: step.rowCount ?? 0,
    executedAt: isoTime(step.executedAtMs ?? 0),
    attempt: step.attempt,
    ...(step.error === undefined ? {} : { error: step.error }),
  };
  return {
    stepResult,
    llmContextUpdate: {
      planId,
      stepId,
      toolOutputJson: context?.toolOutputJson ?? "[]",
      schemaAdditions: context?.schemaAdditions ?? [],
      augmentationHints: hintsOf(stepResult, context?.augmentationHints ?? []),
    },
  };
}

/** What the steps that refer to a step are given. */
export function outputOf({ toolOutputJson, outputMetadata }: StepContext): StepOutput {
  const metadata = outputMetadata === undefined ? {} : { metadata: outputMetadata };
  return { json: toolOutputJson, ...metadata };
}

function stepRecordsOf(
  prepared: readonly PreparedStep[],
  states: readonly StepState[],
): readonly StepRecord[] {
  return prepared.flatMap((step) => {
    const state = states[step.index];
    return state === undefined ? [] : [stepRecordOf(step, state)];
  });
}

/** A plan that was just made: what reading it back would give. */
export function newPlanRecord({ name, description, steps }: NewPlan, state: PlanState): PlanRecord {
  return planRecordOf({ name, description, state, prepared: steps });
}

/** What everybody sees of a plan, with its steps. */
export function planRecordOf({
  state,
  prepared,
  ...texts
}: Pick<LoadedPlan, "name" | "description" | "state" | "prepared">): PlanRecord {
  return { ...planSummaryOf(texts, state), steps: stepRecordsOf(prepared, state.steps) };
}

/** What everybody sees of a plan, without its steps. */
export function planSummaryOf(
  { name, description }: Pick<LoadedPlan, "name" | "description">,
  state: Omit<PlanState, "steps" | "lastSequence" | "lastEventAtMs">,
): PlanSummary {
  const { startedAtMs, finishedAtMs } = state;
  return {
    planId: state.planId,
    orgId: state.orgId,
    sessionId: state.sessionId,
    name,
    description,
    status: state.status,
    createdAt: isoTime(state.createdAtMs),
    ...(startedAtMs === undefined ? {} : { startedAt: isoTime(startedAtMs) }),
    ...(finishedAtMs === undefined ? {} : { finishedAt: isoTime(finishedAtMs) }),
  };
}

function stepRecordOf(prepared: PreparedStep, state: StepState): StepRecord {
  return {
    stepId: prepared.id,
    name: prepared.name,
    toolName: prepared.toolName,
    intent: prepared.intent,
    dependsOn: prepared.dependsOn,
    status: state.status,
    attempt: state.attempt,
    ...(state.rowCount === undefined ? {} : { rowCount: state.rowCount }),
    ...(state.executedAtMs === undefined ? {} : { executedAt: isoTime(state.executedAtMs) }),
    ...(state.waitReason === undefined ? {} : { waitReason: state.waitReason }),
    ...(state.error === undefined ? {} : { error: state.error }),
  };
}
