/** Policies of organizations, each version whole; the highest is in force. Times are milliseconds since the epoch, UTC. */
export const createPolicies: string = `
CREATE TABLE policies (
  org_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, version)
) STRICT, WITHOUT ROWID;
`;
