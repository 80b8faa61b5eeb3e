import type { ApiKey, ApiKeyStore, KeyPosition, KeyUse } from "../../../identity/ports.js";
import { API_KEY_COLUMNS, apiKeyOf, definitionOf, type ApiKeyRow } from "../../api-key-row.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import type { Write } from "../commit-protocol.js";
import { read, type SqliteRow } from "../connection.js";
import { readAll, type StoreReads } from "../reads/store-reads.js";

export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  add(key: ApiKey): Promise<void> {
    const { orgId, keyId, createdAtMs, secretHash } = key;
    return this.#writer.commitEffect([
      {
        sql: `INSERT INTO api_keys (${API_KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)`,
        params: [orgId, keyId, createdAtMs, definitionOf(key), secretHash],
      },
    ]);
  }

  find(keyId: string): Promise<ApiKey | undefined> {
    return read(() => {
      const row = this.#db.get(`SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE key_id = ?`, keyId);
      return row === undefined ? undefined : keyOf(row);
    });
  }

  list(orgId: string, limit: number, after?: KeyPosition): Promise<readonly ApiKey[]> {
    const { createdAtMs, keyId } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, keyId: "" };
    return readAll(
      this.#db,
      orgId,
      keyOf,
      `SELECT ${API_KEY_COLUMNS} FROM api_keys
           WHERE org_id = ? AND (created_at_ms, key_id) < (?, ?)
           ORDER BY created_at_ms DESC, key_id DESC LIMIT ?`,
      orgId,
      createdAtMs,
      keyId,
      limit,
    );
  }

  rotate(
    { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
    secretHash: string,
    previousUntilMs: number,
  ): Promise<boolean> {
    return this.#change({
      sql: `UPDATE api_keys SET previous_hash = secret_hash, previous_until_ms = ?, secret_hash = ?
            WHERE org_id = ? AND key_id = ? AND revoked_at_ms IS NULL`,
      params: [previousUntilMs, secretHash, orgId, keyId],
    });
  }

  revoke(orgId: string, keyId: string, nowMs: number): Promise<boolean> {
    return this.#change({
      sql: `UPDATE api_keys SET revoked_at_ms = coalesce(revoked_at_ms, ?)
            WHERE org_id = ? AND key_id = ?`,
      params: [nowMs, orgId, keyId],
    });
  }

  recordUses(uses: readonly KeyUse[]): Promise<void> {
    return this.#writer.commit(
      uses.map(({ orgId, keyId, usedAtMs }) => ({
        sql: `UPDATE api_keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?)
              WHERE org_id = ? AND key_id = ?`,
        params: [usedAtMs, orgId, keyId],
      })),
    );
  }

  /** @returns whether there was a row to change. */
  async #change(write: Write): Promise<boolean> {
    try {
      await this.#writer.commitEffect([{ ...write, expect: 1 }]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}

function keyOf(row: SqliteRow): ApiKey {
  // The query names these columns.
  return apiKeyOf(row as unknown as ApiKeyRow);
}
