import { partyName } from "@steward/kernel/caller.js";
import { isoTime } from "@steward/kernel/clock.js";
import {
  decideApproval,
  denialOf,
  missingFor,
  shownStatus,
  type Approval,
  type WantedDecision,
} from "../../approvals/index.js";
import { contextOfFailure } from "../context-update.js";
import { PLAN_EVENTS_MAX } from "../limits.js";
import { PlanDraft } from "../plan-draft.js";
import {
  eventsToFinish,
  type PlanChange,
  type PlanState,
  type StepOutcome,
  type StepState,
} from "../plan-state.js";
import {
  expired,
  grant,
  hasEnded,
  isOpen,
  requestedPayload,
  type StepDecision,
  voided,
  withAuthors,
  whyPlanTakesNoDecision,
} from "./open-approvals.js";
import {
  decidePlanApproval,
  grantFromPlan,
  openPlanApproval,
  requestPlanApproval,
} from "./whole-plan.js";

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
 * @returns the step's approval after that.
 */
export function voidApproval(draft: PlanDraft, step: StepState): Approval | undefined {
  return step.approval && voided(draft, step, step.approval);
}

/**
 * Ends the approvals whose time has passed. The next execution of their steps requests new ones. A
 * running step is left to the end of its attempt. @returns `undefined` when there is nothing to do.
 */
export function expireApprovals(state: PlanState, nowMs: number): PlanChange | undefined {
  const draft = new PlanDraft(state, nowMs);
  // A log without room for an event still has to take those that end its plan.
  const ended = (step: StepState, approval: Approval | undefined): Approval | undefined => {
    if (approval === undefined || hasEnded(approval)) return approval;
    const isFull = draft.plan.lastSequence + 1 + eventsToFinish(state) > PLAN_EVENTS_MAX;
    if (isFull || isOpen(approval, draft.nowMs)) return approval;
    return expired(draft, step, approval);
  };
  for (const step of state.steps) {
    if (step.status === "running") continue;
    const approval = ended(step, step.approval);
    const planApproval = ended(step, step.planApproval);
    if (approval === step.approval && planApproval === step.planApproval) continue;
    draft.replaceStep({ ...step, approval, planApproval });
  }
  const change = draft.change();
  return change.events.length === 0 ? undefined : change;
}

/**
 * Has a step wait for an approval, without which it may not run: before it is claimed, or at the end
 * of an attempt that has found out.
 */
export function awaitApproval(
  draft: PlanDraft,
  step: StepState,
  { subject, wholePlan, standing, ...asked }: StepOutcome & { readonly kind: "awaiting_approval" },
): void {
  const approval = withAuthors(asked.approval, draft.plan);
  const idle: StepState = {
    ...{ ...step, owner: undefined, status: "pending" },
    waitReason: "awaiting_approval",
  };
  const former = approvalGivenBack(draft, step);
  // The step still waits for the same approval.
  if (former?.status === "pending" && former.digest === approval.digest) {
    if (isOpen(former, draft.nowMs)) {
      draft.replaceStep({ ...idle, approval: former });
      if (step.status === "running") draft.emit("PlanStepLeaseExpired", stepPayload(step));
      return;
    }
  }
  voidApproval(draft, { ...step, approval: former });
  const waiting = { ...idle, approval };
  draft.replaceStep(waiting);
  draft.putApproval({ stepId: step.stepId, approval, subject });
  draft.emit("PlanApprovalRequested", {
    ...requestedPayload(approval),
    ...stepPayload(step),
    ...(former === undefined ? {} : { replaces: former.approvalId }),
  });
  if (draft.isEnding) return;
  if (
    standing !== undefined &&
    grant(draft, waiting, approval, { ...standing, isStanding: true })
  ) {
    return;
  }
  if (grantFromPlan(draft, waiting, approval)) return;
  if (wholePlan !== undefined) requestPlanApproval(draft, step.stepId, wholePlan);
}

/** Records a person's decision about the approval that a step holds. */
export function decideStepApproval(
  draft: PlanDraft,
  state: PlanState,
  approvalId: string,
  wanted: WantedDecision,
): StepDecision {
  const aboutPlan = decidePlanApproval(draft, state, approvalId, wanted);
  if (aboutPlan !== undefined) return aboutPlan;
  const step = state.steps.find(({ approval }) => approval?.approvalId === approvalId);
  if (step?.approval === undefined) {
    return refused(
      `Approval ${approvalId} is void, because what it was for has changed: look for a newer one of plan ${state.planId}`,
    );
  }
  const result = decideApproval(withAuthors(step.approval, state), wanted, draft.nowMs);
  if (result.kind !== "decided") return result;
  const closed = whyNotDecidable(state, step, draft.nowMs);
  if (closed !== undefined) return refused(closed);
  const { approval } = result;
  draft.putApproval({ stepId: step.stepId, approval });
  emitDecided(draft, step, approval);
  const waitReason = approval.status === "approved" ? undefined : step.waitReason;
  const decided = { ...step, approval, waitReason };
  draft.replaceStep(decided);
  return { kind: "decided", step: decided };
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
export function waitingText({ planId, steps }: PlanState, { stepId, approval }: StepState): string {
  if (approval === undefined) return `Step ${stepId} waits for a person's approval`;
  const { approvalId, rules, decisions, requestedAtMs, expiresAtMs } = approval;
  const missing = rules.flatMap((rule) => {
    const count = missingFor(rule, decisions);
    return count === 0
      ? []
      : [`${count === 1 ? "a person" : `${String(count)} persons`} with the role ${rule.role}`];
  });
  const who = [...new Set(missing)].join(" and ");
  const plan = openPlanApproval(steps, requestedAtMs);
  const atOnce =
    plan?.status === "pending" && plan.covers?.some((covered) => covered.stepId === stepId) === true
      ? `The whole plan can be approved at once: approval ${plan.approvalId}. `
      : "";
  return (
    `Step ${stepId} of plan ${planId} waits for approval ${approvalId}: ${who} can decide until ` +
    `${isoTime(expiresAtMs)}, at /approvals/${approvalId} or with 'steward approvals show ${approvalId}'. ${atOnce}` +
    "Execute the step again after the decision; the same call then goes on"
  );
}

function emitDecided(draft: PlanDraft, step: StepState, approval: Approval): void {
  const { approvalId, decisions, status, standingUntilMs } = approval;
  const last = decisions.at(-1);
  draft.emit("PlanApprovalDecided", {
    approval_id: approvalId,
    step_id: step.stepId,
    step_index: step.index,
    decision: last?.decision,
    approver: last && partyName(last.approver),
    ...(last?.reason === undefined ? {} : { reason: last.reason }),
    status,
    ...(standingUntilMs === undefined ? {} : { standing_until: isoTime(standingUntilMs) }),
  });
}

function whyNotDecidable(state: PlanState, step: StepState, nowMs: number): string | undefined {
  const closed = whyPlanTakesNoDecision(state, nowMs);
  if (closed !== undefined || step.status !== "running") return closed;
  return `Step ${step.stepId} is being executed again, which may request another approval: read the approval again in a moment`;
}

function stepPayload({ stepId, index, attempt }: StepState): object {
  return { step_id: stepId, step_index: index, attempt };
}

function refused(message: string): StepDecision {
  return { kind: "refused", code: "APPROVAL_CONFLICT", message };
}
