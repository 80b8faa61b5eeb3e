/**
 * API keys: of the secrets only the SHA-256, hexadecimal. Times are milliseconds since the epoch, UTC.
 * A key is looked for by its id alone: it is the key that tells the organization. One statement to an
 * entry.
 */
export const createApiKeys: readonly string[] = [
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
];
