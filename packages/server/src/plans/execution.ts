import { isoTime } from "@steward/kernel/clock.js";
import { hintsOf } from "./context-update.js";
import type {
  OutputLimits,
  PlanRecord,
  PlanWaitReason,
  PreparedStep,
  StepExecution,
  StepRecord,
  StepResult,
  WaitReason,
} from "./plan.js";
import type { LoadedPlan } from "./engine/index.js";
import type { PlanSummary } from "./orchestrator.js";
import type { NewPlan, StepOutput } from "./ports.js";
import {
  awaitsSteps,
  isOver,
  type PlanState,
  type StepContext,
  type StepState,
} from "./plan-state.js";

/**
 * The answer to every request for this step, now and later, byte for byte the same (Decision §3).
 * @param context the context of its last attempt; a cancelled attempt has none.
 * @param prepared the step as it ran.
 * @returns `undefined` while the step has not ended.
 */
export function executionOf(
  planId: string,
  step: StepState,
  context: StepContext | undefined,
  prepared: OutputLimits | undefined,
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
    ...outputLimitsOf(prepared),
  };
}

function outputLimitsOf({ maxRows, maxBytes }: OutputLimits = {}): {
  readonly outputLimits?: OutputLimits;
} {
  if (maxRows === undefined && maxBytes === undefined) return {};
  const rows = maxRows === undefined ? {} : { maxRows };
  return { outputLimits: { ...rows, ...(maxBytes === undefined ? {} : { maxBytes }) } };
}

/** The output as the referring steps receive it. */
export function outputOf({ toolOutputJson, outputMetadata }: StepContext): StepOutput {
  const metadata = outputMetadata === undefined ? {} : { metadata: outputMetadata };
  return { json: toolOutputJson, ...metadata };
}

function stepRecordsOf(prepared: readonly PreparedStep[], plan: PlanState): readonly StepRecord[] {
  return prepared.flatMap((step) => {
    const state = plan.steps[step.index];
    if (state === undefined) return [];
    const isWaiting = state.status === "failed" && mayRevise(plan);
    const record = stepRecordOf(step, state);
    return [isWaiting ? { ...record, waitReason: "awaiting_revision" as const } : record];
  });
}

/** Whether the plan continues and its failed step waits for a revision. */
function mayRevise(plan: PlanState): boolean {
  return plan.onFailure === "pause" && !isOver(plan) && plan.cancelReason === undefined;
}

/** The record of a plan that was just created, equal to what reading it would return. */
export function newPlanRecord({ name, description, steps }: NewPlan, state: PlanState): PlanRecord {
  return planRecordOf({ name, description, state, prepared: steps });
}

/** The public record of a plan, with its steps. */
export function planRecordOf({
  state,
  prepared,
  ...texts
}: Pick<LoadedPlan, "name" | "description" | "state" | "prepared">): PlanRecord {
  const { onFailure, keepOpen, forkedFrom, revision } = state;
  const steps = stepRecordsOf(prepared, state);
  const waitReason = planWaitReasonOf(state, steps);
  return {
    ...planSummaryOf(texts, state),
    onFailure,
    ...(keepOpen ? { keepOpen } : {}),
    ...(waitReason === undefined ? {} : { waitReason }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    revision,
    steps,
  };
}

/** The reasons of steps, first what a person has to act on. */
const BY_URGENCY: readonly WaitReason[] = [
  "awaiting_approval",
  "awaiting_revision",
  "retry_backoff",
];

/** Why a plan does not go on: no step runs, none can be executed, and these wait. */
function planWaitReasonOf(
  state: PlanState,
  steps: readonly StepRecord[],
): PlanWaitReason | undefined {
  if (awaitsSteps(state)) return "awaiting_steps";
  if (isOver(state)) return undefined;
  const completed = new Set(
    steps.filter(({ status }) => status === "completed").map(({ stepId }) => stepId),
  );
  const goesOn = steps.some(
    ({ status, waitReason, dependsOn }) =>
      status === "running" ||
      (status === "pending" &&
        waitReason === undefined &&
        dependsOn.every((stepId) => completed.has(stepId))),
  );
  if (goesOn) return undefined;
  return BY_URGENCY.find((reason) => steps.some(({ waitReason }) => waitReason === reason));
}

/** The public record of a plan, without its steps. */
export function planSummaryOf(
  { name, description }: Pick<LoadedPlan, "name" | "description">,
  state: Pick<
    PlanState,
    "planId" | "orgId" | "sessionId" | "status" | "createdAtMs" | "startedAtMs" | "finishedAtMs"
  >,
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
    dataSource: prepared.dataSource,
    intent: prepared.intent,
    dependsOn: prepared.dependsOn,
    status: state.status,
    attempt: state.attempt,
    revision: prepared.revision ?? 1,
    ...(prepared.timeoutMs === undefined ? {} : { timeoutMs: prepared.timeoutMs }),
    ...(state.rowCount === undefined ? {} : { rowCount: state.rowCount }),
    ...(state.executedAtMs === undefined ? {} : { executedAt: isoTime(state.executedAtMs) }),
    ...(state.waitReason === undefined ? {} : { waitReason: state.waitReason }),
    ...(state.error === undefined ? {} : { error: state.error }),
    ...outputLimitsOf(prepared).outputLimits,
  };
}
