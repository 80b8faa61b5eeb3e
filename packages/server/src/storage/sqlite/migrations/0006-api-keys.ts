/** API keys: of the secrets only the SHA-256, hexadecimal. Times are milliseconds since the epoch, UTC. */
export const createApiKeys: string = `
CREATE TABLE api_keys (
  org_id TEXT NOT NULL,
  key_id TEXT NOT NULL PRIMARY KEY,
  created_at_ms INTEGER NOT NULL,
  definition TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  previous_hash TEXT,
  previous_until_ms INTEGER,
  last_used_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_time ON api_keys (org_id, created_at_ms, key_id);
`;
