/**
 * The index of approvals (Decision §16). The truth about an approval is its plan's log; a row is
 * written in the transaction of the log's entry. Times are milliseconds since the epoch, UTC. Each
 * element is one statement.
 */
export const createApprovals: readonly string[] = [
  `CREATE TABLE approvals (
     org_id uuid NOT NULL,
     approval_id uuid NOT NULL,
     plan_id uuid NOT NULL,
     step_id text NOT NULL,
     session_id text NOT NULL,
     status text NOT NULL,
     requested_at_ms bigint NOT NULL,
     expires_at_ms bigint NOT NULL,
     approval text NOT NULL,
     subject text NOT NULL,
     PRIMARY KEY (org_id, approval_id)
   )`,
  `CREATE INDEX approvals_by_status ON approvals (org_id, status, approval_id)`,
  `CREATE INDEX approvals_by_plan ON approvals (org_id, plan_id, approval_id)`,

  // Appends to the log and changes the index, together. Most entries have no approvals, and are
  // appended by steward_append alone.
  `CREATE FUNCTION steward_append_with_approvals(
     p_org uuid,
     c_plan uuid[], c_sequence integer[], c_result_step integer[], c_events text[], c_steps text[],
     c_call text[], c_output text[], c_additions text[], c_hints text[],
     c_metadata text[], c_origins text[],
     u_plan uuid[], u_status text[], u_started bigint[], u_finished bigint[], u_deadline bigint[],
     u_cancel text[], u_failure text[], u_owner uuid[],
     l_plan uuid[], l_step integer[], l_attempt integer[], l_owner text[], l_node uuid,
     l_for_ms bigint, e_plan uuid[], e_step integer[],
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
