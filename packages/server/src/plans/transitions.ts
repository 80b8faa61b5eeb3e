import { isoTime } from "@steward/kernel/clock.js";
import { authorsOf } from "./authors.js";
import type { Approval, WantedDecision } from "../approvals/index.js";
import { PLAN_EVENTS_MAX } from "./limits.js";
import {
  awaitApproval,
  claimedApproval,
  decideStepApproval,
  denialOutcome,
  isAwaited,
  waitingText,
} from "./approvals/step-approvals.js";
import type { StepDecision } from "./approvals/open-approvals.js";
import { PlanDraft } from "./plan-draft.js";
import type { OnFailure, PreparedStep } from "./plan.js";
import { endAttempt, revivePlan, settlePlan } from "./plan-ending.js";
import type { NewPlanEvent } from "./plan-events.js";
import {
  eventsToFinish,
  isOver,
  pendingStep,
  type ForkOrigin,
  type PlanChange,
  type PlanState,
  type StepContext,
  type StepOutcome,
  type StepState,
  type TakenStep,
} from "./plan-state.js";

export { authorsOf } from "./authors.js";
export { pendingStep, withDefinitions } from "./plan-state.js";
export type {
  ApprovalChange,
  PlanChange,
  PlanFailure,
  PlanState,
  RevisionRequest,
  StepContext,
  StepOutcome,
  StepState,
  WholePlanRequest,
} from "./plan-state.js";
export { expirePlan, finishPlan } from "./plan-ending.js";
export {
  conflictText,
  earlierRevision,
  revisePlan,
  type PlanRevision,
  type RevisionDecision,
} from "./plan-revision.js";

/*
 * The state machine of a plan (Decision §3), as pure functions: a state and a command give a change
 * or a refusal. A store loads the state, calls these functions, and makes the change durable.
 */

/** The reason why a step may not be claimed. */
export interface ClaimRefusal {
  readonly code:
    | "STEP_NOT_FOUND"
    | "STEP_DEPENDENCIES_NOT_MET"
    | "PLAN_NOT_ACTIVE"
    | "APPROVAL_REQUIRED"
    | "LIMIT_EXCEEDED";
  readonly message: string;
  /** The approval that the step waits for. */
  readonly approval?: Approval;
}

/** The result of a claim. */
export type ClaimDecision =
  | {
      readonly kind: "claimed";
      readonly step: StepState;
      /** Makes the change of the claim; a decision that is only asked needs none. */
      readonly change: () => PlanChange;
    }
  | { readonly kind: "running" }
  | { readonly kind: "finished"; readonly step: StepState }
  | { readonly kind: "refused"; readonly refusal: ClaimRefusal };

/** The first state of a plan and its first event. */
export function createPlan(
  start: Pick<PlanState, "orgId" | "planId" | "sessionId" | "createdAtMs" | "deadlineMs"> & {
    readonly name: string;
    /** Absent: `fail`. */
    readonly onFailure?: OnFailure | undefined;
    readonly keepOpen?: boolean | undefined;
    /** The plan that it takes completed steps from. */
    readonly fork?: ForkOrigin | undefined;
  },
  steps: readonly Pick<PreparedStep, "id" | "dependsOn" | "authors" | "writers">[],
): PlanState & { readonly events: readonly NewPlanEvent[] } {
  const {
    name,
    orgId,
    planId,
    sessionId,
    createdAtMs,
    deadlineMs,
    onFailure = "fail",
    keepOpen = false,
    fork,
  } = start;
  const taken = new Map(fork?.taken.map((step) => [step.stepId, step]));
  const empty: PlanState = {
    orgId,
    planId,
    sessionId,
    createdAtMs,
    deadlineMs,
    onFailure,
    keepOpen,
    forkedFrom: fork?.planId,
    revision: 1,
    revisionRequests: [],
    authors: authorsOf(steps),
    status: "pending",
    startedAtMs: undefined,
    finishedAtMs: undefined,
    cancelReason: undefined,
    failure: undefined,
    lastSequence: 0,
    lastEventAtMs: createdAtMs,
    steps: steps.map((step, index) =>
      takenOver(pendingStep(step.id, index, step.dependsOn), taken.get(step.id)),
    ),
  };
  const draft = new PlanDraft(empty, createdAtMs);
  draft.emit("PlanCreated", {
    session_id: sessionId,
    name,
    total_steps: steps.length,
    ...(onFailure === "fail" ? {} : { on_failure: onFailure }),
    ...(keepOpen ? { keep_open: true } : {}),
  });
  if (fork !== undefined) {
    draft.emit("PlanForked", {
      plan_id: fork.planId,
      ...(fork.stepId === undefined ? {} : { step_id: fork.stepId }),
      step_ids: fork.taken.map(({ stepId }) => stepId),
    });
  }
  const change = draft.change();
  return { events: change.events, ...change.plan };
}

