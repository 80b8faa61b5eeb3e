/**
 * Views that show the log of plans as tables for operators, with the same names and columns as on
 * SQLite. Real tables would double the bytes written for each transition. Each element is one statement.
 */
export const planViews: readonly string[] = [
  // Frequent events are stored as a number and their values: 0 and 1 are the shapes of event-codec.ts.
  `CREATE VIEW plan_events AS
     SELECT c.org_id, c.plan_id, (c.sequence + e.place - 1)::integer AS sequence,
       CASE e.event ->> 0 WHEN '0' THEN 'PlanStepStarted' WHEN '1' THEN 'PlanStepExecuted'
         ELSE e.event ->> 0 END AS event_type,
       CASE e.event ->> 0
         WHEN '0' THEN json_build_object('step_id', e.event -> 1, 'step_index', e.event -> 2,
           'attempt', e.event -> 3)::text
         WHEN '1' THEN json_build_object('step_id', e.event -> 1, 'step_index', e.event -> 2,
           'status', e.event -> 3, 'attempt', e.event -> 4, 'row_count', e.event -> 5,
           'duration_ms', e.event -> 6)::text
         ELSE (e.event -> 1)::text END AS payload,
       (e.event ->> -1)::bigint AS created_at_ms
     FROM plan_changes AS c
     CROSS JOIN LATERAL json_array_elements(c.events::json) WITH ORDINALITY AS e (event, place)`,

  // The newest change of each step, and the result of the newest attempt that ended, which for a result that a
  // fork took over is in the other plan's log.
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

  // A call stores only what its plan, its step and its result do not already contain: the last element of call is
  // an object with the differences.
  `CREATE VIEW tool_calls AS
     SELECT (c.call::json ->> 1)::uuid AS event_id, c.org_id,
       coalesce(c.call::json -> 7 ->> 'sessionId', p.session_id) AS session_id, c.plan_id,
       coalesce(c.call::json -> 7 ->> 'stepId', s.step ->> 'id') AS step_id,
       (c.call::json ->> 2)::integer AS attempt,
       coalesce(c.call::json -> 7 ->> 'toolName', s.step ->> 'toolName') AS tool_name,
       coalesce(c.call::json -> 7 ->> 'intent', s.step ->> 'intent') AS intent,
       coalesce(c.call::json -> 7 ->> 'intentSource', s.step ->> 'intentSource') AS intent_source,
       c.call::json -> 7 ->> 'ormModel' AS orm_model, c.call::json ->> 3 AS status,
       (c.call::json ->> 4)::integer AS row_count, c.call::json -> 7 ->> 'error' AS error,
       coalesce(c.call::json -> 7 ->> 'query', s.step ->> 'queryTemplate') AS query,
       CASE json_typeof(c.call::json -> 7 -> 'output')
         WHEN 'string' THEN c.call::json -> 7 ->> 'output'
         WHEN 'number' THEN left(c.output, (c.call::json -> 7 ->> 'output')::integer)
         ELSE coalesce(c.output, '[]') END AS output,
       (c.call::json ->> 5)::bigint AS finished_at_ms,
       (c.call::json ->> 6)::double precision AS duration_ms,
       coalesce(c.call::json -> 7 ->> 'dataSource', s.step ->> 'dataSource') AS data_source,
       c.call::json -> 7 ->> 'caller' AS caller, c.call::json -> 7 ->> 'touched' AS touched
     FROM plan_changes AS c
     JOIN plans AS p USING (org_id, plan_id)
     JOIN plan_definitions AS d USING (org_id, plan_id)
     CROSS JOIN LATERAL (SELECT d.steps::json -> (c.call::json ->> 0)::integer AS step) AS s
     WHERE c.call IS NOT NULL`,
];
