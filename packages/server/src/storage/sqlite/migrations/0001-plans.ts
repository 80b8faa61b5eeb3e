/**
 * Plans, their steps, events and tool calls. Every key leads with the organization. What a plan was
 * submitted as stands apart from what becomes of it, and a step has a row from its first claim on: a
 * step that ends then touches a small row, and few pages.
 * Times are milliseconds since the epoch, UTC. A plan's newest sequence is that of its newest event.
 */
export const createPlanTables: string = `
CREATE TABLE plans (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  started_at_ms INTEGER,
  finished_at_ms INTEGER,
  deadline_ms INTEGER NOT NULL,
  cancel_reason TEXT,
  failure TEXT,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX plans_by_session ON plans (org_id, session_id, plan_id);
CREATE INDEX plans_by_status ON plans (org_id, status, plan_id);
CREATE INDEX plans_active ON plans (deadline_ms) WHERE status IN ('pending', 'running');

CREATE TABLE plan_definitions (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  steps TEXT NOT NULL,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_steps (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  step_index INTEGER NOT NULL,
  step_id TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  owner TEXT,
  lease_until_ms INTEGER,
  wait_reason TEXT,
  row_count INTEGER,
  executed_at_ms INTEGER,
  error TEXT,
  output TEXT,
  schema_additions TEXT,
  augmentation_hints TEXT,
  output_metadata TEXT,
  PRIMARY KEY (org_id, plan_id, step_index)
) STRICT, WITHOUT ROWID;

CREATE INDEX plan_steps_running ON plan_steps (lease_until_ms) WHERE status = 'running';

CREATE TABLE plan_events (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, plan_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  org_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_calls (
  sequence INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tool_name TEXT NOT NULL,
  intent TEXT NOT NULL,
  intent_source TEXT NOT NULL,
  orm_model TEXT,
  status TEXT NOT NULL,
  row_count INTEGER NOT NULL,
  error TEXT,
  query TEXT NOT NULL,
  output TEXT NOT NULL,
  finished_at_ms INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  data_source TEXT NOT NULL,
  caller TEXT,
  touched TEXT
) STRICT;

CREATE TABLE tool_call_cursors (
  consumer TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
