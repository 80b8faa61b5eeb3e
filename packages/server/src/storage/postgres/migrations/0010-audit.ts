import { NIL_ORG_ID } from "@steward/kernel/caller.js";

/**
 * The audit log: records in the order of their tree, the tiles of the tree, its newest checkpoint,
 * and what waits to become a record. `plan_changes.origins` tells who asked for the events of a
 * change, and `plans.audit_through` how far a plan's log has become records. Personal values are
 * apart from the records, so that they can be erased. Times are milliseconds since the epoch, UTC.
 * The tree is one for all organizations, under the nil UUID. Each element is one statement.
 */
export const createAuditTables: readonly string[] = [
  `ALTER TABLE plan_changes ADD COLUMN origins text`,
  `ALTER TABLE plans ADD COLUMN audit_through integer NOT NULL DEFAULT 0`,

  // Beside the functions of the version before, which servers of that version call meanwhile.
  `CREATE FUNCTION steward_create_plan(
     p_org uuid, p_plan uuid, p_session text, p_created bigint, p_deadline bigint, p_owner uuid,
     p_name text, p_description text, p_steps text, p_events text, p_key text, p_hash text,
     p_on_failure text, p_origins text
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
     INSERT INTO plan_changes (org_id, plan_id, sequence, events, origins)
       VALUES (p_org, p_plan, 1, p_events, p_origins);
     RETURN true;
   END $$`,
  `CREATE FUNCTION steward_append(
     p_org uuid,
     c_plan uuid[], c_sequence integer[], c_result_step integer[], c_events text[], c_steps text[],
     c_call text[], c_output text[], c_additions text[], c_hints text[],
     c_metadata text[], c_origins text[],
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
         c_output, c_additions, c_hints, c_metadata, c_origins)
       AS u (plan, seq, result_step, events, steps, call, output, additions, hints, metadata, origins)
     LOOP
       INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call, output,
           schema_additions, augmentation_hints, output_metadata, origins)
         VALUES (p_org, c.plan, c.seq, c.result_step, c.events, c.steps, c.call, c.output,
           c.additions, c.hints, c.metadata, c.origins);
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

  `CREATE TABLE audit_records (
     org_id uuid NOT NULL,
     record_index bigint NOT NULL,
     at_ms bigint NOT NULL,
     kind text COLLATE "C" NOT NULL,
     subject text COLLATE "C" NOT NULL,
     entry text NOT NULL,
     PRIMARY KEY (org_id, record_index)
   )`,
  `CREATE INDEX audit_records_by_subject ON audit_records (org_id, subject, record_index)`,
  `CREATE INDEX audit_records_in_order ON audit_records (record_index)`,

  `CREATE TABLE audit_personal_values (
     org_id uuid NOT NULL,
     record_index bigint NOT NULL,
     salt text NOT NULL,
     personal_values text NOT NULL,
     PRIMARY KEY (org_id, record_index)
   )`,

  `CREATE TABLE audit_tiles (
     org_id uuid NOT NULL,
     level integer NOT NULL,
     tile_index bigint NOT NULL,
     hashes bytea NOT NULL,
     PRIMARY KEY (org_id, level, tile_index)
   )`,

  `CREATE TABLE audit_tree (
     org_id uuid NOT NULL PRIMARY KEY,
     size bigint NOT NULL,
     checkpoint text NOT NULL
   )`,
  `INSERT INTO audit_tree (org_id, size, checkpoint) VALUES ('${NIL_ORG_ID}', 0, '')`,

  `CREATE TABLE audit_outbox (
     org_id uuid NOT NULL,
     outbox_id uuid NOT NULL,
     at_ms bigint NOT NULL,
     fact text NOT NULL,
     PRIMARY KEY (org_id, outbox_id)
   )`,
];
