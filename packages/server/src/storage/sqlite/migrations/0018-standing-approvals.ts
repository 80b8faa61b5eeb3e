/** Who ended a standing approval, and the index by which statements find the one that stands for them. */
export const addStandingApprovals: string = `
ALTER TABLE approvals ADD COLUMN revoked_at_ms INTEGER;
ALTER TABLE approvals ADD COLUMN revoked_by TEXT;
CREATE INDEX approvals_standing ON approvals (org_id, approval ->> 'shapeDigest')
  WHERE approval ->> 'standingUntilMs' IS NOT NULL;
`;
