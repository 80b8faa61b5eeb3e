/**
 * Requests to erase, and their receipts: once an erasure has ended, its subject is empty. Times are
 * milliseconds since the epoch, UTC.
 */
export const createErasureTables: string = `
CREATE TABLE erasures (
  org_id TEXT NOT NULL,
  erasure_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  subject TEXT NOT NULL,
  subject_digest TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  finished_at_ms INTEGER,
  plan_count INTEGER NOT NULL DEFAULT 0,
  entry_count INTEGER NOT NULL DEFAULT 0,
  usage_count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, erasure_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_unfinished ON erasures (erasure_id) WHERE finished_at_ms IS NULL;
`;
