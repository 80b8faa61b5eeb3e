import type { ErrorCode } from "@steward/protocol";
import { isoTime } from "@steward/kernel/clock.js";
import {
  decideApproval,
  denialOf,
  missingFor,
  partyName,
  shownStatus,
  type Approval,
  type WantedDecision,
} from "../approvals/index.js";
import { contextOfFailure } from "./context-update.js";
import { PLAN_EVENTS_MAX } from "./limits.js";
import { PlanDraft } from "./plan-draft.js";
import {
  eventsToFinish,
  isOver,
  type PlanChange,
  type PlanState,
  type StepOutcome,
  type StepState,
} from "./plan-state.js";

/*
 * Approvals as part of the state machine (Decision §16). A step holds its newest approval. A claim
 * uses an approval that was given; the end of the attempt gives it back only with proof that
 * nothing took effect.
 */

/** Whether the step waits for persons, so that it may not be claimed. */
export function isAwaited({ waitReason, approval }: StepState, nowMs: number): boolean {
  return waitReason === "awaiting_approval" && approval !== undefined && isOpen(approval, nowMs);
}

/** The step's approval after a claim: one that was given is used by this attempt. */
export function claimedApproval(
  approval: Approval | undefined,
  attempt: number,
  nowMs: number,
): Approval | undefined {
  if (approval === undefined || shownStatus(approval, nowMs) !== "approved") return approval;
  return { ...approval, status: "used", usedBy: attempt };
}

/** The step's approval after an attempt without effect, which can be used again. */
export function approvalGivenBack(
  draft: PlanDraft,
  { stepId, approval, attempt }: StepState,
): Approval | undefined {
  if (approval?.usedBy !== attempt) return approval;
  const { usedBy: _usedBy, ...unused } = approval;
  const given = { ...unused, status: "approved" as const };
  draft.putApproval({ stepId, approval: given });
  return given;
}

/**
 * Ends an approval that nobody needs any more, because its plan has ended or its step has changed.
 * @returns the step's approval after that: `void`, or `expired` if its time had passed before.
 */
export function voidApproval(draft: PlanDraft, step: StepState): Approval | undefined {
  const { stepId, approval } = step;
  if (approval === undefined || hasEnded(approval)) return approval;
  if (!isOpen(approval, draft.nowMs)) return expired(draft, step, approval);
  const ended = { ...approval, status: "void" as const };
  draft.putApproval({ stepId, approval: ended });
  return ended;
}

/**
 * Ends the approvals whose time has passed. The next execution of their steps requests new ones. A
 * running step is left to the end of its attempt. @returns `undefined` when there is nothing to do.
 */
export function expireApprovals(state: PlanState, nowMs: number): PlanChange | undefined {
  const draft = new PlanDraft(state, nowMs);
  for (const step of state.steps) {
    const { approval, status } = step;
    if (approval === undefined || status === "running") continue;
    if (hasEnded(approval) || isOpen(approval, draft.nowMs)) continue;
    // A log without room for the event still has to take the events that end its plan.
    if (draft.plan.lastSequence + 1 + eventsToFinish(state) > PLAN_EVENTS_MAX) break;
    draft.replaceStep({ ...step, approval: expired(draft, step, approval) });
  }
  const change = draft.change();
  return change.events.length === 0 ? undefined : change;
}

function expired(draft: PlanDraft, step: StepState, approval: Approval): Approval {
  const { stepId, index } = step;
  const ended = { ...approval, status: "expired" as const };
  draft.putApproval({ stepId, approval: ended });
  draft.emit("PlanApprovalExpired", {
    approval_id: approval.approvalId,
    ...{ step_id: stepId, step_index: index },
    ...{ digest: approval.digest, was: approval.status },
    expires_at: isoTime(approval.expiresAtMs),
  });
  return ended;
}

/** Whether the plan's log says that nothing can become of it any more. */
function hasEnded({ status }: Approval): boolean {
  return status !== "pending" && status !== "approved";
}

/** Ends an attempt that may not run without an approval: the step waits for it. */
export function awaitApproval(
  draft: PlanDraft,
  step: StepState,
  { approval, subject }: StepOutcome & { readonly kind: "awaiting_approval" },
): void {
  const idle: StepState = {
    ...{ ...step, owner: undefined, status: "pending" },
    waitReason: "awaiting_approval",
  };
  const former = approvalGivenBack(draft, step);
  // This attempt only found that the step still waits for the same approval.
  if (former?.status === "pending" && former.digest === approval.digest) {
    if (isOpen(former, draft.nowMs)) {
      draft.replaceStep({ ...idle, approval: former });
      draft.emit("PlanStepLeaseExpired", stepPayload(step));
      return;
    }
  }
  voidApproval(draft, { ...step, approval: former });
  draft.replaceStep({ ...idle, approval });
  draft.putApproval({ stepId: step.stepId, approval, subject });
  const { approvalId, digest, rules, requester, expiresAtMs } = approval;
  draft.emit("PlanApprovalRequested", {
    approval_id: approvalId,
    ...stepPayload(step),
    digest,
    rules: rules.map(({ policyId, role, approversMin }) => ({
      policy_id: policyId,
      role,
      approvers_min: approversMin,
    })),
    requester: partyName(requester),
    expires_at: isoTime(expiresAtMs),
    ...(former === undefined ? {} : { replaces: former.approvalId }),
  });
}

