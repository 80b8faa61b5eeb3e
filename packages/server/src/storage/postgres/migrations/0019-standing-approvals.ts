/** Who ended a standing approval, and the index by which statements find the one that stands for them. */
export const addStandingApprovals: readonly string[] = [
  `ALTER TABLE approvals ADD COLUMN revoked_at_ms bigint, ADD COLUMN revoked_by text`,
  `CREATE INDEX approvals_standing ON approvals (org_id, ((approval::json ->> 'shapeDigest')))
     WHERE approval::json ->> 'standingUntilMs' IS NOT NULL`,
];
