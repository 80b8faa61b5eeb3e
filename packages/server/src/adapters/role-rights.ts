import { PostgresClient } from "@steward/postgres";

/** Time limit for the server's response, in ms. */
const ANSWER_MS_MAX = 5_000;

/** Advice about a role with excessive rights. */
export const ROLE_FIX: string =
  "connect as a role that is not a superuser, has no BYPASSRLS and owns no tables: " +
  "CREATE ROLE agents LOGIN PASSWORD '…', then GRANT it the tables that steps need";

/**
 * Tables of the service itself are left out, because the role creates them. A member of an owning
 * role has the owner's rights, and a superuser has all rights.
 */
const RIGHTS = `
SELECT rolname AS role, rolsuper AS is_superuser, rolbypassrls AS bypasses_policies,
  count(c.oid) AS owned, min(c.oid::regclass::text) AS example
FROM pg_roles LEFT JOIN pg_class c ON relkind IN ('r', 'p') AND NOT starts_with(relname, '_steward_')
  AND relnamespace <> 'pg_catalog'::regnamespace
  AND relnamespace <> 'information_schema'::regnamespace AND pg_has_role(relowner, 'USAGE')
WHERE rolname = current_user GROUP BY 1, 2, 3`;

interface RightsRow {
  readonly role: string;
  readonly is_superuser: boolean;
  readonly bypasses_policies: boolean;
  /** A 64-bit count is returned as text. */
  readonly owned: string;
  readonly example: string | null;
}

/**
 * Checks whether the role of a PostgreSQL data source has rights that neither policies nor
 * privileges can restrict.
 * @returns these rights as a sentence; `undefined` when there are none.
 * @throws errors of the driver or the server.
 */
export async function excessiveRights(
  url: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const client = new PostgresClient({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    fallback_application_name: "steward",
  });
  // The promise reports the error too.
  client.on("error", () => undefined);
  const hangUp = (): void => void client.connection.stream.destroy();
  signal?.addEventListener("abort", hangUp, { once: true });
  try {
    signal?.throwIfAborted();
    await client.connect();
    const { rows } = await client.query<RightsRow>(RIGHTS);
    return rows[0] === undefined ? undefined : sentenceOf(rows[0]);
  } finally {
    signal?.removeEventListener("abort", hangUp);
    await client.end();
  }
}

function sentenceOf(row: RightsRow): string | undefined {
  const { role } = row;
  if (row.is_superuser) {
    return `role ${role} is a superuser: neither privileges nor row-level security restrict its steps`;
  }
  if (row.bypasses_policies) {
    return `role ${role} has BYPASSRLS: row-level security does not restrict its steps`;
  }
  if (row.example === null) return undefined;
  const tables = row.owned === "1" ? row.example : `${row.owned} tables, such as ${row.example}`;
  return `role ${role} owns ${tables}: it can grant itself any privilege on them, and row-level security restricts it only where the table forces it (FORCE ROW LEVEL SECURITY)`;
}
