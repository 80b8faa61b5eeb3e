import type { MemoryEntry } from "../../memory/index.js";
import type { EmbeddedEntry, EmbeddingModel } from "../../memory/ports.js";
import { vectorBlob } from "../vector-blob.js";
import type { Write } from "./commit-protocol.js";

/** Domain values to writes: the only place where the memory tables are changed. */

/** A new entry with its session, vector and code. */
export function writeEntry(embedded: EmbeddedEntry, modelId: number): Write[] {
  const { orgId, entryId, sessionId, content, createdAtMs, toolCall } = embedded.entry;
  return [
    {
      sql: "INSERT INTO sessions (org_id, session_id, created_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      params: [orgId, sessionId, createdAtMs],
    },
    {
      sql: `INSERT INTO memory_entries
              (entry_id, org_id, session_id, content, created_at_ms, tool_name, intent)
            VALUES (?, ?, ?, ?, ?, ?, ?)`,
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
    ...writeVector(embedded, modelId),
  ];
}

/** A vector and its code for an entry that is there. */
export function writeVector({ entry, vector, code }: EmbeddedEntry, modelId: number): Write[] {
  const { orgId, entryId, createdAtMs } = entry;
  return [
    {
      sql: "INSERT INTO memory_entry_embeddings (entry_id, model_id, embedding) VALUES (?, ?, ?)",
      params: [entryId, BigInt(modelId), vectorBlob(vector)],
    },
    {
      sql: `INSERT INTO memory_codes (entry_id, model_id, org_id, created_at_ms, code)
            VALUES (?, ?, ?, ?, ?)`,
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

/** Entries of any organizations gone, if they are still there; and sessions that have no other. */
export function writeExpiry(
  entries: readonly Pick<MemoryEntry, "orgId" | "sessionId" | "entryId">[],
): Write[] {
  const entryIds = entries.map(({ entryId }) => entryId);
  const sessions = entries.map(({ orgId, sessionId }) => [orgId, sessionId]);
  return [
    {
      sql: "DELETE FROM memory_entries WHERE entry_id IN (SELECT value FROM json_each(?))",
      params: [JSON.stringify(entryIds)],
    },
    {
      sql: `DELETE FROM sessions
            WHERE (org_id, session_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
              AND NOT EXISTS (
                SELECT 1 FROM memory_entries
                WHERE memory_entries.org_id = sessions.org_id
                  AND memory_entries.session_id = sessions.session_id)`,
      params: [JSON.stringify(sessions)],
    },
  ];
}

/** How long an organization keeps its entries; `undefined`: for ever. */
export function writeRetention(orgId: string, ageMaxMs: number | undefined): Write {
  if (ageMaxMs === undefined) {
    return { sql: "DELETE FROM memory_retention WHERE org_id = ?", params: [orgId] };
  }
  return {
    sql: `INSERT INTO memory_retention (org_id, age_max_ms) VALUES (?, ?)
          ON CONFLICT (org_id) DO UPDATE SET age_max_ms = excluded.age_max_ms`,
    params: [orgId, BigInt(ageMaxMs)],
  };
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

/** A model that the store is to know, and that is not used yet. */
export function writeModel({ name, dimension }: EmbeddingModel): Write {
  return {
    sql: `INSERT INTO memory_models (name, dimension, is_active) VALUES (?, ?, 0)
          ON CONFLICT (name) DO NOTHING`,
    params: [name, BigInt(dimension)],
  };
}

/** Has a model's vectors stored and searched from now on, if every entry has one. */
export function writeActivation(modelId: number): Write[] {
  return [
    { sql: "UPDATE memory_models SET is_active = 0 WHERE is_active = 1", params: [] },
    {
      sql: `UPDATE memory_models SET is_active = 1
            WHERE model_id = ?1 AND NOT EXISTS (
              SELECT 1 FROM memory_entries WHERE NOT EXISTS (
                SELECT 1 FROM memory_entry_embeddings
                WHERE memory_entry_embeddings.entry_id = memory_entries.entry_id
                  AND memory_entry_embeddings.model_id = ?1))`,
      params: [BigInt(modelId)],
      expect: 1,
    },
  ];
}

/** Vectors and codes of other models gone, some of them. */
export function writeDisposal(modelId: number, limit: number): Write[] {
  return ["memory_codes", "memory_entry_embeddings"].map((table) => ({
    sql: `DELETE FROM ${table} WHERE rowid IN (
            SELECT rowid FROM ${table} WHERE model_id <> ? LIMIT ?)`,
    params: [BigInt(modelId), BigInt(limit)],
  }));
}
