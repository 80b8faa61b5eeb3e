import { assert } from "@steward/kernel/assert.js";
import { isoTime } from "@steward/kernel/clock.js";
import { sortByDependency } from "./dag.js";
import { voidPlanApprovals } from "./approvals/whole-plan.js";
import { approvalGivenBack, awaitApproval, voidApproval } from "./approvals/step-approvals.js";
import { PlanDraft } from "./plan-draft.js";
import type { StepError } from "./plan.js";
import {
  awaitsSteps,
  isAllCompleted,
  isOver,
  type PlanChange,
  type PlanState,
  type StepOutcome,
  type StepState,
} from "./plan-state.js";

/** Ends a step's running attempt, which may also end its plan: see {@link settlePlan}. */
export function endAttempt(draft: PlanDraft, step: StepState, outcome: StepOutcome): void {
  if (outcome.kind === "awaiting_approval") {
    awaitApproval(draft, step, outcome);
    return;
  }
  const isUndone = outcome.kind === "retried" || outcome.kind === "released";
  // An attempt that ran, or failed, without the approval that was asked for before needs it no more.
  const approval = isUndone ? approvalGivenBack(draft, step) : voidApproval(draft, step);
  const ended = { ...step, approval, owner: undefined, executedAtMs: draft.nowMs };
  switch (outcome.kind) {
    case "completed":
      draft.replaceStep({ ...ended, status: "completed", rowCount: outcome.rowCount });
      emitExecuted(draft, step, "completed", outcome.rowCount, outcome.durationMs);
      return;
    case "failed":
      draft.replaceStep({ ...ended, status: "failed", rowCount: 0, error: outcome.error });
      emitExecuted(draft, step, "failed", 0, outcome.durationMs, outcome.error);
      // A plan that pauses waits for the step's revision until its deadline.
      if (draft.plan.failure === undefined && draft.plan.onFailure === "fail") {
        draft.patch({
          failure: { failedStepId: step.stepId, reason: outcome.error.message },
        });
      }
      return;
    case "retried":
      draft.replaceStep({
        ...ended,
        status: "pending",
        waitReason: "retry_backoff",
        error: outcome.error,
      });
      emitExecuted(draft, step, "failed", 0, outcome.durationMs, outcome.error);
      return;
    case "cancelled":
      assert(draft.isEnding, "only a plan that is ending has a step cancelled");
      draft.replaceStep({ ...ended, status: "cancelled" });
      draft.emit("PlanStepCancelled", {
        step_id: step.stepId,
        step_index: step.index,
        attempt: step.attempt,
        duration_ms: outcome.durationMs,
      });
      return;
    case "released":
      draft.replaceStep({
        ...step,
        approval,
        owner: undefined,
        status: "pending",
        uncounted: (step.uncounted ?? 0) + 1,
      });
      draft.emit("PlanStepLeaseExpired", {
        step_id: step.stepId,
        step_index: step.index,
        attempt: step.attempt,
      });
      return;
  }
}

function emitExecuted(
  draft: PlanDraft,
  step: StepState,
  status: "completed" | "failed",
  rowCount: number,
  durationMs: number,
  error?: StepError,
): void {
  draft.emit("PlanStepExecuted", {
    step_id: step.stepId,
    step_index: step.index,
    status,
    attempt: step.attempt,
    row_count: rowCount,
    duration_ms: durationMs,
    ...(error === undefined ? {} : { error }),
  });
}

/** Has a failed plan run on: what completed stays, everything else is to be done again. */
export function revivePlan(draft: PlanDraft, deadlineMs: number): void {
  for (const step of draft.steps) {
    if (step.status === "completed") continue;
    draft.replaceStep({
      ...step,
      status: "pending",
      approval: undefined,
      planApproval: undefined,
      rowCount: undefined,
      executedAtMs: undefined,
      error: undefined,
    });
  }
  draft.patch({ status: "running", finishedAtMs: undefined, failure: undefined, deadlineMs });
  draft.emit("PlanRetried", {
    step_ids: draft.steps.filter((step) => step.status === "pending").map((step) => step.stepId),
  });
}

