import type { EmbeddedEntry } from "../../memory/ports.js";
import { storedVectors } from "../stored-vectors.js";
import type { Connection } from "./database.js";
import { holdModel } from "./memory-models.js";
import { takeSequences } from "./memory-sequences.js";
import { bufferOf, deleteUnusedVectors, holdVectors, type VectorRef } from "./memory-vectors.js";

/** Domain values to rows: the only place where the memory tables are changed. */

/**
 * New entries with their sessions, vectors and codes.
 * @throws AppError `STORE_UNAVAILABLE` when the vectors come from another model than the active one.
 */
export async function insertEntries(
  connection: Connection,
  entries: readonly EmbeddedEntry[],
  modelId: number,
): Promise<void> {
  if (entries.length === 0) return;
  await holdModel(connection, modelId);
  const all = entries.map(({ entry }) => entry);
  const orgIds = all.map(({ orgId }) => orgId);
  const ids = all.map(({ entryId }) => entryId);
  const sessions = all.map(({ sessionId }) => sessionId);
  const times = all.map(({ createdAtMs }) => createdAtMs);
  await connection.query(
    `INSERT INTO sessions (org_id, session_id, created_at_ms)
     SELECT DISTINCT ON (org_id, session_id) org_id, session_id, created_at_ms
     FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS s (org_id, session_id, created_at_ms)
     ORDER BY org_id, session_id, created_at_ms
     ON CONFLICT DO NOTHING`,
    [orgIds, sessions, times],
  );
  await connection.query(
    `INSERT INTO memory_entries
       (org_id, entry_id, session_id, content, created_at_ms, tool_name, intent)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[],
       $7::text[])`,
    [
      orgIds,
      ids,
      sessions,
      all.map(({ content }) => content),
      times,
      all.map(({ toolCall }) => toolCall?.toolName ?? null),
      all.map(({ toolCall }) => toolCall?.intent ?? null),
    ],
  );
  await insertVectors(connection, entries, modelId);
}

/** Vectors and codes for entries that are there and have none of the model. */
export async function insertVectors(
  connection: Connection,
  entries: readonly EmbeddedEntry[],
  modelId: number,
): Promise<void> {
  if (entries.length === 0) return;
  const { distinct, ofEntries } = storedVectors(entries);
  await holdVectors(connection, distinct, modelId);
  const orgIds = entries.map(({ entry }) => entry.orgId);
  const sequences = await takeSequences(connection, orgIds);
  await connection.query(
    `INSERT INTO memory_entry_vectors
       (org_id, entry_id, model_id, created_at_ms, change_sequence, sha256)
     SELECT v.org_id, v.entry_id, $3, v.created_at_ms, v.change_sequence, v.sha256
     FROM unnest($1::uuid[], $2::uuid[], $4::bigint[], $5::bigint[], $6::bytea[])
       AS v (org_id, entry_id, created_at_ms, change_sequence, sha256)`,
    [
      orgIds,
      entries.map(({ entry }) => entry.entryId),
      modelId,
      entries.map(({ entry }) => entry.createdAtMs),
      entries.map(({ entry }) => sequences.get(entry.orgId) ?? 0),
      ofEntries.map(({ sha256 }) => bufferOf(sha256)),
    ],
  );
}

/** Removes the vectors of some entries, except one model's. */
export async function deleteVectors(
  connection: Connection,
  vectors: {
    readonly orgId: string;
    readonly entryIds: readonly string[];
    readonly exceptModelId: number;
  },
): Promise<void> {
  const removed = await connection.query<VectorRef>(
    `DELETE FROM memory_entry_vectors
     WHERE org_id = $1 AND entry_id = ANY ($2::uuid[]) AND model_id <> $3
     RETURNING org_id, model_id, sha256`,
    [vectors.orgId, vectors.entryIds, vectors.exceptModelId],
  );
  await deleteUnusedVectors(connection, removed);
}

/**
 * Deletes entries of one session, with the vectors that no other entry has, and the session when it has
 * no other entry. @returns the ids of those that were there.
 */
export async function deleteEntries(
  connection: Connection,
  orgId: string,
  sessionId: string,
  entryIds: readonly string[],
): Promise<readonly string[]> {
  // Of two transactions that delete the last two entries of a session, the second waits here and then
  // sees that none is left.
  await connection.query(
    "SELECT 1 FROM sessions WHERE org_id = $1 AND session_id = $2 FOR UPDATE",
    [orgId, sessionId],
  );
  // Nobody gives these entries another vector from now on.
  const locked = await connection.query<{ readonly entry_id: string }>(
    `SELECT entry_id FROM memory_entries
     WHERE org_id = $1 AND session_id = $2 AND entry_id = ANY ($3::uuid[])
     ORDER BY entry_id FOR UPDATE`,
    [orgId, sessionId, entryIds],
  );
  const deleted = locked.map((row) => row.entry_id);
  const vectors = await connection.query<VectorRef>(
    `DELETE FROM memory_entry_vectors WHERE org_id = $1 AND entry_id = ANY ($2::uuid[])
     RETURNING org_id, model_id, sha256`,
    [orgId, deleted],
  );
  await connection.query(
    "DELETE FROM memory_entries WHERE org_id = $1 AND entry_id = ANY ($2::uuid[])",
    [orgId, deleted],
  );
  await connection.query(
    `DELETE FROM sessions WHERE org_id = $1 AND session_id = $2 AND NOT EXISTS (
       SELECT FROM memory_entries WHERE org_id = $1 AND session_id = $2)`,
    [orgId, sessionId],
  );
  if (deleted.length === 0) return [];
  await deleteUnusedVectors(connection, vectors);
  const sequences = await takeSequences(connection, [orgId]);
  await connection.query(
    `INSERT INTO memory_deletions (org_id, change_sequence, entry_id, deleted_at_ms)
     SELECT $1, $3, entry_id, steward_now_ms() FROM unnest($2::uuid[]) AS d (entry_id)`,
    [orgId, deleted, sequences.get(orgId) ?? 0],
  );
  return deleted;
}
