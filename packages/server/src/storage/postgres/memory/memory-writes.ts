import type { MemoryEntry } from "../../../memory/index.js";
import type { EmbeddedEntry } from "../../../memory/ports.js";
import { sourcesJson } from "../../plan-changes/index.js";
import { storedVectors } from "../../stored-vectors.js";
import { byOrganization } from "../../by-organization.js";
import type { Connection } from "../database.js";
import { holdModel } from "./memory-models.js";
import { takeSequences } from "./memory-sequences.js";
import { bufferOf, deleteUnusedVectors, holdVectors, type VectorRef } from "./memory-vectors.js";

/** Converts domain values to rows. Only this file changes the memory tables. */

/**
 * Inserts new entries with their sessions, vectors and codes.
 * @param acknowledge the transaction's other writes. They lock rows of plans, so they run after the texts are
 * indexed, which takes longest. They run before the organization's sequence number is taken, because the
 * transaction that holds that number must not wait for a lock.
 * @throws AppError `STORE_UNAVAILABLE` when the vectors come from another model than the active
 * one.
 */
export async function insertEntries(
  connection: Connection,
  entries: readonly EmbeddedEntry[],
  modelId: number,
  acknowledge?: () => Promise<void>,
): Promise<void> {
  if (entries.length > 0) await holdModel(connection, modelId);
  const all = entries.map(({ entry }) => entry);
  for (const [orgId, own] of byOrganization(all, ({ orgId }) => orgId)) {
    await insertRows(connection, orgId, own);
  }
  await acknowledge?.();
  await insertVectors(connection, entries, modelId);
}

/** Inserts new entries of one organization, with their sessions. */
async function insertRows(
  connection: Connection,
  orgId: string,
  all: readonly MemoryEntry[],
): Promise<void> {
  const sessions = all.map(({ sessionId }) => sessionId);
  const times = all.map(({ createdAtMs }) => createdAtMs);
  await holdSessions(connection, orgId, { sessions, times });
  await connection.query(
    `INSERT INTO memory_entries
       (org_id, entry_id, session_id, content, created_at_ms, tool_name, intent, sources)
     SELECT $1, e.* FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[],
       $7::text[], $8::text[]) AS e`,
    [
      orgId,
      all.map(({ entryId }) => entryId),
      sessions,
      all.map(({ content }) => content),
      times,
      all.map(({ toolCall }) => toolCall?.toolName ?? null),
      all.map(({ toolCall }) => toolCall?.intent ?? null),
      all.map(({ toolCall }) => sourcesJson(toolCall?.sources)),
    ],
  );
}

/**
 * Stores the missing sessions, and prevents the deletion of all of them until the transaction ends,
 * so that entries may refer to them.
 * @param entries of each entry, its session and time.
 */
async function holdSessions(
  connection: Connection,
  orgId: string,
  { sessions, times }: { readonly sessions: readonly string[]; readonly times: readonly number[] },
): Promise<void> {
  const count = new Set(sessions).size;
  for (let held = 0; held < count;) {
    await connection.query(
      `INSERT INTO sessions (org_id, session_id, created_at_ms)
       SELECT DISTINCT ON (session_id) $1::uuid, session_id, created_at_ms
       FROM unnest($2::text[], $3::bigint[]) AS s (session_id, created_at_ms)
       ORDER BY session_id, created_at_ms
       ON CONFLICT DO NOTHING`,
      [orgId, sessions, times],
    );
    // Another transaction may have deleted a session that the former statement has found.
    const locked = await connection.query(
      `SELECT 1 FROM sessions WHERE org_id = $1 AND session_id = ANY ($2::text[])
       ORDER BY session_id FOR KEY SHARE`,
      [orgId, sessions],
    );
    held = locked.length;
  }
}

/** Inserts vectors and codes of a model for existing entries without a vector of this model. */
export async function insertVectors(
  connection: Connection,
  entries: readonly EmbeddedEntry[],
  modelId: number,
): Promise<void> {
  if (entries.length === 0) return;
  const { distinct, ofEntries } = storedVectors(entries);
  await holdVectors(connection, distinct, modelId);
  const rows = entries.map(({ entry }, index) => ({ entry, sha256: ofEntries[index]?.sha256 }));
  const byOrg = byOrganization(rows, ({ entry }) => entry.orgId);
  const sequences = await takeSequences(connection, byOrg.keys());
  for (const [orgId, own] of byOrg) {
    await connection.query(
      `INSERT INTO memory_entry_vectors
         (org_id, entry_id, model_id, created_at_ms, change_sequence, sha256)
       SELECT $1, v.entry_id, $2, v.created_at_ms, $3, v.sha256
       FROM unnest($4::uuid[], $5::bigint[], $6::bytea[]) AS v (entry_id, created_at_ms, sha256)`,
      [
        orgId,
        modelId,
        sequences.get(orgId) ?? 0,
        own.map(({ entry }) => entry.entryId),
        own.map(({ entry }) => entry.createdAtMs),
        own.map(({ sha256 }) => (sha256 === undefined ? null : bufferOf(sha256))),
      ],
    );
  }
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
 * Deletes entries of one session, with vectors that no other entry has, and the session when it has
 * no other entry. @returns the ids of the deleted entries.
 */
export async function deleteEntries(
  connection: Connection,
  orgId: string,
  sessionId: string,
  entryIds: readonly string[],
): Promise<readonly string[]> {
  // When two transactions delete the last two entries of a session, the second waits here and then
  // sees that none is left.
  await connection.query(
    "SELECT 1 FROM sessions WHERE org_id = $1 AND session_id = $2 FOR UPDATE",
    [orgId, sessionId],
  );
  // From here on no other transaction can give these entries another vector.
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