/** Ends the plan when no step runs any more and an end is due. */
export function settlePlan(draft: PlanDraft): void {
  if (draft.steps.some((step) => step.status === "running")) return;
  if (!draft.isEnding) {
    if (!draft.plan.keepOpen && isAllCompleted(draft.steps)) completePlan(draft);
    return;
  }
  voidPlanApprovals(draft);
  const { cancelReason, failure } = draft.plan;
  if (cancelReason !== undefined) {
    skipRest(draft);
    draft.patch({ status: "cancelled", finishedAtMs: draft.nowMs });
    draft.emit("PlanCancelled", { reason: cancelReason });
  } else if (failure !== undefined) {
    skipRest(draft);
    draft.patch({ status: "failed", finishedAtMs: draft.nowMs });
    draft.emit("PlanFailed", {
      ...(failure.failedStepId === undefined ? {} : { failed_step_id: failure.failedStepId }),
      reason: failure.reason,
    });
  }
}

/** Ends a plan whose steps have all completed. */
function completePlan(draft: PlanDraft): void {
  voidPlanApprovals(draft);
  draft.patch({ status: "completed", finishedAtMs: draft.nowMs });
  draft.emit("PlanCompleted", {
    session_id: draft.plan.sessionId,
    total_steps: draft.steps.length,
    duration_ms: draft.nowMs - (draft.plan.startedAtMs ?? draft.nowMs),
  });
}

/** Skips the steps that never ran, in topological order (Decision §6). */
function skipRest(draft: PlanDraft): void {
  const order = sortByDependency(draft.steps, ({ stepId }) => stepId);
  assert(order.kind === "sorted", "a plan with a cycle is never stored");
  for (const step of order.nodes) {
    if (step.status !== "pending") continue;
    const approval = voidApproval(draft, step);
    draft.replaceStep({ ...step, status: "skipped", waitReason: undefined, approval });
    draft.emit("PlanStepSkipped", { step_id: step.stepId, step_index: step.index });
  }
}

const DEADLINE_REASON = "The plan did not finish by its deadline, ";
const DEADLINE_TEXT = new RegExp(
  `^${DEADLINE_REASON}[\\dTZ:.-]+(?:: step [\\w-]+ failed and was not revised)?$`,
);

/** Whether a plan's failure is that of its deadline, and so repeats no step's error. */
export function isDeadlineReason(reason: string): boolean {
  return DEADLINE_TEXT.test(reason);
}

/**
 * Ends a plan whose deadline has passed: an open plan that waits for further steps is completed, any
 * other fails. @returns `undefined` when there is nothing to do.
 */
export function expirePlan(state: PlanState, nowMs: number): PlanChange | undefined {
  const active = state.status === "pending" || state.status === "running";
  if (!active || state.failure !== undefined || state.cancelReason !== undefined) return undefined;
  if (nowMs <= state.deadlineMs) return undefined;
  const draft = new PlanDraft(state, nowMs);
  if (awaitsSteps(state)) {
    completePlan(draft);
    return draft.change();
  }
  const failed = state.steps.find((step) => step.status === "failed");
  const unrevised =
    failed === undefined ? "" : `: step ${failed.stepId} failed and was not revised`;
  const reason = `${DEADLINE_REASON}${isoTime(state.deadlineMs)}${unrevised}`;
  draft.patch({ failure: { failedStepId: failed?.stepId, reason } });
  settlePlan(draft);
  return draft.change();
}

/**
 * Completes a plan that stays open, once all its steps have completed (Decision §19).
 * @returns `undefined` when the plan has completed already.
 */
export function finishPlan(
  state: PlanState,
  nowMs: number,
): PlanChange | { readonly refused: string } | undefined {
  if (state.status === "completed") return undefined;
  if (!awaitsSteps(state)) return { refused: whyNotFinished(state) };
  const draft = new PlanDraft(state, nowMs);
  completePlan(draft);
  return draft.change();
}

function whyNotFinished(state: PlanState): string {
  const { planId, status, cancelReason, failure, steps } = state;
  if (isOver(state)) return `Plan ${planId} is ${status} and cannot be finished`;
  if (cancelReason !== undefined) return `Plan ${planId} is being cancelled`;
  if (failure !== undefined) return `Plan ${planId} has failed`;
  const step = steps.find((each) => each.status !== "completed");
  return (
    `Step ${step?.stepId ?? ""} of plan ${planId} is ${step?.status ?? ""}: a plan is finished when all of its ` +
    "steps have completed; execute the step, or cancel the plan"
  );
}
