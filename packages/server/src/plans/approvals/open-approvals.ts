import { partyName } from "@steward/kernel/caller.js";
import type { ErrorCode } from "@steward/protocol";
import { isoTime } from "@steward/kernel/clock.js";
import {
  areMet,
  countingDecisions,
  shownStatus,
  type Approval,
  type ApprovalParty,
} from "../../approvals/index.js";
import { authorsOf } from "../authors.js";
import { PLAN_EVENTS_MAX } from "../limits.js";
import type { PlanDraft } from "../plan-draft.js";
import { eventsToFinish, isOver, type PlanState, type StepState } from "../plan-state.js";

/*
 * What the approvals of steps and those of whole plans have in common.
 */

/** The result of a decision about an approval, with the step that holds it. */
export type StepDecision =
  | { readonly kind: "decided"; readonly step: StepState }
  | { readonly kind: "repeated" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string };

/** Whether it can still be decided about or used. */
export function isOpen(approval: Approval, nowMs: number): boolean {
  const status = shownStatus(approval, nowMs);
  return status === "pending" || status === "approved";
}

/** Whether the plan's log says that nothing can become of it any more. */
export function hasEnded({ status }: Approval): boolean {
  return status !== "pending" && status !== "approved";
}

/** Ends an approval that nobody needs any more: `void`, or `expired` if its time had passed before. */
export function voided(
  draft: PlanDraft,
  step: Pick<StepState, "stepId" | "index">,
  approval: Approval,
): Approval {
  if (hasEnded(approval)) return approval;
  if (!isOpen(approval, draft.nowMs)) return expired(draft, step, approval);
  const ended = { ...approval, status: "void" as const };
  draft.putApproval({ stepId: step.stepId, approval: ended });
  return ended;
}

/** Ends an approval whose time has passed. */
export function expired(
  draft: PlanDraft,
  { stepId, index }: Pick<StepState, "stepId" | "index">,
  approval: Approval,
): Approval {
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

/** An approval whose approvers have decided about others too. */
export interface GrantingApproval {
  readonly approvalId: string;
  readonly decisions: Approval["decisions"];
  readonly untilMs: number;
  readonly isStanding: boolean;
}

/**
 * Grants the approval that a step waits for, if enough persons of whom none requested it have
 * decided about the granting one. @returns whether it did.
 */
export function grant(
  draft: PlanDraft,
  step: StepState,
  approval: Approval,
  by: GrantingApproval,
): boolean {
  if (!isOpen(approval, draft.nowMs) || draft.nowMs >= by.untilMs) return false;
  // The granted approval is for one run: it does not stand for later statements.
  const decisions = countingDecisions(approval, by.decisions).map(
    ({ standingMs: _standingMs, ...decision }) => decision,
  );
  if (!areMet(approval.rules, decisions)) return false;
  const granted: Approval = {
    ...{ ...approval, decisions, status: "approved", grantedBy: by.approvalId },
    ...(by.isStanding ? { underStanding: true } : {}),
    expiresAtMs: Math.min(approval.expiresAtMs, by.untilMs),
  };
  draft.replaceStep({ ...step, approval: granted, waitReason: undefined });
  draft.putApproval({ stepId: step.stepId, approval: granted });
  draft.emit("PlanApprovalDecided", {
    ...{ approval_id: approval.approvalId, step_id: step.stepId, step_index: step.index },
    ...{ decision: "approve", approver: approversOf(decisions), status: "approved" },
    granted_by: by.approvalId,
  });
  return true;
}

function approversOf(decisions: readonly { readonly approver: ApprovalParty }[]): string {
  return decisions.map(({ approver }) => partyName(approver)).join(", ");
}

/** The approval with the plan's authors beside those that it names itself. */
export function withAuthors<T extends Approval>(
  approval: T,
  { authors }: Pick<PlanState, "authors">,
): T {
  const all = authorsOf([approval], authors);
  return all.length === 0 ? approval : { ...approval, authors: all };
}

/** What the event of a request tells of the approval. */
export function requestedPayload(approval: Approval): object {
  const { approvalId, digest, rules, requester, expiresAtMs } = approval;
  return {
    ...{ approval_id: approvalId, digest },
    rules: rules.map(({ policyId, role, approversMin }) => ({
      policy_id: policyId,
      role,
      approvers_min: approversMin,
    })),
    requester: partyName(requester),
    expires_at: isoTime(expiresAtMs),
  };
}

/**
 * Why nothing can be decided about a plan's approvals; `undefined` when something can.
 * @param events that the decision adds to the plan's log at most.
 */
export function whyPlanTakesNoDecision(
  state: PlanState,
  nowMs: number,
  events = 1,
): string | undefined {
  const { planId, cancelReason, failure, deadlineMs, lastSequence } = state;
  if (isOver(state)) return `Plan ${planId} is ${state.status}: there is nothing left to decide`;
  if (cancelReason !== undefined) return `Plan ${planId} is being cancelled`;
  if (failure !== undefined) return `Plan ${planId} has failed`;
  if (nowMs > deadlineMs) return `Plan ${planId} is past its deadline, ${isoTime(deadlineMs)}`;
  if (lastSequence + events + eventsToFinish(state) > PLAN_EVENTS_MAX) {
    return `The log of plan ${planId} is full (${String(PLAN_EVENTS_MAX)} events): cancel it, and submit the remaining steps as a new plan`;
  }
  return undefined;
}
