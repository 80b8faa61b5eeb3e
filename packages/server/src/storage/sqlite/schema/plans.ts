/**
 * Plans, their log, and who reads the log. Every key starts with the organization. Times are
 * milliseconds since the epoch, UTC. The tables are those of PostgreSQL without the columns that only
 * several nodes need.
 */
export const planTables: string = `
-- A plan's status and times, which change with its log.
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
CREATE INDEX plans_active ON plans (deadline_ms) WHERE finished_at_ms IS NULL;
-- Lists of plans by status. Most plans have completed, and have no entry in either index, so that the steps
-- of a plan write neither.
CREATE INDEX plans_unfinished ON plans (org_id, status, plan_id) WHERE finished_at_ms IS NULL;
CREATE INDEX plans_ended_early ON plans (org_id, plan_id)
  WHERE cancel_reason IS NOT NULL OR failure IS NOT NULL;

-- What was submitted: the steps, the effect of a failed step on the plan (on_failure), and whether the plan
-- stays open for further steps (keep_open).
CREATE TABLE plan_definitions (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  steps TEXT NOT NULL,
  on_failure TEXT,
  keep_open INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

-- A plan's log and its outbox: one row for each committed transition, with its events, the steps that it
-- changed, the context update of an ended attempt, and who asked for the events (origins). A change that
-- appended or revised a step contains the step's newest definition. Rows are ordered by commit (change), so
-- that a commit writes few pages for any number of plans, and a consumer of tool calls stores one number.
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
  output_metadata TEXT,
  origins TEXT
) STRICT;
CREATE UNIQUE INDEX plan_changes_by_plan ON plan_changes (org_id, plan_id, sequence);
-- A caller's own plans: who submitted a plan stands in its first change.
CREATE INDEX plan_changes_submitter ON plan_changes (
  org_id, coalesce(origins ->> '$[0][1][4]', ''), coalesce(origins ->> '$[0][1][5]', ''), plan_id)
  WHERE sequence = 1;

-- Steps that run, each with the attempt and its owner.
CREATE TABLE step_leases (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  step_index INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  owner TEXT NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, plan_id, step_index)
) STRICT, WITHOUT ROWID;

-- The plan that a submission with this key has made, so that a repetition makes no second one.
CREATE TABLE idempotency_keys (
  org_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_plan ON idempotency_keys (org_id, plan_id);

-- The plans whose results a fork refers to.
CREATE TABLE plan_forks (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  fork_id TEXT NOT NULL,
  PRIMARY KEY (org_id, plan_id, fork_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_forks_by_fork ON plan_forks (org_id, fork_id);

-- Deleted plans whose logs are not yet deleted, because a log may be too large for one transaction.
CREATE TABLE plan_removals (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  PRIMARY KEY (org_id, plan_id)
) STRICT, WITHOUT ROWID;

-- The last change that each consumer of tool calls has read.
CREATE TABLE tool_call_cursors (
  consumer TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Tool calls that a consumer has passed over because it could not read them. They are not counted yet, and
-- each is tried again.
CREATE TABLE set_aside_calls (
  consumer TEXT NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (consumer, change)
) STRICT, WITHOUT ROWID;
`;
