import type { EmbeddedEntry, EmbeddingModel } from "../../memory/ports.js";
import { vectorBlob } from "../vector-blob.js";
import type { Write } from "./commit-protocol.js";

/** Domain values to writes: the only place where the memory tables are changed. */

/** A new entry with its session, vector and code. */
export function writeEntry({ entry, vector, code }: EmbeddedEntry, modelId: number): Write[] {
  const { orgId, entryId, sessionId, content, createdAtMs, toolCall } = entry;
  return [
    {
      sql: "INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      params: [orgId, sessionId, createdAtMs],
    },
    {
      sql: "INSERT INTO memory_entries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
      params: [
        entryId,
        orgId,
        sessionId,
        content,
        createdAtMs,
        toolCall?.toolName ?? null,
        toolCall?.intent ?? null,
      ],
    },
    {
      sql: "INSERT INTO memory_entry_embeddings VALUES (?, ?, ?)",
      params: [entryId, BigInt(modelId), vectorBlob(vector)],
    },
    {
      sql: "INSERT INTO memory_codes VALUES (?, ?, ?, ?, ?)",
      params: [entryId, BigInt(modelId), orgId, createdAtMs, code],
    },
  ];
}

/** Entries gone, their vectors and codes with them; a session that has no other goes too. */
export function writeDeletion(
  orgId: string,
  sessionId: string,
  entryIds: readonly string[],
): Write[] {
  return [
    {
      // One statement whatever their number: the list travels as JSON.
      sql: `DELETE FROM memory_entries
            WHERE org_id = ?1 AND entry_id IN (SELECT value FROM json_each(?2))`,
      params: [orgId, JSON.stringify(entryIds)],
      expect: entryIds.length,
    },
    {
      sql: `DELETE FROM sessions WHERE org_id = ?1 AND session_id = ?2 AND NOT EXISTS (
              SELECT 1 FROM memory_entries WHERE org_id = ?1 AND session_id = ?2)`,
      params: [orgId, sessionId],
    },
  ];
}

/** The model whose vectors are stored and searched from now on. */
export function writeActiveModel({ name, dimension }: EmbeddingModel): Write[] {
  return [
    { sql: "UPDATE memory_models SET is_active = 0 WHERE is_active = 1", params: [] },
    {
      sql: `INSERT INTO memory_models (name, dimension, is_active) VALUES (?, ?, 1)
            ON CONFLICT (name) DO UPDATE SET dimension = excluded.dimension, is_active = 1`,
      params: [name, BigInt(dimension)],
    },
  ];
}
