/**
 * Plans, their log, the leases of running steps. Every key leads with the organization. Times are
 * milliseconds since the epoch, UTC. The tables are those of PostgreSQL, but for what only several nodes need.
 *
 * `plan_changes` is a plan's log and its outbox at once: one row for each transition that was committed,
 * with its events, the steps that it changed, and what the attempt that ended left. Rows stand in the order
 * of their commits, `change`, so that a commit writes few pages whatever plans it is of, and so that whoever
 * consumes the tool calls remembers one number.
 */
export const createPlanTables: string = `
CREATE TABLE plans (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  deadline_ms INTEGER NOT NULL,
  status TEXT NOT NULL,
  started_at_ms INTEGER,
  finished_at_ms INTEGER,
  cancel_reason TEXT,
  failure TEXT,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX plans_by_session ON plans (org_id, session_id, plan_id);
CREATE INDEX plans_by_status ON plans (org_id, status, plan_id);
CREATE INDEX plans_active ON plans (deadline_ms) WHERE finished_at_ms IS NULL;

CREATE TABLE plan_definitions (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  steps TEXT NOT NULL,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_changes (
  change INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  result_step INTEGER,
  events TEXT NOT NULL,
  steps TEXT,
  call TEXT,
  output TEXT,
  schema_additions TEXT,
  augmentation_hints TEXT,
  output_metadata TEXT
) STRICT;

CREATE UNIQUE INDEX plan_changes_by_plan ON plan_changes (org_id, plan_id, sequence);

CREATE TABLE step_leases (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  step_index INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  owner TEXT NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, plan_id, step_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  org_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_call_cursors (
  consumer TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
