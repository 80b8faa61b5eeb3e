/**
 * The state: blocks by the SHA-256 of their bytes, and refs to commits. Times are milliseconds since
 * the epoch, UTC. Each element is one statement.
 */
export const stateTables: readonly string[] = [
  // Every move of a ref and every deletion of blocks locks the organization's row. The version gets a new random
  // number with each move, so that it also differs after a failover to a replica that was behind. `swept` counts the
  // deleted blocks: a move that relies on blocks its node has seen is refused after a deletion.
  `CREATE TABLE state_stores (
     org_id uuid NOT NULL,
     version bigint NOT NULL,
     swept bigint NOT NULL,
     collected_at_ms bigint NOT NULL,
     collecting_until_ms bigint NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  // The commit of each ref.
  `CREATE TABLE state_refs (
     org_id uuid NOT NULL,
     name text NOT NULL,
     commit_hash bytea NOT NULL,
     PRIMARY KEY (org_id, name)
   )`,

  // Blocks. The key contains all columns that a garbage collection reads.
  `CREATE TABLE state_blocks (
     org_id uuid NOT NULL,
     hash bytea NOT NULL,
     written_at_ms bigint NOT NULL,
     is_deflated boolean NOT NULL,
     bytes bytea NOT NULL,
     PRIMARY KEY (org_id, hash) INCLUDE (written_at_ms)
   )`,
  // The writer has already compressed the bytes.
  `ALTER TABLE state_blocks ALTER COLUMN bytes SET STORAGE EXTERNAL`,

  // Sends blocks; one that is already there is as young as a new one.
  `CREATE FUNCTION steward_send_state_blocks(
     p_org_id uuid, p_hashes bytea[], p_deflated boolean[], p_bytes bytea[]
   ) RETURNS void LANGUAGE plpgsql AS $$
   DECLARE
     now_ms bigint := steward_now_ms();
     b record;
   BEGIN
     FOR b IN SELECT * FROM unnest(p_hashes, p_deflated, p_bytes) AS u (hash, is_deflated, bytes) LOOP
       INSERT INTO state_blocks (org_id, hash, written_at_ms, is_deflated, bytes)
       VALUES (p_org_id, b.hash, now_ms, b.is_deflated, b.bytes)
       ON CONFLICT (org_id, hash) DO UPDATE SET written_at_ms = excluded.written_at_ms;
     END LOOP;
   END $$`,

  // Moves refs from the expected commits to the next ones, with the blocks of these, all or none.
  `CREATE FUNCTION steward_move_state_refs(
     p_org_id uuid, p_swept bigint, p_names text[], p_expected bytea[], p_next bytea[],
     p_hashes bytea[], p_deflated boolean[], p_bytes bytea[]
   ) RETURNS text LANGUAGE plpgsql AS $$
   DECLARE
     is_swept boolean;
     current_commit bytea;
     next_version bigint := floor(random() * 1e15)::bigint;
     now_ms bigint := steward_now_ms();
     m record;
   BEGIN
     INSERT INTO state_stores (org_id, version, swept, collected_at_ms, collecting_until_ms)
     VALUES (p_org_id, 0, 0, now_ms, 0) ON CONFLICT (org_id) DO NOTHING;
     SELECT s.swept <> p_swept INTO is_swept FROM state_stores AS s WHERE s.org_id = p_org_id FOR UPDATE;
     IF is_swept THEN
       RETURN 'swept';
     END IF;
     -- Nothing may be changed before every ref was looked at: there is no way back.
     FOR m IN SELECT * FROM unnest(p_names, p_expected) AS u (name, expected) LOOP
       SELECT r.commit_hash INTO current_commit FROM state_refs AS r
       WHERE r.org_id = p_org_id AND r.name = m.name;
       IF current_commit IS DISTINCT FROM m.expected THEN
         RETURN 'lost';
       END IF;
     END LOOP;
     PERFORM steward_send_state_blocks(p_org_id, p_hashes, p_deflated, p_bytes);
     DELETE FROM state_refs AS r WHERE r.org_id = p_org_id AND r.name = ANY (p_names);
     FOR m IN SELECT * FROM unnest(p_names, p_next) AS u (name, next) WHERE u.next IS NOT NULL LOOP
       INSERT INTO state_refs (org_id, name, commit_hash) VALUES (p_org_id, m.name, m.next);
     END LOOP;
     UPDATE state_stores AS s SET version = next_version WHERE s.org_id = p_org_id;
     RETURN 'moved';
   END $$`,

  // Deletes blocks that are older than the grace period, unless a ref was moved meanwhile.
  `CREATE FUNCTION steward_sweep_state_blocks(
     p_org_id uuid, p_version bigint, p_grace_ms bigint, p_lease_ms bigint, p_hashes bytea[]
   ) RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE
     now_ms bigint := steward_now_ms();
     is_moved boolean;
     deleted bigint;
   BEGIN
     SELECT s.version <> p_version INTO is_moved FROM state_stores AS s WHERE s.org_id = p_org_id FOR UPDATE;
     IF is_moved THEN
       RETURN NULL;
     END IF;
     DELETE FROM state_blocks AS b
     WHERE b.org_id = p_org_id AND b.hash = ANY (p_hashes) AND b.written_at_ms < now_ms - p_grace_ms;
     GET DIAGNOSTICS deleted = ROW_COUNT;
     UPDATE state_stores AS s SET swept = s.swept + deleted, collecting_until_ms = now_ms + p_lease_ms
     WHERE s.org_id = p_org_id;
     RETURN deleted;
   END $$`,
];
