/**
 * Plans and their log. Every key starts with the organization, so that the tables can be distributed by it.
 * Times are milliseconds since the epoch, UTC. Each element is one statement.
 */
export const planTables: readonly string[] = [
  // A plan's status, times and owner, and how far its log was read by usage, memory and audit. Changing columns
  // are adjacent, because an update then logs only them.
  `CREATE TABLE plans (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     session_id text NOT NULL,
     created_at_ms bigint NOT NULL,
     deadline_ms bigint NOT NULL,
     status text NOT NULL,
     started_at_ms bigint,
     finished_at_ms bigint,
     cancel_reason text,
     failure text,
     owner_node uuid,
     is_requested boolean NOT NULL DEFAULT false,
     usage_through integer NOT NULL DEFAULT 0,
     memory_through integer NOT NULL DEFAULT 0,
     is_settled boolean NOT NULL DEFAULT false,
     audit_through integer NOT NULL DEFAULT 0,
     PRIMARY KEY (org_id, plan_id)
   ) WITH (fillfactor = 60)`,
  `CREATE INDEX plans_by_session ON plans (org_id, session_id, plan_id)`,
  // The two indexes of unfinished plans do not contain the status; otherwise starting a plan would update them.
  `CREATE INDEX plans_active ON plans (deadline_ms) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX plans_unfinished ON plans (org_id, plan_id) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX plans_ended_early ON plans (org_id, plan_id)
     WHERE cancel_reason IS NOT NULL OR failure IS NOT NULL`,
  // Plans with unconsumed tool calls, and plans that may still record calls.
  `CREATE INDEX plans_unsettled ON plans (org_id, plan_id) WHERE NOT is_settled`,
  `CREATE INDEX plans_requested ON plans (owner_node) WHERE is_requested`,

  // What was submitted: the steps, the effect of a failed step on the plan (on_failure), and whether the plan
  // stays open for further steps (keep_open).
  `CREATE TABLE plan_definitions (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     name text NOT NULL,
     description text NOT NULL,
     steps text NOT NULL,
     on_failure text,
     keep_open boolean NOT NULL DEFAULT false,
     PRIMARY KEY (org_id, plan_id)
   )`,

  // A plan's log and its outbox: one row for each committed transition, with its events, the steps that it
  // changed, the context update of an ended attempt, and who asked for the events (origins). A change that
  // appended or revised a step contains the step's newest definition. The key also prevents conflicting
  // decisions: when two nodes decide on the same state, the second one violates it.
  `CREATE TABLE plan_changes (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     sequence integer NOT NULL,
     result_step integer,
     events text NOT NULL,
     steps text,
     call text,
     output text,
     schema_additions text,
     augmentation_hints text,
     output_metadata text,
     origins text,
     PRIMARY KEY (org_id, plan_id, sequence)
   )`,
  // A caller's own plans: who submitted a plan stands in its first change.
  `CREATE INDEX plan_changes_submitter ON plan_changes (
     org_id, coalesce(origins::json -> 0 -> 1 ->> 4, ''), coalesce(origins::json -> 0 -> 1 ->> 5, ''), plan_id)
     WHERE sequence = 1`,

  // Steps that run, each with the attempt, its owner and the node.
  `CREATE TABLE step_leases (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     step_index integer NOT NULL,
     attempt integer NOT NULL,
     owner text NOT NULL,
     node_id uuid NOT NULL,
     lease_until_ms bigint NOT NULL,
     PRIMARY KEY (org_id, plan_id, step_index)
   )`,
  `CREATE INDEX step_leases_by_end ON step_leases (lease_until_ms)`,

  // The plan that a submission with this key has made, so that a repetition makes no second one.
  `CREATE TABLE idempotency_keys (
     org_id uuid NOT NULL,
     idempotency_key text NOT NULL,
     request_hash text NOT NULL,
     plan_id uuid NOT NULL,
     created_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, idempotency_key)
   )`,
  `CREATE INDEX idempotency_keys_by_plan ON idempotency_keys (org_id, plan_id)`,

  // The plans whose results a fork refers to.
  `CREATE TABLE plan_forks (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     fork_id uuid NOT NULL,
     PRIMARY KEY (org_id, plan_id, fork_id)
   )`,
  `CREATE INDEX plan_forks_by_fork ON plan_forks (org_id, fork_id)`,

  // Deleted plans whose logs are not yet deleted, because a log may be too large for one transaction.
  `CREATE TABLE plan_removals (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     PRIMARY KEY (org_id, plan_id)
   )`,
];
