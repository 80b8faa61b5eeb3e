/**
 * Plans, their log, leases and the nodes that work on them. Every key leads with the organization, so
 * that the tables can be distributed by it; those of nodes carry the nil organization. Times are
 * milliseconds since the epoch, UTC. One statement to an entry.
 *
 * `plan_changes` is a plan's log and its outbox at once: one row for each transition that was
 * committed, with its events, the steps that it changed, and what the attempt that ended left. Its key
 * is also the guard: of two nodes that decided on the same state, one finds its sequence taken.
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

  // Columns that change stand together: an update then logs only them.
  `CREATE TABLE plans (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     session_id text NOT NULL,
     created_at_ms bigint NOT NULL,
     deadline_ms bigint NOT NULL,
     status text NOT NULL,
     started_at_ms bigint,
     finished_at_ms bigint,
     ending text,
     holder uuid,
     is_wanted boolean NOT NULL DEFAULT false,
     usage_through integer NOT NULL DEFAULT 0,
     memory_through integer NOT NULL DEFAULT 0,
     is_settled boolean NOT NULL DEFAULT false,
     PRIMARY KEY (org_id, plan_id)
   ) WITH (fillfactor = 60)`,
  `CREATE INDEX plans_by_session ON plans (org_id, session_id, plan_id)`,
  // Not on the status: a plan that starts would have to be indexed anew.
  `CREATE INDEX plans_active ON plans (deadline_ms) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX plans_ended_early ON plans (org_id, plan_id) WHERE ending IS NOT NULL`,
  // Those whose tool calls are not all consumed, and those that may have more.
  `CREATE INDEX plans_unsettled ON plans (org_id, plan_id) WHERE NOT is_settled`,
  `CREATE INDEX plans_wanted ON plans (holder) WHERE is_wanted`,

  `CREATE TABLE plan_definitions (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     summary text NOT NULL,
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
     p_org uuid, p_plan uuid, p_session text, p_created bigint, p_deadline bigint, p_holder uuid,
     p_summary text, p_steps text, p_events text, p_key text, p_hash text
   ) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     IF p_key IS NOT NULL THEN
       INSERT INTO idempotency_keys VALUES (p_org, p_key, p_hash, p_plan, p_created)
         ON CONFLICT DO NOTHING;
       IF NOT FOUND THEN
         RETURN false;
       END IF;
     END IF;
     INSERT INTO plans (org_id, plan_id, session_id, created_at_ms, deadline_ms, status, holder)
       VALUES (p_org, p_plan, p_session, p_created, p_deadline, 'pending', p_holder);
     INSERT INTO plan_definitions VALUES (p_org, p_plan, p_summary, p_steps);
     INSERT INTO plan_changes (org_id, plan_id, sequence, events)
       VALUES (p_org, p_plan, 1, p_events);
     RETURN true;
   END $$`,

  // Changes of many plans of one organization: those of a plan take effect together, or, when its
  // first sequence is taken, not at all. Returns the plans whose changes took effect.
  `CREATE FUNCTION steward_append(
     p_org uuid,
     c_plan uuid[], c_sequence integer[], c_first boolean[], c_result_step integer[],
     c_events text[], c_steps text[], c_call text[], c_output text[], c_additions text[],
     c_hints text[],
     u_plan uuid[], u_status text[], u_started bigint[], u_finished bigint[], u_deadline bigint[],
     u_ending text[], u_holder uuid[],
     l_plan uuid[], l_step integer[], l_attempt integer[], l_owner text[], l_node uuid,
     l_for_ms bigint, e_plan uuid[], e_step integer[]
   ) RETURNS uuid[] LANGUAGE plpgsql AS $$
   DECLARE
     applied uuid[];
   BEGIN
     WITH firsts AS (
       INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call,
           output, schema_additions, augmentation_hints)
         SELECT p_org, c.plan, c.seq, c.result_step, c.events, c.steps, c.call, c.output,
             c.additions, c.hints
         FROM unnest(c_plan, c_sequence, c_first, c_result_step, c_events, c_steps, c_call, c_output,
             c_additions, c_hints)
           AS c (plan, seq, is_first, result_step, events, steps, call, output, additions, hints)
         WHERE c.is_first
         ON CONFLICT DO NOTHING
         RETURNING plan_id
     )
     SELECT array_agg(plan_id) INTO applied FROM firsts;
     IF applied IS NULL THEN
       RETURN '{}';
     END IF;
     IF cardinality(c_plan) > cardinality(applied) THEN
       INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call,
           output, schema_additions, augmentation_hints)
         SELECT p_org, c.plan, c.seq, c.result_step, c.events, c.steps, c.call, c.output,
             c.additions, c.hints
         FROM unnest(c_plan, c_sequence, c_first, c_result_step, c_events, c_steps, c_call, c_output,
             c_additions, c_hints)
           AS c (plan, seq, is_first, result_step, events, steps, call, output, additions, hints)
         WHERE NOT c.is_first AND c.plan = ANY (applied);
     END IF;
     IF cardinality(u_plan) > 0 THEN
       UPDATE plans SET status = u.status, started_at_ms = u.started, finished_at_ms = u.finished,
           deadline_ms = u.deadline, ending = u.ending,
           holder = coalesce(u.holder, plans.holder),
           is_settled = plans.is_settled AND u.finished IS NOT NULL
         FROM unnest(u_plan, u_status, u_started, u_finished, u_deadline, u_ending, u_holder)
           AS u (plan, status, started, finished, deadline, ending, holder)
         WHERE plans.org_id = p_org AND plans.plan_id = u.plan AND u.plan = ANY (applied);
     END IF;
     IF cardinality(e_plan) > 0 THEN
       DELETE FROM step_leases USING unnest(e_plan, e_step) AS e (plan, step)
         WHERE org_id = p_org AND plan_id = e.plan AND step_index = e.step
           AND e.plan = ANY (applied);
     END IF;
     IF cardinality(l_plan) > 0 THEN
       INSERT INTO step_leases (org_id, plan_id, step_index, attempt, owner, node_id,
           lease_until_ms)
         SELECT p_org, l.plan, l.step, l.attempt, l.owner, l_node, steward_now_ms() + l_for_ms
         FROM unnest(l_plan, l_step, l_attempt, l_owner) AS l (plan, step, attempt, owner)
         WHERE l.plan = ANY (applied)
         ON CONFLICT (org_id, plan_id, step_index) DO UPDATE SET attempt = excluded.attempt,
           owner = excluded.owner, node_id = excluded.node_id, lease_until_ms = excluded.lease_until_ms;
     END IF;
     RETURN applied;
   END $$`,
];
