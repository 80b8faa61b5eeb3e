/**
 * Sessions of people who signed in to the console. Of a session's id only the SHA-256 is stored, in
 * hexadecimal. Times are milliseconds since the epoch, UTC.
 */
export const createBrowserSessions: string = `
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
`;
