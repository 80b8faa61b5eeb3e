/**
 * How far the audit log was exported to each sink: the index of the next record to send. One process
 * owns the store, so that a sink needs no lease here. The log is one for all organizations, under the
 * nil UUID.
 */
export const createAuditExport: string = `
CREATE TABLE audit_export_positions (
  org_id TEXT NOT NULL,
  sink TEXT NOT NULL,
  next_index INTEGER NOT NULL,
  holder TEXT NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, sink)
) STRICT, WITHOUT ROWID;
`;
