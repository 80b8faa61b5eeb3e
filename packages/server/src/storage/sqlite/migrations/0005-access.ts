/**
 * API keys and policies. Of the secrets of keys only the SHA-256 is stored, in hexadecimal. Each
 * version of an organization's policies is stored as a whole, and the highest version is in force.
 * Times are milliseconds since the epoch, UTC.
 */
export const createAccessTables: string = `
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

CREATE TABLE policies (
  org_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, version)
) STRICT, WITHOUT ROWID;
`;
