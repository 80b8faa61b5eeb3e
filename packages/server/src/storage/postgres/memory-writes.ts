import type { EmbeddedEntry } from "../../memory/ports.js";
import { vectorBlob } from "../vector-blob.js";
import type { Connection } from "./database.js";
import { holdModel } from "./memory-models.js";
import { takeSequences } from "./memory-sequences.js";

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
    `INSERT INTO sessions
     SELECT DISTINCT ON (org_id, session_id) org_id, session_id, created_at_ms
     FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS s (org_id, session_id, created_at_ms)
     ORDER BY org_id, session_id, created_at_ms
     ON CONFLICT DO NOTHING`,
    [orgIds, sessions, times],
  );
  await connection.query(
    `INSERT INTO memory_entries
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

/**
 * Vectors and codes for entries that are there.
 * @param mayBeThere Passes over those that are: such a row is logged twice, tentatively and for good.
 */
export async function insertVectors(
  connection: Connection,
  entries: readonly EmbeddedEntry[],
  modelId: number,
  mayBeThere = false,
): Promise<void> {
  if (entries.length === 0) return;
  const orgIds = entries.map(({ entry }) => entry.orgId);
  const sequences = await takeSequences(connection, orgIds);
  await connection.query(
    `INSERT INTO memory_entry_embeddings (org_id, entry_id, model_id, created_at_ms, change_sequence,
       code, embedding)
     SELECT v.org_id, v.entry_id, $3, v.created_at_ms, v.change_sequence, v.code, v.embedding
     FROM unnest($1::uuid[], $2::uuid[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[])
       AS v (org_id, entry_id, created_at_ms, change_sequence, code, embedding)
     ${mayBeThere ? "ON CONFLICT DO NOTHING" : ""}`,
    [
      orgIds,
      entries.map(({ entry }) => entry.entryId),
      modelId,
      entries.map(({ entry }) => entry.createdAtMs),
      entries.map(({ entry }) => sequences.get(entry.orgId) ?? 0),
      entries.map(({ code }) => bufferOf(code)),
      entries.map(({ vector }) => bufferOf(vectorBlob(vector))),
    ],
  );
}

/** Vectors of some entries gone, except one model's. */
export async function deleteVectors(
  connection: Connection,
  vectors: {
    readonly orgId: string;
    readonly entryIds: readonly string[];
    readonly exceptModelId: number;
  },
): Promise<void> {
  await connection.query(
    `DELETE FROM memory_entry_embeddings
     WHERE org_id = $1 AND entry_id = ANY ($2::uuid[]) AND model_id <> $3`,
    [vectors.orgId, vectors.entryIds, vectors.exceptModelId],
  );
}

/**
 * Entries of one session gone, their vectors and codes with them; a session that has no other goes
 * too. @returns the ids of those that were there.
 */
export async function deleteEntries(
  connection: Connection,
  orgId: string,
  sessionId: string,
  entryIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await connection.query<{ readonly entry_id: string }>(
    `DELETE FROM memory_entries
     WHERE org_id = $1 AND session_id = $2 AND entry_id = ANY ($3::uuid[]) RETURNING entry_id`,
    [orgId, sessionId, entryIds],
  );
  const deleted = rows.map((row) => row.entry_id);
  await connection.query(
    `DELETE FROM sessions WHERE org_id = $1 AND session_id = $2 AND NOT EXISTS (
       SELECT FROM memory_entries WHERE org_id = $1 AND session_id = $2)`,
    [orgId, sessionId],
  );
  if (deleted.length === 0) return [];
  const sequences = await takeSequences(connection, [orgId]);
  await connection.query(
    `INSERT INTO memory_deletions (org_id, change_sequence, entry_id, deleted_at_ms)
     SELECT $1, $3, entry_id, steward_now_ms() FROM unnest($2::uuid[]) AS d (entry_id)`,
    [orgId, deleted, sequences.get(orgId) ?? 0],
  );
  return deleted;
}

/** The driver takes no other kind of bytes in a list. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
