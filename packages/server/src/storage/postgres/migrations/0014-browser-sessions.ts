/**
 * Sessions of people who signed in to the console. Of a session's id only the SHA-256 is stored, in
 * hexadecimal. Times are milliseconds since the epoch, UTC. A session is looked up by the hash
 * alone, because the session determines the organization. Each element is one statement.
 */
export const createBrowserSessions: readonly string[] = [
  `CREATE TABLE browser_sessions (
     org_id uuid NOT NULL,
     id_hash text COLLATE "C" NOT NULL,
     owner text NOT NULL,
     proof text NOT NULL,
     created_at_ms bigint NOT NULL,
     last_used_at_ms bigint NOT NULL,
     expires_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, id_hash)
   )`,
  `CREATE INDEX browser_sessions_by_hash ON browser_sessions (id_hash)`,
  `CREATE INDEX browser_sessions_by_owner ON browser_sessions (org_id, owner, created_at_ms)`,
];
