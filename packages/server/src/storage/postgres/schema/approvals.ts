/**
 * The index of approvals (Decision §16). Times are milliseconds since the epoch, UTC. Each element is one statement.
 */
export const approvalTables: readonly string[] = [
  // The truth about an approval is its plan's log; a row is written in the transaction of the log's entry. Who
  // ended a standing approval stands in revoked_by.
  `CREATE TABLE approvals (
     org_id uuid NOT NULL,
     approval_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     step_id text NOT NULL,
     session_id text NOT NULL,
     status text NOT NULL,
     requested_at_ms bigint NOT NULL,
     expires_at_ms bigint NOT NULL,
     approval text NOT NULL,
     subject text NOT NULL,
     revoked_at_ms bigint,
     revoked_by text,
     PRIMARY KEY (org_id, approval_id)
   )`,
  `CREATE INDEX approvals_by_status ON approvals (org_id, status, approval_id)`,
  `CREATE INDEX approvals_by_plan ON approvals (org_id, plan_id, approval_id)`,
  `CREATE INDEX approvals_by_expiry ON approvals (expires_at_ms)
     WHERE status IN ('pending', 'approved')`,
  // Statements find the standing approval of their shape.
  `CREATE INDEX approvals_standing ON approvals (org_id, ((approval::json ->> 'shapeDigest')))
     WHERE approval::json ->> 'standingUntilMs' IS NOT NULL`,
];
