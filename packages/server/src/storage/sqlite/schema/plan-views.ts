/**
 * Views that show the log of plans as tables for operators, with the same names and columns as on
 * PostgreSQL. Real tables would write several pages for one row of the log.
 */
export const planViews: string = `
-- Events that are written often are kept as a number and their values: 0 and 1 are those of event-codec.ts.
CREATE VIEW plan_events AS
  SELECT c.org_id, c.plan_id, c.sequence + e.key AS sequence,
    CASE e.value ->> 0 WHEN 0 THEN 'PlanStepStarted' WHEN 1 THEN 'PlanStepExecuted'
      ELSE e.value ->> 0 END AS event_type,
    CASE e.value ->> 0
      WHEN 0 THEN json_object('step_id', e.value -> 1, 'step_index', e.value -> 2,
        'attempt', e.value -> 3)
      WHEN 1 THEN json_object('step_id', e.value -> 1, 'step_index', e.value -> 2,
        'status', e.value -> 3, 'attempt', e.value -> 4, 'row_count', e.value -> 5,
        'duration_ms', e.value -> 6)
      ELSE e.value -> 1 END AS payload,
    e.value ->> '$[#-1]' AS created_at_ms
  FROM plan_changes AS c, json_each(c.events) AS e;

-- The newest change of each step, and what the newest attempt that ended has left, which for a result that a
-- fork took over is in the other plan's log.
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

-- A call keeps only what its plan, its step and its result do not tell already: the last value of call is an
-- object of what differs.
CREATE VIEW tool_calls AS
  SELECT c.call ->> 1 AS event_id, c.org_id,
    coalesce(c.call -> 7 ->> 'sessionId', p.session_id) AS session_id, c.plan_id,
    coalesce(c.call -> 7 ->> 'stepId', c.step ->> 'id') AS step_id, c.call ->> 2 AS attempt,
    coalesce(c.call -> 7 ->> 'toolName', c.step ->> 'toolName') AS tool_name,
    coalesce(c.call -> 7 ->> 'intent', c.step ->> 'intent') AS intent,
    coalesce(c.call -> 7 ->> 'intentSource', c.step ->> 'intentSource') AS intent_source,
    c.call -> 7 ->> 'ormModel' AS orm_model, c.call ->> 3 AS status, c.call ->> 4 AS row_count,
    c.call -> 7 ->> 'error' AS error,
    coalesce(c.call -> 7 ->> 'query', c.step ->> 'queryTemplate') AS query,
    CASE json_type(c.call, '$[7].output')
      WHEN 'text' THEN c.call -> 7 ->> 'output'
      WHEN 'integer' THEN substr(c.output, 1, c.call -> 7 ->> 'output')
      ELSE coalesce(c.output, '[]') END AS output,
    c.call ->> 5 AS finished_at_ms, c.call ->> 6 AS duration_ms,
    coalesce(c.call -> 7 ->> 'dataSource', c.step ->> 'dataSource') AS data_source,
    c.call -> 7 ->> 'caller' AS caller, c.call -> 7 ->> 'touched' AS touched
  FROM (
    SELECT c.org_id, c.plan_id, c.call, c.output, d.steps -> (c.call ->> 0) AS step
    FROM plan_changes AS c JOIN plan_definitions AS d USING (org_id, plan_id)
    WHERE c.call IS NOT NULL) AS c
  JOIN plans AS p USING (org_id, plan_id);
`;
