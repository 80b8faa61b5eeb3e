/**
 * The view of steps shows the results that a fork took over from the plan in whose log they are. Each
 * element is one statement.
 */
export const showTakenResults: readonly string[] = [
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
       WHERE org_id = n.org_id
         AND plan_id = coalesce((n.step -> 8 -> 'result' ->> 'planId')::uuid, n.plan_id)
         AND CASE WHEN n.step -> 8 -> 'result' IS NULL THEN result_step = n.step_index
           ELSE sequence = (n.step -> 8 -> 'result' ->> 'sequence')::integer END
       ORDER BY sequence DESC LIMIT 1) AS r ON true`,
];
