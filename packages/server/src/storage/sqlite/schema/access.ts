/**
 * API keys, sessions of the console, and policies. Of secrets only the SHA-256 is stored, in hexadecimal.
 * Times are milliseconds since the epoch, UTC.
 */
export const accessTables: string = `
-- Keys. For a while after its secret was replaced, a key's previous secret also counts.
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

-- Sessions of people who signed in to the console.
CREATE TABLE browser_sessions (
  org_id TEXT NOT NULL,
  id_hash TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  proof TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX browser_sessions_by_owner ON browser_sessions (org_id, owner, created_at_ms);

-- Each version of an organization's policies as a whole; the highest version is in force.
CREATE TABLE policies (
  org_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, version)
) STRICT, WITHOUT ROWID;
`;
