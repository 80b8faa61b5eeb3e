/**
 * Retention periods, legal holds and erasures. Times are milliseconds since the epoch, UTC. Each element is one statement.
 */
export const retentionTables: readonly string[] = [
  // Each version of an organization's periods as a whole; the highest version is in force.
  `CREATE TABLE retention_versions (
     org_id uuid NOT NULL,
     version bigint NOT NULL,
     periods text NOT NULL,
     changed_by text NOT NULL,
     changed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, version)
   )`,

  // One row for each organization, as a lock: one node deletes at a time, and a new hold waits for the deletion
  // in progress.
  `CREATE TABLE retention_locks (
     org_id uuid NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  // Sessions, or whole organizations, of which nothing is deleted.
  `CREATE TABLE legal_holds (
     org_id uuid NOT NULL,
     hold_id uuid NOT NULL,
     session_id text,
     reason text NOT NULL,
     placed_by text NOT NULL,
     placed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, hold_id)
   )`,

  // Requests to erase, and their receipts: once an erasure has ended, its subject is empty.
  `CREATE TABLE erasures (
     org_id uuid NOT NULL,
     erasure_id uuid NOT NULL,
     scope text NOT NULL,
     subject text NOT NULL,
     subject_digest text NOT NULL,
     requested_by text NOT NULL,
     requested_at_ms bigint NOT NULL,
     finished_at_ms bigint,
     plan_count bigint NOT NULL DEFAULT 0,
     entry_count bigint NOT NULL DEFAULT 0,
     usage_count bigint NOT NULL DEFAULT 0,
     PRIMARY KEY (org_id, erasure_id)
   )`,
  `CREATE INDEX erasures_unfinished ON erasures (erasure_id) WHERE finished_at_ms IS NULL`,
];
