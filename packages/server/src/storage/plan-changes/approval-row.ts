import type { Approval, ApprovalSubject } from "../../approvals/index.js";
import type { StoredApproval } from "../../approvals/ports.js";
import type { PlanUnit } from "../../plans/engine/index.js";
import type { ErasureScope } from "../../retention/index.js";
import { inJson } from "./erased-user.js";

/** A change of a row of `approvals`, the index of approvals. */
export interface ApprovalWrite {
  readonly approvalId: string;
  readonly planId: string;
  readonly stepId: string;
  readonly sessionId: string;
  readonly status: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** JSON of the approval. */
  readonly approval: string;
  /** JSON of what it is for; absent: the row exists. */
  readonly subject: string | undefined;
}

/** A row of `approvals`. */
export interface ApprovalRow {
  readonly org_id: string;
  readonly plan_id: string;
  readonly step_id: string;
  readonly session_id: string;
  readonly approval: string;
  readonly subject: string;
  readonly revoked_at_ms: number | bigint | null;
  readonly revoked_by: string | null;
}

/** The columns of {@link ApprovalRow}. */
export const APPROVAL_COLUMNS =
  "org_id, plan_id, step_id, session_id, approval, subject, revoked_at_ms, revoked_by";

/** Approvals of one operation that are read together: more than one only after a race or a change of rules. */
export const OF_OPERATION_MAX = 20;

/** The changes of the index that a unit makes, in order. */
export function approvalWritesOf({ ref, sessionId, entries }: PlanUnit): readonly ApprovalWrite[] {
  return entries.flatMap(({ approvals }) =>
    approvals.map(({ stepId, approval, subject }) => ({
      approvalId: approval.approvalId,
      planId: ref.planId,
      ...{ stepId, sessionId },
      status: approval.status,
      requestedAtMs: approval.requestedAtMs,
      expiresAtMs: approval.expiresAtMs,
      approval: JSON.stringify(approval),
      subject: subject && JSON.stringify(subject),
    })),
  );
}

/** The `as` casts are safe because only this program writes the columns. */
export function storedApprovalOf(row: ApprovalRow): StoredApproval {
  return {
    ...(JSON.parse(row.approval) as Approval),
    orgId: row.org_id,
    planId: row.plan_id,
    stepId: row.step_id,
    sessionId: row.session_id,
    subject: JSON.parse(row.subject) as ApprovalSubject,
    ...(row.revoked_at_ms === null
      ? {}
      : { revoked: { by: row.revoked_by ?? "", atMs: Number(row.revoked_at_ms) } }),
  };
}

/** The approval as the column of the same name has it, without what has columns of its own. */
export function approvalJson(stored: StoredApproval): string {
  const { orgId: _org, planId: _plan, stepId: _step, sessionId: _session, ...rest } = stored;
  const { subject: _subject, revoked: _revoked, ...approval } = rest;
  return JSON.stringify(approval);
}

/**
 * How the approvals of operations tell of what is erased: a session by a column, and a user in the columns
 * `approval` and `subject`, whose statement is JSON in JSON.
 */
export function writtenInApprovals(scope: ErasureScope, subject: string): readonly string[] {
  if (scope === "organization") return [];
  if (scope === "session") return [subject];
  return [inJson(subject), inJson(inJson(subject))];
}
