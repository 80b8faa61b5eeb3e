/**
 * The servers that share the store, and the time by which they measure their leases. Rows that belong to no
 * organization have the nil organization, so that every key starts with one. Each element is one statement.
 */
export const nodeTables: readonly string[] = [
  // The database's time in milliseconds since the epoch, UTC.
  `CREATE FUNCTION steward_now_ms() RETURNS bigint LANGUAGE sql STABLE AS
     $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint $$`,

  // Each server's heartbeat, and the version of its program, for operators who replace one server after the
  // other.
  `CREATE TABLE nodes (
     org_id uuid NOT NULL,
     node_id uuid NOT NULL,
     lease_until_ms bigint NOT NULL,
     version text NOT NULL DEFAULT '',
     PRIMARY KEY (org_id, node_id)
   )`,
];
