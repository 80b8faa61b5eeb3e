/**
 * Plans, their log, the leases of running steps. Every key starts with the organization. Times are
 * milliseconds since the epoch, UTC. The tables are those of PostgreSQL without the columns that
 * only several nodes need.
 *
 * `plan_changes` is both a plan's log and its outbox: one row for each committed transition, with
 * its events, the steps that it changed, and the context update of an ended attempt. Rows are
 * ordered by commit (`change`), so that a commit writes few pages for any number of plans, and a
 * consumer of tool calls stores only one number.
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
