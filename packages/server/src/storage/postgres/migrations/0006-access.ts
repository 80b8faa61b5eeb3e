/**
 * API keys and policies. Each version of an organization's policies is stored as a whole, and the
 * highest version is in force. Of the secrets of keys only the SHA-256 is stored, in hexadecimal.
 * Times are milliseconds since the epoch, UTC. A key is looked up by its id alone, because the key
 * determines the organization. Each element is one statement.
 */
export const createAccessTables: readonly string[] = [
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

  `CREATE TABLE policies (
     org_id uuid NOT NULL,
     version bigint NOT NULL,
     text text NOT NULL,
     changed_by text NOT NULL,
     changed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, version)
   )`,
];
