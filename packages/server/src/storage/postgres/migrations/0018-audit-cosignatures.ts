/**
 * The newest checkpoint of the audit log that each witness has cosigned, with the cosignature. The
 * witness is its verifier key. The log is one for all organizations, under the nil UUID. Each element
 * is one statement.
 */
export const createAuditCosignatures: readonly string[] = [
  `CREATE TABLE audit_cosignatures (
     org_id uuid NOT NULL,
     witness text COLLATE "C" NOT NULL,
     size bigint NOT NULL,
     note text NOT NULL,
     PRIMARY KEY (org_id, witness)
   )`,
];