/** The result of a decision about a step's approval, before the step is changed. */
export type StepDecision =
  | { readonly kind: "decided"; readonly step: StepState & { readonly approval: Approval } }
  | { readonly kind: "repeated" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string };

/** Records a person's decision about the approval that a step holds. */
export function decideStepApproval(
  draft: PlanDraft,
  state: PlanState,
  approvalId: string,
  wanted: WantedDecision,
): StepDecision {
  const step = state.steps.find(({ approval }) => approval?.approvalId === approvalId);
  if (step?.approval === undefined) {
    return refused(
      `Approval ${approvalId} is void, because what it was for has changed: look for a newer one of plan ${state.planId}`,
    );
  }
  const result = decideApproval(step.approval, wanted, draft.nowMs);
  if (result.kind !== "decided") return result;
  const closed = whyNotDecidable(state, step, draft.nowMs);
  if (closed !== undefined) return refused(closed);
  const { approval } = result;
  draft.putApproval({ stepId: step.stepId, approval });
  emitDecided(draft, step, approval);
  const waitReason = approval.status === "approved" ? undefined : step.waitReason;
  return { kind: "decided", step: { ...step, approval, waitReason } };
}

/** The end of a step that a person denied. */
export function denialOutcome({
  stepId,
  approval,
}: StepState & { readonly approval: Approval }): StepOutcome & { readonly kind: "failed" } {
  const context = contextOfFailure([
    "A person decided that this statement may not run: do not send it again unchanged. Revise the step so that it meets the reason, or go on without it",
  ]);
  const message = `Step ${stepId} may not run: ${denialOf(approval)}`;
  return { kind: "failed", error: { code: "APPROVAL_DENIED", message }, durationMs: 0, context };
}

/** The message for the caller whose step waits: who can decide, until when, and how to go on. */
export function waitingText({ planId }: PlanState, { stepId, approval }: StepState): string {
  if (approval === undefined) return `Step ${stepId} waits for a person's approval`;
  const { approvalId, rules, decisions, expiresAtMs } = approval;
  const missing = rules.flatMap((rule) => {
    const count = missingFor(rule, decisions);
    return count === 0
      ? []
      : [`${count === 1 ? "a person" : `${String(count)} persons`} with the role ${rule.role}`];
  });
  const who = [...new Set(missing)].join(" and ");
  return (
    `Step ${stepId} of plan ${planId} waits for approval ${approvalId}: ${who} can decide until ` +
    `${isoTime(expiresAtMs)}, at /approvals/${approvalId} or with 'steward approvals show ${approvalId}'. ` +
    "Execute the step again after the decision; the same call then goes on"
  );
}

function emitDecided(draft: PlanDraft, step: StepState, approval: Approval): void {
  const { approvalId, decisions, status } = approval;
  const last = decisions.at(-1);
  draft.emit("PlanApprovalDecided", {
    approval_id: approvalId,
    step_id: step.stepId,
    step_index: step.index,
    decision: last?.decision,
    approver: last && partyName(last.approver),
    ...(last?.reason === undefined ? {} : { reason: last.reason }),
    status,
  });
}

function whyNotDecidable(state: PlanState, step: StepState, nowMs: number): string | undefined {
  const { planId, cancelReason, failure, deadlineMs, lastSequence } = state;
  if (isOver(state)) return `Plan ${planId} is ${state.status}: there is nothing left to decide`;
  if (cancelReason !== undefined) return `Plan ${planId} is being cancelled`;
  if (failure !== undefined) return `Plan ${planId} has failed`;
  if (nowMs > deadlineMs) return `Plan ${planId} is past its deadline, ${isoTime(deadlineMs)}`;
  if (step.status === "running") {
    return `Step ${step.stepId} is being executed again, which may request another approval: read the approval again in a moment`;
  }
  if (lastSequence + 1 + eventsToFinish(state) > PLAN_EVENTS_MAX) {
    return `The log of plan ${planId} is full (${String(PLAN_EVENTS_MAX)} events): cancel it, and submit the remaining steps as a new plan`;
  }
  return undefined;
}

/** Whether it can still be decided about or used. */
function isOpen(approval: Approval, nowMs: number): boolean {
  const status = shownStatus(approval, nowMs);
  return status === "pending" || status === "approved";
}

function stepPayload({ stepId, index, attempt }: StepState): object {
  return { step_id: stepId, step_index: index, attempt };
}

function refused(message: string): StepDecision {
  return { kind: "refused", code: "APPROVAL_CONFLICT", message };
}
