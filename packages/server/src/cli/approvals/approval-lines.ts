import type { Approval, ApprovalParty, ApprovalPreview } from "@steward/client";

/** A row of a listing. */
export function approvalRow(approval: Approval): readonly string[] {
  const { approval_id, status, expires_at, requester, subject } = approval;
  const { intent, data_source } = subject;
  return [approval_id, status, expires_at, partyName(requester), `${intent} on ${data_source}`];
}

/** An approval as text: what runs, who has to decide, and who has. */
export function approvalLines(approval: Approval): readonly string[] {
  const { subject, rules, decisions, digest, approval_id: id } = approval;
  return [
    `${approval.status}  ${subject.intent} on ${subject.data_source}, asked for by ${partyName(approval.requester)}`,
    `plan ${approval.plan_id}, step ${approval.step_id}, until ${approval.expires_at}`,
    "",
    subject.statement,
    ...subject.values.map(({ text, bytes }, index) => {
      const more = bytes === undefined ? "" : `  (the beginning of ${String(bytes)} bytes)`;
      return `  ${String(index + 1)}: ${text ?? "NULL"}${more}`;
    }),
    ...(subject.values_left_out === 0
      ? []
      : [`  and ${String(subject.values_left_out)} more values`]),
    ...(subject.tables ?? []).map(({ name, accesses }) => `  ${name}: ${accesses.join(", ")}`),
    ...(subject.migration === undefined
      ? []
      : [`  migration ${subject.migration.migration_id}, digest ${subject.migration.digest}`]),
    ...(approval.preview === undefined ? [] : ["", ...previewLines(approval.preview)]),
    "",
    ...rules.map(({ policy_id, role, approvers_min, missing, reason }) => {
      const why = reason === undefined ? "" : `: ${reason}`;
      const open = missing === 0 ? "met" : `${String(missing)} missing`;
      return `${String(approvers_min)} of the role ${role} (${open})  policy ${policy_id}${why}`;
    }),
    ...decisions.map(({ approver, decision, reason, decided_at }) => {
      const why = reason === undefined ? "" : `: ${reason}`;
      return `${decided_at}  ${partyName(approver)}  ${decision}${why}`;
    }),
    ...(approval.status === "pending"
      ? ["", `steward approvals approve ${id} --digest ${digest}`]
      : []),
  ];
}

/** What the write would change, or why that is not shown. */
function previewLines(preview: ApprovalPreview): readonly string[] {
  const { rows_changed, changes = [], is_cut, notes = [], unavailable } = preview;
  const rows = (count: number): string => `${String(count)} ${count === 1 ? "row" : "rows"}`;
  return [
    ...(rows_changed === undefined ? [] : [`would change ${rows(rows_changed)} now`]),
    ...changes.flatMap(({ table, before, after }) => [
      `  ${table}`,
      ...(before === undefined ? [] : [`    - ${JSON.stringify(before)}`]),
      ...(after === undefined ? [] : [`    + ${JSON.stringify(after)}`]),
    ]),
    ...(is_cut === true ? ["  and more that are not shown"] : []),
    ...notes,
    ...(preview.estimated_rows === undefined
      ? []
      : [`the database's planner expects ${rows(preview.estimated_rows)}`]),
    ...(unavailable === undefined ? [] : [`no preview: ${unavailable}`]),
  ];
}

function partyName({ user_id, agent_id, key_id }: ApprovalParty): string {
  if (agent_id !== undefined) {
    return user_id === undefined ? `agent ${agent_id}` : `agent ${agent_id} for ${user_id}`;
  }
  return user_id ?? (key_id === undefined ? "an unnamed caller" : `key ${key_id}`);
}
