/**
 * The newest checkpoint of the audit log that each witness has cosigned, with the cosignature. The
 * witness is its verifier key. The log is one for all organizations, under the nil UUID.
 */
export const createAuditCosignatures: string = `
CREATE TABLE audit_cosignatures (
  org_id TEXT NOT NULL,
  witness TEXT NOT NULL,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (org_id, witness)
) STRICT, WITHOUT ROWID;
`;
