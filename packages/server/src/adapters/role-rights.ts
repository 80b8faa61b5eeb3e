import { PostgresClient } from "@steward/postgres";
import { assert } from "@steward/kernel/assert.js";
import { MARKER_RIGHTS, markerProblem, type MarkerRights } from "./marker-rights.js";
import { quotedName } from "./sql-target-postgres/quoted-name.js";

/** Time limit for the server's response, in ms. */
const ANSWER_MS_MAX = 5_000;

/** Something about the role of a data source, and what to do about it. */
export interface RoleProblem {
  readonly found: string;
  readonly fix: string;
}

/** What a PostgreSQL data source's server says about the role of its URL. */
export interface RoleReport {
  readonly problems: readonly RoleProblem[];
  /** The clock of the server, in ms since the epoch. */
  readonly nowMs: number;
}

/** Advice about a role with excessive rights. */
const ROLE_FIX =
  "connect as a role that is not a superuser, has no BYPASSRLS and owns no tables: " +
  "CREATE ROLE agents LOGIN PASSWORD '…', then GRANT it the tables that steps need";

/**
 * Tables of the service itself are left out, because the role creates them. A member of an owning
 * role has the owner's rights, and a superuser has all rights.
 */
const RIGHTS = `
SELECT rolname AS role, rolsuper AS is_superuser, rolbypassrls AS bypasses_policies,
  count(c.oid) AS owned, min(c.oid::regclass::text) AS example,
  (SELECT min(name) FROM unnest($1::text[]) AS name
   WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name
                     AND pg_has_role(current_user, oid, 'MEMBER'))) AS foreign_role,
  ${MARKER_RIGHTS},
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
FROM pg_roles LEFT JOIN pg_class c ON relkind IN ('r', 'p') AND NOT starts_with(relname, '_steward_')
  AND relnamespace <> 'pg_catalog'::regnamespace
  AND relnamespace <> 'information_schema'::regnamespace AND pg_has_role(relowner, 'USAGE')
WHERE rolname = current_user GROUP BY 1, 2, 3`;

interface RightsRow extends MarkerRights {
  readonly is_superuser: boolean;
  readonly bypasses_policies: boolean;
  /** A 64-bit count is returned as text. */
  readonly owned: string;
  readonly example: string | null;
  /** A role that the login role cannot take on. */
  readonly foreign_role: string | null;
  /** A 64-bit number is returned as text. */
  readonly now_ms: string;
}

/**
 * Asks the server of a PostgreSQL data source what is wrong with the role of its URL: rights that
 * neither policies nor privileges can restrict, and rights that writes lack.
 * @param organizationRoles the roles that statements of organizations run as.
 * @throws errors of the driver or the server.
 */
export async function roleReport(
  url: string,
  organizationRoles: readonly string[] = [],
): Promise<RoleReport> {
  const client = new PostgresClient({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    fallback_application_name: "steward",
  });
  // The promise reports the error too.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<RightsRow>(RIGHTS, [organizationRoles]);
    const [row] = rows;
    assert(row !== undefined, "the role that is logged in exists");
    return { problems: problemsOf(row), nowMs: Number(row.now_ms) };
  } finally {
    await client.end();
  }
}

function problemsOf(row: RightsRow): readonly RoleProblem[] {
  const excessive = sentenceOf(row);
  const marker = markerProblem(row);
  const { role, foreign_role: foreign } = row;
  return [
    ...(excessive === undefined ? [] : [{ found: excessive, fix: ROLE_FIX }]),
    ...(foreign === null
      ? []
      : [
          {
            found: `role ${role} cannot take on role ${foreign}, as an organization's steps need`,
            fix: `run as an administrator: CREATE ROLE ${quotedName([foreign])} if it is missing, then GRANT ${quotedName([foreign])} TO ${quotedName([role])}`,
          },
        ]),
    ...(marker === undefined
      ? []
      : [
          {
            found: marker.found,
            fix: `if steps are to write, run as ${marker.owner}: ${marker.sql}`,
          },
        ]),
  ];
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
