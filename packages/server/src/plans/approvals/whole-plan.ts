import { partyName } from "@steward/kernel/caller.js";
import {
  decideApproval,
  shownStatus,
  type Approval,
  type CoveredStep,
  type WantedDecision,
} from "../../approvals/index.js";
import type { ApprovalRule } from "../../governance/index.js";
import type { PlanDraft } from "../plan-draft.js";
import type { PlanState, StepState, WholePlanRequest } from "../plan-state.js";
import {
  grant,
  isOpen,
  requestedPayload,
  type StepDecision,
  voided,
  withAuthors,
  whyPlanTakesNoDecision,
} from "./open-approvals.js";

/*
 * The approval of a whole plan. It is held by the step whose execution requested it. Nothing runs
 * under it: it grants each step that it covers an approval of its own, once, which then is used like
 * any other one. A change of the plan's steps ends it.
 */

/** The plan's approval that may still be decided about or grant something. */
export function openPlanApproval(steps: readonly StepState[], nowMs: number): Approval | undefined {
  return steps
    .flatMap(({ planApproval }) => planApproval ?? [])
    .find((approval) => isOpen(approval, nowMs));
}

/** Requests the approval of the plan beside that of a step, unless another one is open. */
export function requestPlanApproval(
  draft: PlanDraft,
  stepId: string,
  { revision, subject, ...asked }: WholePlanRequest,
): void {
  if (draft.plan.revision !== revision || draft.isEnding) return;
  if (openPlanApproval(draft.steps, draft.nowMs) !== undefined) return;
  const step = draft.steps.find((each) => each.stepId === stepId);
  if (step === undefined) return;
  // One whose time has passed may not have been ended yet.
  if (step.planApproval !== undefined) voided(draft, step, step.planApproval);
  const approval = withAuthors(asked.approval, draft.plan);
  draft.replaceStep({ ...step, planApproval: approval });
  draft.putApproval({ stepId, approval, subject });
  draft.emit("PlanApprovalRequested", {
    ...requestedPayload(approval),
    step_id: stepId,
    step_ids: approval.covers.map((covered) => covered.stepId),
  });
}

/** The result of a decision about the approval of a plan; `undefined` when the id is not of one. */
export function decidePlanApproval(
  draft: PlanDraft,
  state: PlanState,
  approvalId: string,
  wanted: WantedDecision,
): StepDecision | undefined {
  const holder = state.steps.find(({ planApproval }) => planApproval?.approvalId === approvalId);
  if (holder?.planApproval === undefined) return undefined;
  const result = decideApproval(withAuthors(holder.planApproval, state), wanted, draft.nowMs);
  if (result.kind !== "decided") return result;
  const closed = whyPlanTakesNoDecision(state, draft.nowMs, 1 + state.steps.length);
  if (closed !== undefined) {
    return { kind: "refused", code: "APPROVAL_CONFLICT", message: closed };
  }
  const { approval } = result;
  putPlanApproval(draft, approval);
  const last = approval.decisions.at(-1);
  draft.emit("PlanApprovalDecided", {
    ...{ approval_id: approvalId, step_ids: approval.covers?.map(({ stepId }) => stepId) },
    ...{ decision: last?.decision, approver: last && partyName(last.approver) },
    ...(last?.reason === undefined ? {} : { reason: last.reason }),
    status: approval.status,
  });
  for (const { stepId } of approval.covers ?? []) {
    const step = draft.steps.find((each) => each.stepId === stepId);
    if (step?.status === "pending" && step.approval?.status === "pending") {
      grantFromPlan(draft, step, step.approval);
    }
  }
  return { kind: "decided", step: holder };
}

/**
 * Grants the approval that a step waits for, if the plan's approval covers exactly it: the digest, the
 * policies that demand it now, and enough persons of whom none requested it.
 * @returns whether it did.
 */
export function grantFromPlan(draft: PlanDraft, step: StepState, approval: Approval): boolean {
  const plan = openPlanApproval(draft.steps, draft.nowMs);
  if (plan?.covers === undefined || shownStatus(plan, draft.nowMs) !== "approved") return false;
  const covered = plan.covers.find(({ stepId }) => stepId === step.stepId);
  if (covered === undefined || !covers(covered, approval)) return false;
  const { approvalId, decisions, expiresAtMs: untilMs } = plan;
  if (!grant(draft, step, approval, { approvalId, decisions, untilMs, isStanding: false })) {
    return false;
  }
  const left = plan.covers.map((each) =>
    each === covered ? { ...covered, granted: approval.approvalId } : each,
  );
  const isUsedUp = left.every((each) => each.granted !== undefined);
  putPlanApproval(draft, { ...plan, covers: left, ...(isUsedUp ? { status: "used" } : {}) });
  return true;
}

/** Ends the plan's approval, and what it has granted to steps that have not started. */
export function voidPlanApprovals(draft: PlanDraft): void {
  for (const { index } of draft.steps) {
    const step = draft.steps[index];
    if (step?.planApproval === undefined) continue;
    const { planApproval } = step;
    const ended = voided(draft, step, planApproval);
    if (ended !== planApproval) draft.replaceStep({ ...step, planApproval: ended });
    for (const other of draft.steps) {
      const { approval } = other;
      if (other.status !== "pending" || approval?.grantedBy !== planApproval.approvalId) continue;
      const taken = voided(draft, other, approval);
      if (taken !== approval) draft.replaceStep({ ...other, approval: taken });
    }
  }
}

/** Whether the plan's approval may grant this one: each policy allows it for such values. */
function covers({ values, digest, granted }: CoveredStep, approval: Approval): boolean {
  if (granted !== undefined) return false;
  const present = values === "known" ? approval.digest : approval.templateDigest;
  return present === digest && approval.rules.every((rule) => isMetByPlan(rule, values));
}

/** Whether the approval of a whole plan meets a policy's demand for a statement with such values. */
export function isMetByPlan({ wholePlan }: ApprovalRule, values: CoveredStep["values"]): boolean {
  return wholePlan === "derived" || (wholePlan === "known" && values === "known");
}

function putPlanApproval(draft: PlanDraft, planApproval: Approval): void {
  const { approvalId } = planApproval;
  const holder = draft.steps.find((step) => step.planApproval?.approvalId === approvalId);
  if (holder === undefined) return;
  draft.replaceStep({ ...holder, planApproval });
  draft.putApproval({ stepId: holder.stepId, approval: planApproval });
}
