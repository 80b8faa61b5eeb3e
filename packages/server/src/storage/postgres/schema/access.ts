/**
 * API keys, sessions of the console, and policies. Of secrets only the SHA-256 is stored, in hexadecimal. A key
 * or session is looked up by its id alone, because it determines the organization. Times are milliseconds
 * since the epoch, UTC. Each element is one statement.
 */
export const accessTables: readonly string[] = [
  // Keys. For a while after its secret was replaced, a key's previous secret also counts.
  `CREATE TABLE api_keys (
     org_id uuid NOT NULL,
     key_id text COLLATE "C" NOT NULL,
     created_at_ms bigint NOT NULL,
     definition text NOT NULL,
     secret_hash text NOT NULL,
     previous_hash text,
     previous_until_ms bigint,
     last_used_at_ms bigint,
     revoked_at_ms bigint,
     PRIMARY KEY (org_id, key_id)
   )`,
  `CREATE INDEX api_keys_by_id ON api_keys (key_id)`,
  `CREATE INDEX api_keys_by_time ON api_keys (org_id, created_at_ms, key_id)`,

  // Sessions of people who signed in to the console.
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

  // Each version of an organization's policies as a whole; the highest version is in force.
  `CREATE TABLE policies (
     org_id uuid NOT NULL,
     version bigint NOT NULL,
     text text NOT NULL,
     changed_by text NOT NULL,
     changed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, version)
   )`,
];
