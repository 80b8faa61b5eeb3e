/**
 * What has to be known of a step's output beside its JSON (`OutputMetadata` as JSON, where there is
 * any), and the function that appends it with the rest of a change. Servers of the version before go
 * on with `steward_append_changes`. One statement to an entry.
 */
export const createOutputMetadata: readonly string[] = [
  `ALTER TABLE plan_changes ADD COLUMN output_metadata text`,

  `CREATE FUNCTION steward_append_results(
     p_org uuid,
     c_plan uuid[], c_sequence integer[], c_result_step integer[], c_events text[], c_steps text[],
     c_call text[], c_output text[], c_additions text[], c_hints text[],
     c_metadata text[],
     u_plan uuid[], u_status text[], u_started bigint[], u_finished bigint[], u_deadline bigint[],
     u_ending text[], u_holder uuid[],
     l_plan uuid[], l_step integer[], l_attempt integer[], l_owner text[], l_node uuid,
     l_for_ms bigint, e_plan uuid[], e_step integer[]
   ) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call, output,
         schema_additions, augmentation_hints, output_metadata)
       SELECT p_org, c.plan, c.seq, c.result_step, c.events, c.steps, c.call, c.output, c.additions,
           c.hints, c.metadata
       FROM unnest(c_plan, c_sequence, c_result_step, c_events, c_steps, c_call, c_output,
           c_additions, c_hints, c_metadata)
         AS c (plan, seq, result_step, events, steps, call, output, additions, hints, metadata);
     IF cardinality(u_plan) > 0 THEN
       UPDATE plans SET status = u.status, started_at_ms = u.started, finished_at_ms = u.finished,
           deadline_ms = u.deadline, ending = u.ending,
           holder = coalesce(u.holder, plans.holder),
           is_settled = plans.is_settled AND u.finished IS NOT NULL
         FROM unnest(u_plan, u_status, u_started, u_finished, u_deadline, u_ending, u_holder)
           AS u (plan, status, started, finished, deadline, ending, holder)
         WHERE plans.org_id = p_org AND plans.plan_id = u.plan;
     END IF;
     IF cardinality(e_plan) > 0 THEN
       DELETE FROM step_leases USING unnest(e_plan, e_step) AS e (plan, step)
         WHERE org_id = p_org AND plan_id = e.plan AND step_index = e.step;
     END IF;
     IF cardinality(l_plan) > 0 THEN
       INSERT INTO step_leases (org_id, plan_id, step_index, attempt, owner, node_id,
           lease_until_ms)
         SELECT p_org, l.plan, l.step, l.attempt, l.owner, l_node, steward_now_ms() + l_for_ms
         FROM unnest(l_plan, l_step, l_attempt, l_owner) AS l (plan, step, attempt, owner)
         ON CONFLICT (org_id, plan_id, step_index) DO UPDATE SET attempt = excluded.attempt,
           owner = excluded.owner, node_id = excluded.node_id, lease_until_ms = excluded.lease_until_ms;
     END IF;
   END $$`,
];
