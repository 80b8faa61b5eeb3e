/**
 * Requests to erase, and their receipts: once an erasure has ended, its subject is empty. Times are
 * milliseconds since the epoch, UTC. Each element is one statement.
 */
export const createErasureTables: readonly string[] = [
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
