import type { MemoryEntry } from "../../../memory/index.js";
import type { EmbeddedEntry, EmbeddingModel } from "../../../memory/ports.js";
import { sourcesJson } from "../../plan-changes/index.js";
import { storedVectors, type StoredVector } from "../../stored-vectors.js";
import type { Write } from "../commit-protocol.js";
import { insertRows } from "../row-list.js";
import { isNotHeld } from "../retention/retention-writes.js";

/** Converts domain values to writes. Only this file changes the memory tables. */

/** Adds new entries with their sessions, vectors and codes. */
export function writeEntries(entries: readonly EmbeddedEntry[], modelId: number): Write[] {
  if (entries.length === 0) return [];
  const all = entries.map(({ entry }) => entry);
  const rows = insertRows("memory_entries", ENTRY_COLUMNS, all.map(entryRow));
  return [...writeSessions(all), rows, ...writeVectors(entries, modelId)];
}

/** The distinct sessions of the entries, each with the time of its first entry. */
function writeSessions(entries: readonly MemoryEntry[]): Write[] {
  const sessions = new Map(
    entries.toReversed().map((entry) => [`${entry.orgId} ${entry.sessionId}`, entry]),
  );
  return [...sessions.values()].map(({ orgId, sessionId, createdAtMs }) => ({
    sql: `INSERT INTO sessions (org_id, session_id, created_at_ms) VALUES (?, ?, ?)
          ON CONFLICT DO NOTHING`,
    params: [orgId, sessionId, createdAtMs],
  }));
}

const ENTRY_COLUMNS = [
  ...["entry_id", "org_id", "session_id", "created_at_ms"],
  ...["tool_name", "intent", "sources", "content"],
];

function entryRow(entry: MemoryEntry): readonly (string | number | null)[] {
  const { orgId, entryId, sessionId, content, createdAtMs, toolCall } = entry;
  const { toolName = null, intent = null, sources } = toolCall ?? {};
  return [entryId, orgId, sessionId, createdAtMs, toolName, intent, sourcesJson(sources), content];
}

/**
 * Adds vectors and codes for existing entries. A vector that the store already has is only
 * referenced.
 */
export function writeVectors(entries: readonly EmbeddedEntry[], modelId: number): Write[] {
  const model = BigInt(modelId);
  const { distinct, ofEntries } = storedVectors(entries);
  const references = ofEntries.map(({ orgId, sha256 }, index) => [
    entries[index]?.entry.entryId,
    orgId,
    Buffer.from(sha256).toString("hex"),
  ]);
  return [
    ...distinct.flatMap((vector) => writeVector(vector, model)),
    {
      // A cross join is run in this order: each entry is found by its id, and its vector by the hash.
      sql: `INSERT INTO memory_entry_vectors (entry_key, model_id, vector_key)
            SELECT e.entry_key, v.model_id, v.vector_key
            FROM jsonb_each(?1) AS r
              CROSS JOIN memory_entries AS e ON e.entry_id = r.value ->> 0
              CROSS JOIN memory_vectors AS v
                ON v.org_id = r.value ->> 1 AND v.model_id = ?2 AND v.sha256 = unhex(r.value ->> 2)
            WHERE e.org_id = v.org_id`,
      params: [JSON.stringify(references), model],
      expect: entries.length,
    },
  ];
}

function writeVector({ orgId, sha256, embedding, code }: StoredVector, model: bigint): Write[] {
  return [
    {
      sql: `INSERT INTO memory_vectors (org_id, model_id, sha256, embedding) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING`,
      params: [orgId, model, sha256, embedding],
    },
    {
      sql: `INSERT INTO memory_codes (vector_key, code)
            SELECT vector_key, ? FROM memory_vectors
            WHERE org_id = ? AND model_id = ? AND sha256 = ?
            ON CONFLICT DO NOTHING`,
      params: [code, orgId, model, sha256],
    },
  ];
}

/**
 * Limits entries that are found by their ids to an organization. The plus sign keeps the engine from finding
 * them by this condition instead, which reads all entries of the organization.
 */
const OF_ORGANIZATION = "+e.org_id = ?1";

/** Deletes entries with their vectors and codes, and sessions without other entries. */
export function writeDeletion(
  orgId: string,
  sessionId: string,
  entryIds: readonly string[],
): Write[] {
  return [
    {
      // One statement for any number of entries: the list is passed as JSON.
      sql: `DELETE FROM memory_entries AS e
            WHERE ${OF_ORGANIZATION} AND e.entry_id IN (SELECT value FROM json_each(?2))
              AND ${isNotHeld("e")}`,
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

/**
 * Deletes an organization's entries that still exist and that no legal hold covers, and sessions
 * without other entries.
 */
export function writeExpiry(
  orgId: string,
  entries: readonly Pick<MemoryEntry, "sessionId" | "entryId">[],
): Write[] {
  const entryIds = entries.map(({ entryId }) => entryId);
  const sessions = [...new Set(entries.map(({ sessionId }) => sessionId))];
  return [
    {
      sql: `DELETE FROM memory_entries AS e
            WHERE ${OF_ORGANIZATION} AND e.entry_id IN (SELECT value FROM json_each(?2))
              AND ${isNotHeld("e")}`,
      params: [orgId, JSON.stringify(entryIds)],
    },
    {
      sql: `DELETE FROM sessions
            WHERE org_id = ? AND session_id IN (SELECT value FROM json_each(?))
              AND NOT EXISTS (
                SELECT 1 FROM memory_entries
                WHERE memory_entries.org_id = sessions.org_id
                  AND memory_entries.session_id = sessions.session_id)`,
      params: [orgId, JSON.stringify(sessions)],
    },
  ];
}

/** Sets the model whose vectors are stored and searched from now on. */
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

/** Adds a model that is not used yet. */
export function writeModel({ name, dimension }: EmbeddingModel): Write {
  return {
    sql: `INSERT INTO memory_models (name, dimension, is_active) VALUES (?, ?, 0)
          ON CONFLICT (name) DO NOTHING`,
    params: [name, BigInt(dimension)],
  };
}

/** Makes a model the active one, if every entry has a vector of it. @param unreadable entries that cannot have one. */
export function writeActivation(modelId: number, unreadable: readonly string[]): Write[] {
  return [
    { sql: "UPDATE memory_models SET is_active = 0 WHERE is_active = 1", params: [] },
    {
      sql: `UPDATE memory_models SET is_active = 1
            WHERE model_id = ?1 AND NOT EXISTS (
              SELECT 1 FROM memory_entries
              WHERE entry_id NOT IN (SELECT value FROM json_each(?2)) AND NOT EXISTS (
                SELECT 1 FROM memory_entry_vectors
                WHERE memory_entry_vectors.entry_key = memory_entries.entry_key
                  AND memory_entry_vectors.model_id = ?1))`,
      params: [BigInt(modelId), JSON.stringify(unreadable)],
      expect: 1,
    },
  ];
}

/** Deletes other models' vectors of the entries with these keys. */
export function writeDisposal(
  modelId: number,
  entries: { readonly afterKey: number; readonly throughKey: number },
): Write {
  return {
    sql: `DELETE FROM memory_entry_vectors
          WHERE entry_key > ? AND entry_key <= ? AND model_id <> ?`,
    params: [entries.afterKey, entries.throughKey, BigInt(modelId)],
  };
}
