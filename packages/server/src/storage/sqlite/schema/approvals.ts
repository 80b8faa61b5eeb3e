/**
 * The index of approvals (Decision §16). Times are milliseconds since the epoch, UTC.
 */
export const approvalTables: string = `
-- The truth about an approval is its plan's log; a row is written in the transaction of the log's entry. Who
-- ended a standing approval stands in revoked_by.
CREATE TABLE approvals (
  org_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  status TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  approval TEXT NOT NULL,
  subject TEXT NOT NULL,
  revoked_at_ms INTEGER,
  revoked_by TEXT,
  PRIMARY KEY (org_id, approval_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_status ON approvals (org_id, status, approval_id);
CREATE INDEX approvals_by_plan ON approvals (org_id, plan_id, approval_id);
CREATE INDEX approvals_by_expiry ON approvals (expires_at_ms)
  WHERE status IN ('pending', 'approved');
-- Statements find the standing approval of their shape.
CREATE INDEX approvals_standing ON approvals (org_id, approval ->> 'shapeDigest')
  WHERE approval ->> 'standingUntilMs' IS NOT NULL;
`;
