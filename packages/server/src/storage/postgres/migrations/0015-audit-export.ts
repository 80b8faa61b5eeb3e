/**
 * How far the audit log was exported to each sink: the index of the next record to send, and the
 * server that sends. The log is one for all organizations, under the nil UUID. Times are
 * milliseconds since the epoch, UTC, by the database's clock. Each element is one statement.
 */
export const createAuditExport: readonly string[] = [
  `CREATE TABLE audit_export_positions (
     org_id uuid NOT NULL,
     sink text COLLATE "C" NOT NULL,
     next_index bigint NOT NULL,
     holder text NOT NULL,
     lease_until_ms bigint NOT NULL,
     PRIMARY KEY (org_id, sink)
   )`,
];
