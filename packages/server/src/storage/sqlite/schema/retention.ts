/**
 * Retention periods, legal holds and erasures. Times are milliseconds since the epoch, UTC.
 */
export const retentionTables: string = `
-- Each version of an organization's periods as a whole; the highest version is in force.
CREATE TABLE retention_versions (
  org_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  periods TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, version)
) STRICT, WITHOUT ROWID;

-- Sessions, or whole organizations, of which nothing is deleted.
CREATE TABLE legal_holds (
  org_id TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  session_id TEXT,
  reason TEXT NOT NULL,
  placed_by TEXT NOT NULL,
  placed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, hold_id)
) STRICT, WITHOUT ROWID;

-- Requests to erase, and their receipts: once an erasure has ended, its subject is empty.
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
