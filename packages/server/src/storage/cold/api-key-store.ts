import type {
  ApiKey,
  ApiKeyDraft,
  ApiKeyStore,
  KeyPosition,
  KeyUse,
} from "../../identity/ports.js";
import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import { byOrganization } from "../by-organization.js";
import { integer, json, optional, rowType, text, uuid } from "./row-type.js";
import { elements, greater, sql, type Sql } from "./sql.js";
import { one, type SqlStore } from "./sql-store.js";

/** A row of `api_keys`. */
interface StoredKey {
  readonly orgId: string;
  readonly keyId: string;
  readonly createdAtMs: number;
  /** The attributes that the key's creator chose. */
  readonly definition: Omit<ApiKeyDraft, "orgId">;
  readonly secretHash: string;
  readonly previousHash?: string;
  readonly previousUntilMs?: number;
  readonly lastUsedAtMs?: number;
  readonly revokedAtMs?: number;
}

const KEY = rowType<StoredKey>({
  orgId: uuid,
  keyId: text(),
  createdAtMs: integer,
  definition: json(),
  secretHash: text(),
  previousHash: optional(text()),
  previousUntilMs: optional(integer),
  lastUsedAtMs: optional(integer),
  revokedAtMs: optional(integer),
});

export class SqlApiKeyStore implements ApiKeyStore {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  async add(key: ApiKey, operation?: RecordedOperation): Promise<void> {
    const { orgId, keyId, createdAtMs, secretHash, ...rest } = key;
    const { environment, name, agentId, userId, roles, permissions, scopes, expiresAtMs } = rest;
    const who = { agentId, userId, roles, permissions, scopes };
    const definition = JSON.stringify({ environment, name, ...who, expiresAtMs });
    const insert = sql`INSERT INTO api_keys (org_id, key_id, created_at_ms, definition, secret_hash)
      VALUES (${orgId}, ${keyId}, ${createdAtMs}, ${definition}, ${secretHash})`;
    await this.#db.write([insert], { operation });
  }

  async find(keyId: string): Promise<ApiKey | undefined> {
    const query = sql`SELECT ${KEY.columns} FROM api_keys WHERE key_id = ${keyId}`;
    const row = await this.#db.row(query, KEY);
    return row && apiKeyOf(row);
  }

  async list(orgId: string, limit: number, after?: KeyPosition): Promise<readonly ApiKey[]> {
    const { createdAtMs, keyId } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, keyId: "" };
    const rows = await this.#db.rows(
      orgId,
      sql`SELECT ${KEY.columns} FROM api_keys
        WHERE org_id = ${orgId} AND (created_at_ms, key_id) < (${createdAtMs}, ${keyId})
        ORDER BY created_at_ms DESC, key_id DESC LIMIT ${limit}`,
      KEY,
    );
    return rows.map(apiKeyOf);
  }

  rotate(
    { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
    secretHash: string,
    previousUntilMs: number,
    operation?: RecordedOperation,
  ): Promise<boolean> {
    const update = sql`UPDATE api_keys SET previous_hash = secret_hash,
        previous_until_ms = ${previousUntilMs}, secret_hash = ${secretHash}
      WHERE org_id = ${orgId} AND key_id = ${keyId} AND revoked_at_ms IS NULL`;
    return this.#db.write([one(update)], { operation });
  }

  revoke(
    orgId: string,
    keyId: string,
    nowMs: number,
    operation?: RecordedOperation,
  ): Promise<boolean> {
    const update = sql`UPDATE api_keys SET revoked_at_ms = coalesce(revoked_at_ms, ${nowMs})
      WHERE org_id = ${orgId} AND key_id = ${keyId}`;
    return this.#db.write([one(update)], { operation });
  }

  async recordUses(uses: readonly KeyUse[]): Promise<void> {
    const groups = byOrganization(uses, ({ orgId }) => orgId);
    await this.#db.write([...groups].map(([orgId, own]) => usesOf(orgId, own)));
  }
}

function usesOf(orgId: string, uses: readonly KeyUse[]): Sql {
  const used = elements(uses.map(({ keyId, usedAtMs }) => [keyId, usedAtMs]));
  const lastUsed = greater(sql`coalesce(last_used_at_ms, 0)`, sql`CAST(e.value ->> 1 AS bigint)`);
  return sql`UPDATE api_keys SET last_used_at_ms = ${lastUsed} FROM ${used}
    WHERE org_id = ${orgId} AND key_id = e.value ->> 0`;
}

function apiKeyOf({ definition, previousHash, previousUntilMs, ...row }: StoredKey): ApiKey {
  const hasPrevious = previousHash !== undefined && previousUntilMs !== undefined;
  return {
    ...definition,
    ...row,
    ...(hasPrevious ? { previous: { secretHash: previousHash, untilMs: previousUntilMs } } : {}),
  };
}