/** A step of a fork, completed if another plan has run it. */
function takenOver(step: StepState, taken: TakenStep | undefined): StepState {
  if (taken === undefined) return step;
  const { attempt, rowCount, executedAtMs } = taken;
  return { ...step, status: "completed", attempt, rowCount, executedAtMs };
}

/**
 * Claims a step for an owner, or refuses (Decision §3, "ExecuteStep, by the step's state").
 * @param outdatedApproval an approval that is waited for and was demanded by policies which have
 * changed since: the step may be claimed, to be decided on again.
 */
export function claimStep(
  state: PlanState,
  stepId: string,
  owner: string,
  nowMs: number,
  outdatedApproval?: string,
): ClaimDecision {
  const step = state.steps.find((candidate) => candidate.stepId === stepId);
  if (step === undefined) {
    return refuse("STEP_NOT_FOUND", `Plan ${state.planId} has no step ${stepId}`);
  }
  switch (step.status) {
    case "completed":
    case "failed":
      return { kind: "finished", step };
    case "running":
      return { kind: "running" };
    case "skipped":
    case "cancelled":
      return refuse("PLAN_NOT_ACTIVE", `Step ${stepId} is ${step.status}: its plan has ended`);
    case "pending":
      return claimPending(state, step, owner, nowMs, outdatedApproval);
  }
}

function claimPending(
  state: PlanState,
  step: StepState,
  owner: string,
  nowMs: number,
  outdatedApproval: string | undefined,
): ClaimDecision {
  const over = whyNotActive(state, nowMs);
  if (over !== undefined) return refuse("PLAN_NOT_ACTIVE", over);
  if (isAwaited(step, nowMs) && step.approval?.approvalId !== outdatedApproval) {
    return refuse("APPROVAL_REQUIRED", waitingText(state, step), step.approval);
  }
  const missing = unmetDependencies(state, step);
  if (missing.length > 0) {
    return refuse(
      "STEP_DEPENDENCIES_NOT_MET",
      `Step ${step.stepId} depends on steps that are not completed: ${missing.join(", ")}` +
        failedAmong(state, missing),
    );
  }
  if (state.lastSequence + eventsToFinish(state) > PLAN_EVENTS_MAX) {
    return refuse(
      "LIMIT_EXCEEDED",
      `The plan's log is full (${String(PLAN_EVENTS_MAX)} events): submit the remaining steps as a new plan`,
    );
  }
  const attempt = step.attempt + 1;
  const approval = claimedApproval(step.approval, attempt, Math.max(nowMs, state.lastEventAtMs));
  const claimed: StepState = {
    ...step,
    status: "running",
    attempt,
    approval,
    owner,
    waitReason: undefined,
    error: undefined,
  };
  const change = (): PlanChange => claimChange(state, step, claimed, nowMs);
  return { kind: "claimed", step: claimed, change };
}

function claimChange(
  state: PlanState,
  step: StepState,
  claimed: StepState,
  nowMs: number,
): PlanChange {
  const draft = new PlanDraft(state, nowMs);
  // Not only for `pending` plans: a plan that missed its deadline before any step ran may have been
  // retried.
  if (state.startedAtMs === undefined) {
    draft.patch({ status: "running", startedAtMs: draft.nowMs });
    draft.emit("PlanStarted", { session_id: state.sessionId, total_steps: state.steps.length });
  }
  const { approval } = claimed;
  if (approval !== undefined && approval !== step.approval) {
    draft.putApproval({ stepId: step.stepId, approval });
  }
  draft.replaceStep(claimed);
  draft.emit("PlanStepStarted", {
    step_id: step.stepId,
    step_index: step.index,
    attempt: claimed.attempt,
  });
  return draft.change();
}

/**
 * Has a step that may be claimed wait for persons instead: no attempt is made, and only the approval
 * is in the log. @returns `undefined` when the step is not pending.
 */
export function requestApproval(
  state: PlanState,
  stepId: string,
  awaited: StepOutcome & { readonly kind: "awaiting_approval" },
  nowMs: number,
): PlanChange | undefined {
  const step = state.steps.find((candidate) => candidate.stepId === stepId);
  if (step?.status !== "pending") return undefined;
  const draft = new PlanDraft(state, nowMs);
  awaitApproval(draft, step, awaited);
  return draft.change();
}

/** The dependencies of this step that have not completed, in the order that the step lists them. */
function unmetDependencies(state: PlanState, step: StepState): readonly string[] {
  const { dependsOn } = step;
  if (dependsOn.length === 0) return [];
  const [only = ""] = dependsOn;
  // Most steps depend on one other, for which a set is not needed.
  if (dependsOn.length === 1) return isCompleted(state, only) ? [] : dependsOn;
  const wanted = new Set(dependsOn);
  for (const other of state.steps) {
    if (other.status === "completed" && wanted.delete(other.stepId) && wanted.size === 0) break;
  }
  return [...wanted];
}

