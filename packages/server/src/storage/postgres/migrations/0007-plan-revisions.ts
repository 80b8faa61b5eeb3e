/**
 * Adds the effect of a failed step on its plan, and the view of steps with their revisions. The
 * change that appended or revised a step contains the step's newest definition. Each element is one
 * statement.
 */
export const addPlanRevisions: readonly string[] = [
  `ALTER TABLE plan_definitions ADD COLUMN on_failure text`,

  // Beside the function of the version before, which servers of that version call meanwhile.
  `CREATE FUNCTION steward_create_plan(
     p_org uuid, p_plan uuid, p_session text, p_created bigint, p_deadline bigint, p_owner uuid,
     p_name text, p_description text, p_steps text, p_events text, p_key text, p_hash text,
     p_on_failure text
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
     INSERT INTO plan_definitions (org_id, plan_id, name, description, steps, on_failure)
       VALUES (p_org, p_plan, p_name, p_description, p_steps, p_on_failure);
     INSERT INTO plan_changes (org_id, plan_id, sequence, events)
       VALUES (p_org, p_plan, 1, p_events);
     RETURN true;
   END $$`,

  `DROP VIEW plan_steps`,
  // The newest change of each step, and the result of the newest attempt that ended.
  `CREATE VIEW plan_steps AS
     SELECT n.org_id, n.plan_id, n.step_index,
       coalesce(x.definition ->> 'id', d.steps::json -> n.step_index ->> 'id') AS step_id,
       coalesce((x.definition ->> 'revision')::integer, 1) AS revision,
       n.step ->> 1 AS status, (n.step ->> 2)::integer AS attempt, n.step ->> 5 AS owner,
       l.lease_until_ms, n.step ->> 6 AS wait_reason, (n.step ->> 3)::integer AS row_count,
       (n.step ->> 4)::bigint AS executed_at_ms, nullif((n.step -> 7)::text, 'null') AS error,
       CASE WHEN r.sequence IS NOT NULL THEN coalesce(r.output, '[]') END AS output,
       CASE WHEN r.sequence IS NOT NULL THEN coalesce(r.schema_additions, '[]') END
         AS schema_additions,
       CASE WHEN r.sequence IS NOT NULL THEN coalesce(r.augmentation_hints, '[]') END
         AS augmentation_hints,
       r.output_metadata
     FROM (
       SELECT DISTINCT ON (c.org_id, c.plan_id, (s.step ->> 0)::integer)
         c.org_id, c.plan_id, (s.step ->> 0)::integer AS step_index, s.step
       FROM plan_changes AS c CROSS JOIN LATERAL json_array_elements(c.steps::json) AS s (step)
       WHERE c.steps IS NOT NULL
       ORDER BY c.org_id, c.plan_id, (s.step ->> 0)::integer, c.sequence DESC) AS n
     JOIN plan_definitions AS d USING (org_id, plan_id)
     LEFT JOIN LATERAL (
       SELECT s.step -> 8 -> 'definition' AS definition
       FROM plan_changes AS c CROSS JOIN LATERAL json_array_elements(c.steps::json) AS s (step)
       WHERE c.org_id = n.org_id AND c.plan_id = n.plan_id AND c.steps LIKE '%"definition":%'
         AND (s.step ->> 0)::integer = n.step_index AND s.step -> 8 -> 'definition' IS NOT NULL
       ORDER BY c.sequence DESC LIMIT 1) AS x ON true
     LEFT JOIN step_leases AS l USING (org_id, plan_id, step_index)
     LEFT JOIN LATERAL (
       SELECT sequence, output, schema_additions, augmentation_hints, output_metadata
       FROM plan_changes
       WHERE org_id = n.org_id AND plan_id = n.plan_id AND result_step = n.step_index
       ORDER BY sequence DESC LIMIT 1) AS r ON true`,
];
