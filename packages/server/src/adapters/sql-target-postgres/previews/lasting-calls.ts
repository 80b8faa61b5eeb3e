import { StatementError } from "../../../plans/ports.js";
import type { Session } from "../session.js";

const VOLATILE = `
SELECT DISTINCT proname AS name, pronamespace <> 'pg_catalog'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_depend
    WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e') AS is_own
FROM pg_proc p WHERE provolatile = 'v' AND oid = ANY ($1::oid[]) ORDER BY name`;

/**
 * Volatile functions of PostgreSQL and well-known extensions that only tell something, or whose effect a rollback
 * undoes. Any other may have an effect that lasts.
 */
const UNDONE: ReadonlySet<string> = new Set([
  ...["array_sample", "array_shuffle", "random", "random_normal", "gen_random_bytes", "gen_salt"],
  ...["gen_random_uuid", "uuidv4", "uuidv7"],
  ...["uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v4"],
  ...["clock_timestamp", "timeofday", "timezone"],
  ...["bernoulli", "system", "system_rows", "system_time"],
  ...["pg_database_size", "pg_indexes_size", "pg_relation_size", "pg_table_size"],
  ...["pg_total_relation_size", "pg_partition_ancestors", "pg_partition_tree"],
  ...["currval", "lastval", "pg_current_xact_id", "pg_notify", "txid_current"],
]);

/**
 * Refuses to preview a statement that calls a function whose effect outlives a rollback, such as `setval`: reading
 * the preview would put it into force. The body of a volatile function of the data source's owner may call one.
 * @param functions OIDs of the functions that the statement and its views call.
 * @throws StatementError
 */
export async function requireUndone(
  session: Session,
  functions: ReadonlySet<number>,
): Promise<void> {
  if (functions.size === 0) return;
  const rows = await session.query(VOLATILE, [`{${[...functions].join(",")}}`]);
  const names = rows.flatMap(({ name, is_own: isOwn }) =>
    isOwn === "t" || !UNDONE.has(String(name)) ? [String(name)] : [],
  );
  if (names.length === 0) return;
  const message = `The statement has no preview: it calls ${names.join(", ")}, whose effect a rollback may not undo`;
  throw new StatementError("statement", message);
}
