/** The view of steps shows the results that a fork took over from the plan in whose log they are. */
export const showTakenResults: string = `
DROP VIEW plan_steps;

-- The newest change of each step, and what the newest attempt that ended has left.
CREATE VIEW plan_steps AS
  SELECT n.org_id, n.plan_id, n.step_index,
    coalesce(x.definition ->> 'id', d.steps -> n.step_index ->> 'id') AS step_id,
    coalesce(x.definition ->> 'revision', 1) AS revision,
    n.step ->> 1 AS status, n.step ->> 2 AS attempt, n.step ->> 5 AS owner, l.lease_until_ms,
    n.step ->> 6 AS wait_reason, n.step ->> 3 AS row_count, n.step ->> 4 AS executed_at_ms,
    nullif(n.step -> 7, 'null') AS error,
    iif(r.sequence IS NULL, NULL, coalesce(r.output, '[]')) AS output,
    iif(r.sequence IS NULL, NULL, coalesce(r.schema_additions, '[]')) AS schema_additions,
    iif(r.sequence IS NULL, NULL, coalesce(r.augmentation_hints, '[]')) AS augmentation_hints,
    r.output_metadata
  FROM (
    SELECT c.org_id, c.plan_id, s.value ->> 0 AS step_index, s.value AS step, max(c.sequence)
    FROM plan_changes AS c, json_each(c.steps) AS s
    WHERE c.steps IS NOT NULL
    GROUP BY c.org_id, c.plan_id, s.value ->> 0) AS n
  JOIN plan_definitions AS d USING (org_id, plan_id)
  LEFT JOIN (
    SELECT c.org_id, c.plan_id, s.value ->> 0 AS step_index, s.value -> 8 -> 'definition' AS definition,
      max(c.sequence)
    FROM plan_changes AS c, json_each(c.steps) AS s
    WHERE c.steps LIKE '%"definition":%' AND s.value -> 8 -> 'definition' IS NOT NULL
    GROUP BY c.org_id, c.plan_id, s.value ->> 0) AS x USING (org_id, plan_id, step_index)
  LEFT JOIN step_leases AS l USING (org_id, plan_id, step_index)
  LEFT JOIN plan_changes AS r ON r.org_id = n.org_id
    AND r.plan_id = coalesce(n.step -> 8 -> 'result' ->> 'planId', n.plan_id)
    AND r.sequence = coalesce(n.step -> 8 -> 'result' ->> 'sequence', (
      SELECT max(sequence) FROM plan_changes
      WHERE org_id = n.org_id AND plan_id = n.plan_id AND result_step = n.step_index));
`;
