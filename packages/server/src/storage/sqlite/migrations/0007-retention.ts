/**
 * Retention periods and legal holds, and what deleting plans needs. Times are milliseconds since the
 * epoch, UTC.
 *
 * `plan_forks` names the plans whose results a fork refers to. `plan_removals` names the deleted
 * plans whose logs are not yet deleted, because a log may be too large for one transaction.
 * `usage_detail_starts` says from when on an organization's usage rows are complete.
 */
export const createRetentionTables: string = `
CREATE TABLE retention_versions (
  org_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  periods TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, version)
) STRICT, WITHOUT ROWID;

INSERT INTO retention_versions (org_id, version, periods, changed_by, changed_at_ms)
SELECT org_id, 1, json_object('memory', max(1, age_max_ms / 86400000)), '', 0 FROM memory_retention;

DROP TABLE memory_retention;

CREATE TABLE legal_holds (
  org_id TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  session_id TEXT,
  reason TEXT NOT NULL,
  placed_by TEXT NOT NULL,
  placed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, hold_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_forks (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  fork_id TEXT NOT NULL,
  PRIMARY KEY (org_id, plan_id, fork_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX plan_forks_by_fork ON plan_forks (org_id, fork_id);

INSERT INTO plan_forks (org_id, plan_id, fork_id)
SELECT DISTINCT c.org_id, s.value -> 8 -> 'result' ->> 'planId', c.plan_id
FROM plan_changes AS c, json_each(c.steps) AS s
WHERE c.sequence = 1 AND c.steps IS NOT NULL AND s.value -> 8 -> 'result' IS NOT NULL;

CREATE TABLE plan_removals (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_plan ON idempotency_keys (org_id, plan_id);

CREATE TABLE usage_detail_starts (
  org_id TEXT NOT NULL PRIMARY KEY,
  from_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deleting an entry also removes its words from the full-text index, at once.
INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1);
`;
