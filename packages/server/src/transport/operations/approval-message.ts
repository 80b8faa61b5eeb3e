import { parseOrdered } from "@steward/client";
import { isoTime } from "@steward/kernel/clock.js";
import type {
  approvals as operations,
  Approval,
  ApprovalParty,
  ApprovalPreview,
  ApprovedPlanStep,
  OutputOf,
} from "@steward/operations";
import {
  missingFor,
  OPERATION_PLAN_ID,
  shownStatus,
  standingMsMax,
  type ApprovalParty as Party,
  type ShownPlanStep,
} from "../../approvals/index.js";
import type { ApprovalPage as StoredPage } from "../../approvals/ports.js";
import type { ApprovalPreview as Preview, ApprovalView } from "../../plans/index.js";
import { present } from "../../kernel/present.js";

/** An approval as REST answers it, and as the other protocols make theirs of. */
export function approvalMessage(approval: ApprovalView, nowMs: number): Approval {
  const { migration, tables, valuesLeftOut, planSteps, ...subject } = approval.subject;
  return {
    approval_id: approval.approvalId,
    status: shownStatus(approval, nowMs),
    ...(approval.planId === OPERATION_PLAN_ID
      ? { plan_id: "", step_id: approval.subject.toolName }
      : { plan_id: approval.planId, step_id: approval.stepId }),
    session_id: approval.sessionId,
    digest: approval.digest,
    rules: approval.rules.map(({ policyId, reason, role, approversMin }) => ({
      policy_id: policyId,
      ...present({ reason }),
      role,
      approvers_min: approversMin,
      missing: missingFor({ role, approversMin }, approval.decisions),
    })),
    requester: partyMessage(approval.requester),
    requested_at: isoTime(approval.requestedAtMs),
    expires_at: isoTime(approval.expiresAtMs),
    decisions: approval.decisions.map(({ approver, roles, decision, reason, ...made }) => ({
      approver: partyMessage(approver),
      ...{ roles, decision },
      ...present({ reason, rows_changed_max: made.rowsChangedMax }),
      decided_at: isoTime(made.atMs),
    })),
    policy_version: approval.policyVersion,
    ...present({ granted_by: approval.grantedBy }),
    ...standingMembers(approval),
    subject: {
      tool_name: subject.toolName,
      data_source: subject.dataSource,
      intent: subject.intent,
      query_template: subject.queryTemplate,
      statement: subject.statement,
      values: subject.values,
      values_left_out: valuesLeftOut,
      ...present({ rows_changed_max: subject.rowsChangedMax }),
      ...(tables && { tables }),
      revision: subject.revision,
      ...(migration && { migration: { migration_id: migration.id, digest: migration.digest } }),
      ...(planSteps && { plan_steps: planSteps.map(planStepMessage) }),
    },
    ...present({ preview: approval.preview && previewMessage(approval.preview) }),
  };
}

function standingMembers(approval: ApprovalView): Partial<Approval> {
  const { standingUntilMs, revoked } = approval;
  const maxMs = standingMsMax(approval);
  return {
    ...(maxMs === 0 ? {} : { standing_seconds_max: maxMs / 1000 }),
    ...(standingUntilMs === undefined ? {} : { standing_until: isoTime(standingUntilMs) }),
    ...(revoked && { revoked_at: isoTime(revoked.atMs), revoked_by: revoked.by }),
  };
}

function planStepMessage(step: ShownPlanStep): ApprovedPlanStep {
  const { stepId, dataSource, values, tables, estimatedRows, note, ...rest } = step;
  return {
    ...{ step_id: stepId, data_source: dataSource, ...rest },
    ...("from" in values ? { values_from: values.from } : { values }),
    ...present({ tables, estimated_rows: estimatedRows, note }),
  };
}

function previewMessage({ write, notes = [], estimate, unavailable }: Preview): ApprovalPreview {
  const hasNotes = write !== undefined || notes.length > 0;
  return present({
    rows_changed: write?.rowsChanged,
    changes: write?.changes.map(({ table, before, after }) => ({
      table,
      ...present({ before: columnsOf(before), after: columnsOf(after) }),
    })),
    is_cut: write?.isCut,
    notes: hasNotes ? [...notes, ...(write?.notes ?? [])] : undefined,
    estimated_rows: estimate?.rows,
    estimated_cost: estimate?.cost,
    unavailable,
  });
}

/** The columns of a row, of which data sources write a JSON object. */
function columnsOf(json: string | undefined): Readonly<Record<string, unknown>> | undefined {
  return json === undefined ? undefined : (parseOrdered(json) as Readonly<Record<string, unknown>>);
}

export function approvalPageMessage(
  { approvals, nextCursor }: StoredPage,
  nowMs: number,
): OutputOf<typeof operations.listApprovals> {
  return {
    approvals: approvals.map((approval) => approvalMessage(approval, nowMs)),
    ...present({ next_cursor: nextCursor }),
  };
}

function partyMessage({ kind, userId, agentId, keyId }: Party): ApprovalParty {
  return { kind, ...present({ user_id: userId, agent_id: agentId, key_id: keyId }) };
}
