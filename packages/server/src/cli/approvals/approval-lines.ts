import type { Approval, ApprovalParty, ApprovalPreview, ApprovedPlanStep } from "@steward/client";

/** A row of a listing. */
export function approvalRow(approval: Approval): readonly string[] {
  const { approval_id, status, expires_at, requester, subject } = approval;
  return [approval_id, status, expires_at, partyName(requester), whatRuns(subject)];
}

function whatRuns({
  intent,
  tool_name,
  data_source,
  plan_steps: steps,
}: Approval["subject"]): string {
  if (steps !== undefined) return wholePlan(steps);
  // An operation of the service itself, such as createApiKey, has no data source.
  return data_source === "" ? `${tool_name} (${intent})` : `${intent} on ${data_source}`;
}

function wholePlan(steps: readonly ApprovedPlanStep[]): string {
  const covered = steps.filter(({ approval }) => approval === "covered");
  return `the whole plan: ${String(covered.length)} of ${String(steps.length)} steps`;
}

/** The steps of a plan that is approved as a whole. */
function planStepLines(step: ApprovedPlanStep): readonly string[] {
  const { step_id, intent, data_source, statement, approval, note } = step;
  const { values = [], values_from = [], tables = [], estimated_rows: rows } = step;
  return [
    `${step_id}  ${intent} on ${data_source}  ${approval}${note === undefined ? "" : `: ${note}`}`,
    `  ${statement}`,
    ...values.map(({ text }, index) => `    ${String(index + 1)}: ${text ?? "NULL"}`),
    ...values_from.map((from, index) => `    ${String(index + 1)}: from ${from}`),
    ...tables.map(({ name, accesses }) => `    ${name}: ${accesses.join(", ")}`),
    ...(rows === undefined ? [] : [`    the database's planner expects ${String(rows)} rows`]),
  ];
}

/** The statement of one step, with its values and tables. */
function subjectLines(subject: Approval["subject"]): readonly string[] {
  return [
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
  ];
}

/** An approval as text: what runs, who has to decide, and who has. */
export function approvalLines(approval: Approval): readonly string[] {
  const { subject, rules, decisions, digest, approval_id: id, granted_by: grantedBy } = approval;
  const steps = subject.plan_steps;
  return [
    `${approval.status}  ${whatRuns(subject)}, asked for by ${partyName(approval.requester)}`,
    `${approval.plan_id === "" ? "" : `plan ${approval.plan_id}, step ${approval.step_id}, `}until ${approval.expires_at}`,
    ...(grantedBy === undefined ? [] : [`granted by approval ${grantedBy}`]),
    ...standingLines(approval),
    "",
    ...(steps === undefined ? subjectLines(subject) : steps.flatMap(planStepLines)),
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
      ? ["", `steward approvals approve ${id} --digest ${digest}${rowsShown(approval)}`]
      : []),
  ];
}

/** The option that approves no more rows than were shown. */
function rowsShown({ preview }: Approval): string {
  return preview?.rows_changed === undefined ? "" : ` --rows ${String(preview.rows_changed)}`;
}

/** Whether it stands, or may stand, for later statements. */
function standingLines(approval: Approval): readonly string[] {
  const { standing_until: until, revoked_at: revokedAt, revoked_by: by = "" } = approval;
  const { status, standing_seconds_max: max } = approval;
  if (revokedAt !== undefined)
    return [`stood for later statements, revoked by ${by} at ${revokedAt}`];
  if (until !== undefined) return [`stands for later statements until ${until}`];
  if (max === undefined || status !== "pending") return [];
  const hours = `${String(Math.floor(max / 60))}m`;
  return [
    `may stand for later statements of its shape: approve it with --standing, at most ${hours}`,
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
