/** The parameters of `steward_append`: changes, updates of plans, leases, and the steps whose leases end. */
const APPENDED = `p_org uuid,
     c_plan uuid[], c_sequence integer[], c_result_step integer[], c_events text[], c_steps text[],
     c_call text[], c_output text[], c_additions text[], c_hints text[],
     c_metadata text[], c_origins text[],
     u_plan uuid[], u_status text[], u_started bigint[], u_finished bigint[], u_deadline bigint[],
     u_cancel text[], u_failure text[], u_owner uuid[],
     l_plan uuid[], l_step integer[], l_attempt integer[], l_owner text[], l_node uuid,
     l_for_ms bigint, e_plan uuid[], e_step integer[]`;

/**
 * The functions that create plans and append to their logs: one call for each transaction, in which
 * whatever belongs to it is a parameter, because a Citus cluster then runs it where the organization's rows are.
 * Each element is one statement.
 */
export const planFunctions: readonly string[] = [
  // Moves a consumer's positions in the logs of plans, of each plan from where it is, and returns the plans whose
  // position it has moved. A plan that has ended is settled when every consumer has read all of its log. An UPDATE
  // that waits for a plan's row goes on with the new row but with an old snapshot of the log, so of a plan that has
  // ended the row is locked first. The plans are locked in order, so that two consumers cannot deadlock.
  `CREATE FUNCTION steward_acknowledge(
     p_org uuid, p_consumer text, p_plan uuid[], p_from integer[], p_through integer[]
   ) RETURNS uuid[] LANGUAGE plpgsql AS $$
   DECLARE
     r record;
     acknowledged uuid[] := '{}';
   BEGIN
     FOR r IN SELECT * FROM unnest(p_plan, p_from, p_through) AS u (plan, place, through)
       ORDER BY u.plan
     LOOP
       UPDATE plans SET
           usage_through = CASE p_consumer WHEN 'usage' THEN r.through ELSE usage_through END,
           memory_through = CASE p_consumer WHEN 'memory' THEN r.through ELSE memory_through END,
           audit_through = CASE p_consumer WHEN 'audit' THEN r.through ELSE audit_through END
         WHERE org_id = p_org AND plan_id = r.plan AND finished_at_ms IS NULL AND r.place =
           CASE p_consumer WHEN 'usage' THEN usage_through WHEN 'memory' THEN memory_through
             ELSE audit_through END;
       IF NOT FOUND THEN
         PERFORM 1 FROM plans WHERE org_id = p_org AND plan_id = r.plan FOR NO KEY UPDATE;
         UPDATE plans SET
             usage_through = CASE p_consumer WHEN 'usage' THEN r.through ELSE usage_through END,
             memory_through = CASE p_consumer WHEN 'memory' THEN r.through ELSE memory_through END,
             audit_through = CASE p_consumer WHEN 'audit' THEN r.through ELSE audit_through END,
             is_settled = finished_at_ms IS NOT NULL AND (
               SELECT max(sequence) FROM plan_changes WHERE org_id = p_org AND plan_id = r.plan
             ) <= least(
               CASE p_consumer WHEN 'usage' THEN r.through ELSE usage_through END,
               CASE p_consumer WHEN 'memory' THEN r.through ELSE memory_through END,
               CASE p_consumer WHEN 'audit' THEN r.through ELSE audit_through END)
           WHERE org_id = p_org AND plan_id = r.plan AND r.place =
             CASE p_consumer WHEN 'usage' THEN usage_through WHEN 'memory' THEN memory_through
               ELSE audit_through END;
         CONTINUE WHEN NOT FOUND;
       END IF;
       acknowledged := acknowledged || r.plan;
     END LOOP;
     RETURN acknowledged;
   END $$`,

  // Returns false, with nothing changed, when the idempotency key is taken.
  `CREATE FUNCTION steward_create_plan(
     p_org uuid, p_plan uuid, p_session text, p_created bigint, p_deadline bigint, p_owner uuid,
     p_name text, p_description text, p_steps text, p_events text, p_key text, p_hash text,
     p_on_failure text, p_origins text, p_keep_open boolean
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
     INSERT INTO plan_definitions (org_id, plan_id, name, description, steps, on_failure, keep_open)
       VALUES (p_org, p_plan, p_name, p_description, p_steps, p_on_failure, p_keep_open);
     INSERT INTO plan_changes (org_id, plan_id, sequence, events, origins)
       VALUES (p_org, p_plan, 1, p_events, p_origins);
     RETURN true;
   END $$`,

  // Appends changes of many plans of one organization, all or none; a taken sequence raises a
  // unique violation. ON CONFLICT DO NOTHING is not used, because it writes each row twice to the
  // write-ahead log and races are rare. Rows are changed one by one, by their whole keys: on a Citus
  // cluster INSERT … SELECT from arrays runs as a COPY, which takes ten times as long and reports a
  // taken sequence as XX000, and a change that is joined with arrays goes to all shards. The end of a read step
  // changes neither its plan nor a lease, and an empty loop would still run its query.
  `CREATE FUNCTION steward_append(
     ${APPENDED}
   ) RETURNS void LANGUAGE plpgsql AS $$
   DECLARE
     c record;
     u record;
     e record;
     l record;
     l_until_ms bigint;
   BEGIN
     FOR c IN SELECT * FROM unnest(c_plan, c_sequence, c_result_step, c_events, c_steps, c_call,
         c_output, c_additions, c_hints, c_metadata, c_origins)
       AS u (plan, seq, result_step, events, steps, call, output, additions, hints, metadata, origins)
     LOOP
       INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call, output,
           schema_additions, augmentation_hints, output_metadata, origins)
         VALUES (p_org, c.plan, c.seq, c.result_step, c.events, c.steps, c.call, c.output,
           c.additions, c.hints, c.metadata, c.origins);
     END LOOP;
     IF cardinality(u_plan) > 0 THEN
       FOR u IN SELECT * FROM unnest(u_plan, u_status, u_started, u_finished, u_deadline, u_cancel,
           u_failure, u_owner)
         AS t (plan, status, started, finished, deadline, cancel, failure, owner)
       LOOP
         UPDATE plans SET status = u.status, started_at_ms = u.started, finished_at_ms = u.finished,
             deadline_ms = u.deadline, cancel_reason = u.cancel, failure = u.failure,
             owner_node = coalesce(u.owner, plans.owner_node),
             is_settled = plans.is_settled AND u.finished IS NOT NULL
           WHERE org_id = p_org AND plan_id = u.plan;
         IF NOT FOUND THEN
           RAISE unique_violation USING MESSAGE = 'a plan was deleted meanwhile';
         END IF;
       END LOOP;
     END IF;
     IF cardinality(e_plan) > 0 THEN
       FOR e IN SELECT * FROM unnest(e_plan, e_step) AS t (plan, step) LOOP
         DELETE FROM step_leases WHERE org_id = p_org AND plan_id = e.plan AND step_index = e.step;
       END LOOP;
     END IF;
     IF cardinality(l_plan) > 0 THEN
       l_until_ms := steward_now_ms() + l_for_ms;
       FOR l IN SELECT * FROM unnest(l_plan, l_step, l_attempt, l_owner)
         AS u (plan, step, attempt, owner)
       LOOP
         INSERT INTO step_leases (org_id, plan_id, step_index, attempt, owner, node_id,
             lease_until_ms)
           VALUES (p_org, l.plan, l.step, l.attempt, l.owner, l_node, l_until_ms)
           ON CONFLICT (org_id, plan_id, step_index) DO UPDATE SET attempt = excluded.attempt,
             owner = excluded.owner, node_id = excluded.node_id, lease_until_ms = excluded.lease_until_ms;
       END LOOP;
     END IF;
   END $$`,

  // Appends to the log and changes the index of approvals, together. Most entries have no approvals, and are
  // appended by steward_append alone.
  `CREATE FUNCTION steward_append_with_approvals(
     ${APPENDED},
     a_id uuid[], a_plan uuid[], a_step text[], a_session text[], a_status text[],
     a_requested bigint[], a_expires bigint[], a_approval text[], a_subject text[]
   ) RETURNS void LANGUAGE plpgsql AS $$
   DECLARE
     a record;
   BEGIN
     PERFORM steward_append(p_org, c_plan, c_sequence, c_result_step, c_events, c_steps, c_call,
       c_output, c_additions, c_hints, c_metadata, c_origins, u_plan, u_status, u_started, u_finished,
       u_deadline, u_cancel, u_failure, u_owner, l_plan, l_step, l_attempt, l_owner, l_node,
       l_for_ms, e_plan, e_step);
     FOR a IN SELECT * FROM unnest(a_id, a_plan, a_step, a_session, a_status, a_requested, a_expires,
         a_approval, a_subject)
       AS u (id, plan, step, session, status, requested, expires, approval, subject)
     LOOP
       IF a.subject IS NULL THEN
         UPDATE approvals SET status = a.status, approval = a.approval
           WHERE org_id = p_org AND approval_id = a.id;
       ELSE
         INSERT INTO approvals (org_id, approval_id, plan_id, step_id, session_id, status,
             requested_at_ms, expires_at_ms, approval, subject)
           VALUES (p_org, a.id, a.plan, a.step, a.session, a.status, a.requested, a.expires,
             a.approval, a.subject);
       END IF;
     END LOOP;
   END $$`,
];
