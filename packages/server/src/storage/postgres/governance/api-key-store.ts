import type { ApiKey, ApiKeyStore, KeyPosition, KeyUse } from "../../../identity/ports.js";
import { API_KEY_COLUMNS, apiKeyOf, definitionOf, type ApiKeyRow } from "../../api-key-row.js";
import { byOrganization } from "../by-organization.js";
import type { Database } from "../database.js";

export class PostgresApiKeyStore implements ApiKeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(key: ApiKey): Promise<void> {
    const { orgId, keyId, createdAtMs, secretHash } = key;
    await this.#db.writeEffect(
      `INSERT INTO api_keys (org_id, key_id, created_at_ms, definition, secret_hash)
       VALUES ($1, $2, $3, $4, $5)`,
      [orgId, keyId, createdAtMs, definitionOf(key), secretHash],
    );
  }

  async find(keyId: string): Promise<ApiKey | undefined> {
    const [row] = await this.#db.query<ApiKeyRow>(
      `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE key_id = $1`,
      [keyId],
    );
    return row === undefined ? undefined : apiKeyOf(row);
  }

  async list(orgId: string, limit: number, after?: KeyPosition): Promise<readonly ApiKey[]> {
    const { createdAtMs, keyId } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, keyId: "" };
    const rows = await this.#db.query<ApiKeyRow>(
      `SELECT ${API_KEY_COLUMNS} FROM api_keys
       WHERE org_id = $1 AND (created_at_ms, key_id) < ($2, $3)
       ORDER BY created_at_ms DESC, key_id DESC LIMIT $4`,
      [orgId, createdAtMs, keyId, limit],
    );
    return rows.map(apiKeyOf);
  }

  async rotate(
    { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
    secretHash: string,
    previousUntilMs: number,
  ): Promise<boolean> {
    const rows = await this.#db.writeEffect(
      `UPDATE api_keys SET previous_hash = secret_hash, previous_until_ms = $1, secret_hash = $2
       WHERE org_id = $3 AND key_id = $4 AND revoked_at_ms IS NULL RETURNING key_id`,
      [previousUntilMs, secretHash, orgId, keyId],
    );
    return rows.length > 0;
  }

  async revoke(orgId: string, keyId: string, nowMs: number): Promise<boolean> {
    const rows = await this.#db.writeEffect(
      `UPDATE api_keys SET revoked_at_ms = coalesce(revoked_at_ms, $1)
       WHERE org_id = $2 AND key_id = $3 RETURNING key_id`,
      [nowMs, orgId, keyId],
    );
    return rows.length > 0;
  }

  async recordUses(uses: readonly KeyUse[]): Promise<void> {
    for (const [orgId, own] of byOrganization(uses, (use) => use.orgId)) {
      await this.#db.query(
        `UPDATE api_keys SET last_used_at_ms = greatest(last_used_at_ms, u.used)
         FROM unnest($2::text[], $3::bigint[]) AS u (key, used)
         WHERE org_id = $1 AND key_id = u.key`,
        [orgId, own.map(({ keyId }) => keyId), own.map(({ usedAtMs }) => usedAtMs)],
      );
    }
  }
}