function isCompleted({ steps }: PlanState, stepId: string): boolean {
  for (const step of steps) if (step.stepId === stepId) return step.status === "completed";
  return false;
}

/** In a plan that pauses, only a revision of the failed dependency helps. */
function failedAmong({ steps }: PlanState, missing: readonly string[]): string {
  const failed = steps.find(
    ({ stepId, status }) => status === "failed" && missing.includes(stepId),
  );
  return failed === undefined ? "" : `; step ${failed.stepId} failed: revise it first`;
}

function whyNotActive(state: PlanState, nowMs: number): string | undefined {
  if (isOver(state)) return `Plan ${state.planId} is ${state.status}`;
  if (state.cancelReason !== undefined) return `Plan ${state.planId} is being cancelled`;
  if (state.failure !== undefined) return `Plan ${state.planId} has failed`;
  if (nowMs > state.deadlineMs) {
    return `Plan ${state.planId} is past its deadline, ${isoTime(state.deadlineMs)}`;
  }
  return undefined;
}

/**
 * Ends an attempt. @returns `undefined` when the attempt is not the running one, because it was
 * fenced.
 */
export function finishStep(
  state: PlanState,
  stepId: string,
  attempt: number,
  outcome: StepOutcome,
  nowMs: number,
): PlanChange | undefined {
  const step = state.steps.find((candidate) => candidate.stepId === stepId);
  if (step?.status !== "running" || step.attempt !== attempt) return undefined;
  const draft = new PlanDraft(state, nowMs);
  endAttempt(draft, step, outcome);
  settlePlan(draft);
  return draft.change();
}

/**
 * Forbids new claims and, when nothing runs, ends the plan. @returns `undefined` when the plan is
 * already cancelled or being cancelled; a refusal when it has completed or failed.
 */
export function cancelPlan(
  state: PlanState,
  reason: string,
  nowMs: number,
): PlanChange | { readonly refused: string } | undefined {
  if (state.status === "cancelled" || state.cancelReason !== undefined) return undefined;
  if (state.status === "completed" || state.status === "failed") {
    return { refused: `Plan ${state.planId} is ${state.status} and cannot be cancelled` };
  }
  const draft = new PlanDraft(state, nowMs);
  draft.patch({ cancelReason: reason });
  draft.emit("PlanCancelRequested", { reason });
  settlePlan(draft);
  return draft.change();
}

/**
 * Reopens a failed plan: completed steps stay completed, all others become pending.
 * @param deadlineMs the new deadline. The old one may have passed, and may be the cause of the
 * failure.
 */
export function retryPlan(
  state: PlanState,
  nowMs: number,
  deadlineMs: number,
): PlanChange | { readonly refused: string; readonly limit?: true } {
  if (state.status !== "failed") {
    return {
      refused: `Plan ${state.planId} is ${state.status}; only a failed plan can be retried`,
    };
  }
  if (state.lastSequence + 3 * eventsToFinish(state) > PLAN_EVENTS_MAX) {
    return { refused: `The plan's log is full: ${String(PLAN_EVENTS_MAX)} events`, limit: true };
  }
  const draft = new PlanDraft(state, nowMs);
  revivePlan(draft, deadlineMs);
  return draft.change();
}

/** Ends the approvals whose time has passed. @returns `undefined` when there is nothing to do. */
export { expireApprovals } from "./approvals/step-approvals.js";

/** The result of a decision about an approval. */
export type ApprovalTransition =
  | {
      readonly kind: "changed";
      readonly change: PlanChange;
      readonly step: StepState;
      /** The error and hint of a denied step, for the LLM. */
      readonly context?: StepContext;
    }
  | Exclude<StepDecision, { readonly kind: "decided" }>;

/** Records a person's decision about the approval that a step waits for. A denied step fails. */
export function decideApproval(
  state: PlanState,
  approvalId: string,
  wanted: WantedDecision,
  nowMs: number,
): ApprovalTransition {
  const draft = new PlanDraft(state, nowMs);
  const decision = decideStepApproval(draft, state, approvalId, wanted);
  if (decision.kind !== "decided") return decision;
  const { step } = decision;
  const { approval } = step;
  if (approval?.approvalId !== approvalId || approval.status !== "denied") {
    return { kind: "changed", change: draft.change(), step };
  }
  const outcome = denialOutcome({ ...step, approval });
  endAttempt(draft, step, outcome);
  settlePlan(draft);
  return { kind: "changed", change: draft.change(), step, context: outcome.context };
}

function refuse(code: ClaimRefusal["code"], message: string, approval?: Approval): ClaimDecision {
  return { kind: "refused", refusal: { code, message, ...(approval && { approval }) } };
}
