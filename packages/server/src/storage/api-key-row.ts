import type { ApiKey, ApiKeyDraft } from "../identity/ports.js";

/** A row of `api_keys`, with integers as numbers. */
export interface ApiKeyRow {
  readonly org_id: string;
  readonly key_id: string;
  readonly created_at_ms: number;
  /** The attributes that the key's creator chose, as JSON. */
  readonly definition: string;
  readonly secret_hash: string;
  readonly previous_hash: string | null;
  readonly previous_until_ms: number | null;
  readonly last_used_at_ms: number | null;
  readonly revoked_at_ms: number | null;
}

/** The columns, in the order in which both engines read and write them. */
export const API_KEY_COLUMNS: string =
  "org_id, key_id, created_at_ms, definition, secret_hash, previous_hash, previous_until_ms, last_used_at_ms, revoked_at_ms";

/** The stored form of the attributes that the key's creator chose. */
export function definitionOf(key: ApiKey): string {
  const { environment, name, agentId, userId, roles, permissions, scopes, expiresAtMs } = key;
  const who = { agentId, userId, roles, permissions, scopes };
  return JSON.stringify({ environment, name, ...who, expiresAtMs });
}

/** The key in a row. */
export function apiKeyOf(row: ApiKeyRow): ApiKey {
  const { previous_hash: previousHash, previous_until_ms: untilMs } = row;
  return {
    // Written by `definitionOf`.
    ...(JSON.parse(row.definition) as Omit<ApiKeyDraft, "orgId">),
    orgId: row.org_id,
    keyId: row.key_id,
    createdAtMs: row.created_at_ms,
    secretHash: row.secret_hash,
    ...(previousHash === null || untilMs === null
      ? {}
      : { previous: { secretHash: previousHash, untilMs } }),
    ...(row.last_used_at_ms === null ? {} : { lastUsedAtMs: row.last_used_at_ms }),
    ...(row.revoked_at_ms === null ? {} : { revokedAtMs: row.revoked_at_ms }),
  };
}
