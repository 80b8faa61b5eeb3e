import type * as proto from "@steward/protocol/grpc";
import type * as rest from "@steward/protocol/rest";
import type { ApprovalView } from "../../../plans/index.js";
import { approvalMessage as restMessage } from "../../approvals/approval-message.js";

/** An approval, from the fields that REST tells. */
export function approvalMessage(view: ApprovalView, nowMs: number): proto.Approval {
  const approval = restMessage(view, nowMs);
  const { preview } = approval;
  return {
    $typeName: "controlplane.v1.Approval",
    approvalId: approval.approval_id,
    status: approval.status,
    planId: approval.plan_id,
    stepId: approval.step_id,
    sessionId: approval.session_id,
    digest: approval.digest,
    rules: approval.rules.map(ruleMessage),
    requester: partyMessage(approval.requester),
    requestedAt: approval.requested_at,
    expiresAt: approval.expires_at,
    decisions: approval.decisions.map(decisionMessage),
    policyVersion: approval.policy_version,
    grantedBy: approval.granted_by ?? "",
    standingSecondsMax: approval.standing_seconds_max ?? 0,
    standingUntil: approval.standing_until ?? "",
    revokedAt: approval.revoked_at ?? "",
    revokedBy: approval.revoked_by ?? "",
    subject: subjectMessage(approval.subject),
    ...(preview && { preview: previewMessage(preview) }),
  };
}

function ruleMessage(rule: rest.ApprovalRule): proto.Approval["rules"][number] {
  const { policy_id: policyId, reason = "", role, approvers_min, missing } = rule;
  return {
    $typeName: "controlplane.v1.ApprovalRule",
    ...{ policyId, reason, role, approversMin: approvers_min, missing },
  };
}

function partyMessage(party: rest.ApprovalParty): NonNullable<proto.Approval["requester"]> {
  const { kind, user_id: userId = "", agent_id: agentId = "", key_id: keyId = "" } = party;
  return { $typeName: "controlplane.v1.ApprovalParty", kind, userId, agentId, keyId };
}

function decisionMessage(decided: rest.ApprovalDecision): proto.Approval["decisions"][number] {
  const { approver, roles, decision, reason = "", decided_at: decidedAt } = decided;
  const rows = decided.rows_changed_max;
  return {
    $typeName: "controlplane.v1.ApprovalDecision",
    approver: partyMessage(approver),
    ...{ roles: [...roles], decision, reason, decidedAt },
    optionalRowsChangedMax:
      rows === undefined ? { case: undefined } : { case: "rowsChangedMax", value: BigInt(rows) },
  };
}

type SubjectMessage = NonNullable<proto.Approval["subject"]>;

function subjectMessage(subject: rest.ApprovalSubject): SubjectMessage {
  const { values, tables = [], migration, plan_steps: planSteps = [] } = subject;
  return {
    $typeName: "controlplane.v1.ApprovalSubject",
    toolName: subject.tool_name,
    dataSource: subject.data_source,
    intent: subject.intent,
    queryTemplate: subject.query_template,
    statement: subject.statement,
    values: values.map(valueMessage),
    valuesLeftOut: subject.values_left_out,
    tables: tables.map(tableMessage),
    planSteps: planSteps.map(planStepMessage),
    revision: subject.revision,
    rowsChangedMax: BigInt(subject.rows_changed_max ?? 0),
    ...(migration && {
      migration: {
        $typeName: "controlplane.v1.ApprovedMigration",
        ...{ migrationId: migration.migration_id, digest: migration.digest },
      },
    }),
  };
}

function planStepMessage(step: rest.ApprovedPlanStep): SubjectMessage["planSteps"][number] {
  const { step_id, data_source, intent, statement, approval, note = "" } = step;
  const { values = [], values_from = [], tables = [], estimated_rows: rows } = step;
  return {
    $typeName: "controlplane.v1.ApprovedPlanStep",
    ...{ stepId: step_id, dataSource: data_source, intent, statement, approval, note },
    values: values.map(valueMessage),
    valuesFrom: [...values_from],
    tables: tables.map(tableMessage),
    optionalEstimatedRows:
      rows === undefined ? { case: undefined } : { case: "estimatedRows", value: rows },
  };
}

function tableMessage({ name, accesses }: rest.ShownTable): SubjectMessage["tables"][number] {
  return { $typeName: "controlplane.v1.ApprovalTable", name, accesses: [...accesses] };
}

function valueMessage(
  value: rest.ApprovalSubject["values"][number],
): SubjectMessage["values"][number] {
  const { text, type = "", bytes = 0 } = value;
  return {
    $typeName: "controlplane.v1.ApprovalValue",
    optionalText: text === null ? { case: undefined } : { case: "text", value: text },
    ...{ type, bytes: BigInt(bytes) },
  };
}

function previewMessage(preview: rest.ApprovalPreview): NonNullable<proto.Approval["preview"]> {
  const {
    rows_changed: rows,
    changes = [],
    is_cut = false,
    notes = [],
    unavailable = "",
  } = preview;
  const { estimated_rows: estimatedRows, estimated_cost: cost } = preview;
  return {
    $typeName: "controlplane.v1.ApprovalPreview",
    optionalRowsChanged:
      rows === undefined ? { case: undefined } : { case: "rowsChanged", value: BigInt(rows) },
    changes: changes.map(({ table, before, after }) => ({
      $typeName: "controlplane.v1.PreviewedChange",
      ...{ table, beforeJson: jsonOf(before), afterJson: jsonOf(after) },
    })),
    ...{ isCut: is_cut, notes: [...notes], unavailable },
    ...(estimatedRows !== undefined &&
      cost !== undefined && {
        estimate: { $typeName: "controlplane.v1.PreviewEstimate", rows: estimatedRows, cost },
      }),
  };
}

function jsonOf(row: Readonly<Record<string, unknown>> | undefined): string {
  return row === undefined ? "" : JSON.stringify(row);
}
