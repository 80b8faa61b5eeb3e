/**
 * Retention periods and legal holds, and what deleting plans needs. Times are milliseconds since the
 * epoch, UTC. Each element is one statement.
 *
 * `plan_forks` names the plans whose results a fork refers to. `plan_removals` names the deleted
 * plans whose logs are not yet deleted, because a log may be too large for one transaction.
 * `usage_detail_starts` says from when on an organization's usage rows are complete.
 * `retention_locks` has one row for each organization, as a lock: one node deletes at a time, and a
 * new hold waits for the deletion in progress.
 */
export const createRetentionTables: readonly string[] = [
  `CREATE TABLE retention_versions (
     org_id uuid NOT NULL,
     version bigint NOT NULL,
     periods text NOT NULL,
     changed_by text NOT NULL,
     changed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, version)
   )`,
  `INSERT INTO retention_versions (org_id, version, periods, changed_by, changed_at_ms)
     SELECT org_id, 1, '{"memory":' || greatest(1, age_max_ms / 86400000)::text || '}', '', 0
     FROM memory_retention`,
  `DROP TABLE memory_retention`,

  `CREATE TABLE retention_locks (
     org_id uuid NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  `CREATE TABLE legal_holds (
     org_id uuid NOT NULL,
     hold_id uuid NOT NULL,
     session_id text,
     reason text NOT NULL,
     placed_by text NOT NULL,
     placed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, hold_id)
   )`,

  `CREATE TABLE plan_forks (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     fork_id uuid NOT NULL,
     PRIMARY KEY (org_id, plan_id, fork_id)
   )`,
  `CREATE INDEX plan_forks_by_fork ON plan_forks (org_id, fork_id)`,
  `INSERT INTO plan_forks (org_id, plan_id, fork_id)
     SELECT DISTINCT c.org_id, (s.step -> 8 -> 'result' ->> 'planId')::uuid, c.plan_id
     FROM plan_changes AS c CROSS JOIN LATERAL json_array_elements(c.steps::json) AS s (step)
     WHERE c.sequence = 1 AND c.steps IS NOT NULL AND s.step -> 8 -> 'result' IS NOT NULL`,

  `CREATE TABLE plan_removals (
     org_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     PRIMARY KEY (org_id, plan_id)
   )`,
  `CREATE INDEX idempotency_keys_by_plan ON idempotency_keys (org_id, plan_id)`,

  `CREATE TABLE usage_detail_starts (
     org_id uuid NOT NULL,
     from_ms bigint NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  // New in this version: a change of a plan that was deleted meanwhile is refused like a change that
  // lost a race.
  `CREATE OR REPLACE FUNCTION steward_append(
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
     u_count integer;
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
       GET DIAGNOSTICS u_count = ROW_COUNT;
       IF u_count < cardinality(u_plan) THEN
         RAISE unique_violation USING MESSAGE = 'a plan was deleted meanwhile';
       END IF;
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
