/**
 * Plans, their log, leases and the nodes that work on them. Every key starts with the organization,
 * so that the tables can be distributed by it; rows of nodes have the nil organization. Times are
 * milliseconds since the epoch, UTC. Each element is one statement.
 *
 * `plan_changes` is both a plan's log and its outbox: one row for each committed transition, with
 * its events, the steps that it changed, and the context update of an ended attempt. Its key also
 * prevents conflicting decisions: when two nodes decide on the same state, the second one violates
 * the unique key.
 */
export const createPlanTables: readonly string[] = [
  `CREATE FUNCTION steward_now_ms() RETURNS bigint LANGUAGE sql STABLE AS
     $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint $$`,

  `CREATE TABLE nodes (
     org_id uuid NOT NULL,
     node_id uuid NOT NULL,
     lease_until_ms bigint NOT NULL,
     PRIMARY KEY (org_id, node_id)
   )`,

  // Changing columns are adjacent, because an update then logs only them.
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
     PRIMARY KEY (org_id, plan_id)
   ) WITH (fillfactor = 60)`,
  `CREATE INDEX plans_by_session ON plans (org_id, session_id, plan_id)`,
  // The index does not contain the status; otherwise starting a plan would update the index.
  `CREATE INDEX plans_active ON plans (deadline_ms) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX plans_ended_early ON plans (org_id, plan_id)
     WHERE cancel_reason IS NOT NULL OR failure IS NOT NULL`,
  // Plans with unconsumed tool calls, and plans that may still record calls.
  `CREATE INDEX plans_unsettled ON plans (org_id, plan_id) WHERE NOT is_settled`,
  `CREATE INDEX plans_requested ON plans (owner_node) WHERE is_requested`,

  `CREATE TABLE plan_definitions (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     name text NOT NULL,
     description text NOT NULL,
     steps text NOT NULL,
     PRIMARY KEY (org_id, plan_id)
   )`,

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
     PRIMARY KEY (org_id, plan_id, sequence)
   )`,

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

  `CREATE TABLE idempotency_keys (
     org_id uuid NOT NULL,
     idempotency_key text NOT NULL,
     request_hash text NOT NULL,
     plan_id uuid NOT NULL,
     created_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, idempotency_key)
   )`,

  `CREATE FUNCTION steward_create_plan(
     p_org uuid, p_plan uuid, p_session text, p_created bigint, p_deadline bigint, p_owner uuid,
     p_name text, p_description text, p_steps text, p_events text, p_key text, p_hash text
   ) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     IF p_key IS NOT NULL THEN
       INSERT INTO idempotency_keys (org_id, idempotency_key, request_hash, plan_id, created_at_ms)
         VALUES (p_org, p_key, p_hash, p_plan, p_created)
         ON CONFLICT DO NOTHING;
       IF NOT FOUND THEN
         RETURN false;
       END IF;
     END IF;
     INSERT INTO plans (org_id, plan_id, session_id, created_at_ms, deadline_ms, status, owner_node)
       VALUES (p_org, p_plan, p_session, p_created, p_deadline, 'pending', p_owner);
     INSERT INTO plan_definitions (org_id, plan_id, name, description, steps)
       VALUES (p_org, p_plan, p_name, p_description, p_steps);
     INSERT INTO plan_changes (org_id, plan_id, sequence, events)
       VALUES (p_org, p_plan, 1, p_events);
     RETURN true;
   END $$`,

  // Appends changes of many plans of one organization, all or none; a taken sequence raises a
  // unique violation. ON CONFLICT DO NOTHING is not used, because it writes each row twice to the
  // write-ahead log and races are rare. The rows are inserted one by one, because on a Citus
  // cluster INSERT … SELECT from arrays runs as a COPY, which takes ten times as long and reports a
  // taken sequence as XX000.
  `CREATE FUNCTION steward_append(
     p_org uuid,
     c_plan uuid[], c_sequence integer[], c_result_step integer[], c_events text[], c_steps text[],
     c_call text[], c_output text[], c_additions text[], c_hints text[],
     c_metadata text[],
     u_plan uuid[], u_status text[], u_started bigint[], u_finished bigint[], u_deadline bigint[],
     u_cancel text[], u_failure text[], u_owner uuid[],
     l_plan uuid[], l_step integer[], l_attempt integer[], l_owner text[], l_node uuid,
     l_for_ms bigint, e_plan uuid[], e_step integer[]
   ) RETURNS void LANGUAGE plpgsql AS $$
   DECLARE
     c record;
     l record;
     l_until_ms bigint := steward_now_ms() + l_for_ms;
   BEGIN
     FOR c IN SELECT * FROM unnest(c_plan, c_sequence, c_result_step, c_events, c_steps, c_call,
         c_output, c_additions, c_hints, c_metadata)
       AS u (plan, seq, result_step, events, steps, call, output, additions, hints, metadata)
     LOOP
       INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call, output,
           schema_additions, augmentation_hints, output_metadata)
         VALUES (p_org, c.plan, c.seq, c.result_step, c.events, c.steps, c.call, c.output,
           c.additions, c.hints, c.metadata);
     END LOOP;
     IF cardinality(u_plan) > 0 THEN
       UPDATE plans SET status = u.status, started_at_ms = u.started, finished_at_ms = u.finished,
           deadline_ms = u.deadline, cancel_reason = u.cancel, failure = u.failure,
           owner_node = coalesce(u.owner, plans.owner_node),
           is_settled = plans.is_settled AND u.finished IS NOT NULL
         FROM unnest(u_plan, u_status, u_started, u_finished, u_deadline, u_cancel, u_failure,
             u_owner)
           AS u (plan, status, started, finished, deadline, cancel, failure, owner)
         WHERE plans.org_id = p_org AND plans.plan_id = u.plan;
     END IF;
     IF cardinality(e_plan) > 0 THEN
       DELETE FROM step_leases USING unnest(e_plan, e_step) AS e (plan, step)
         WHERE org_id = p_org AND plan_id = e.plan AND step_index = e.step;
     END IF;
     FOR l IN SELECT * FROM unnest(l_plan, l_step, l_attempt, l_owner)
       AS u (plan, step, attempt, owner)
     LOOP
       INSERT INTO step_leases (org_id, plan_id, step_index, attempt, owner, node_id,
           lease_until_ms)
         VALUES (p_org, l.plan, l.step, l.attempt, l.owner, l_node, l_until_ms)
         ON CONFLICT (org_id, plan_id, step_index) DO UPDATE SET attempt = excluded.attempt,
           owner = excluded.owner, node_id = excluded.node_id, lease_until_ms = excluded.lease_until_ms;
     END LOOP;
   END $$`,
];
