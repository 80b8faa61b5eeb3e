import { CREATE_MARKER_TABLE, MARKER_TABLE } from "./own-tables.js";
import { quotedName } from "./sql-target-postgres/quoted-name.js";

/** Columns of a query for {@link MarkerRights}; the SQL needs no FROM. */
export const MARKER_RIGHTS: string = `
  coalesce((SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
            WHERE c.oid = to_regclass('${MARKER_TABLE}')), current_schema()) AS schema,
  CASE WHEN to_regclass('${MARKER_TABLE}') IS NULL
    THEN CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 'creatable' ELSE 'missing' END
    WHEN ${["SELECT", "INSERT", "UPDATE", "DELETE"]
      .map((right) => `has_table_privilege(to_regclass('${MARKER_TABLE}'), '${right}')`)
      .join(" AND ")} THEN 'usable'
    ELSE 'forbidden' END AS marker_table`;

/** What a login role may do with the table of markers. */
export interface MarkerRights {
  readonly role: string;
  /** The schema of the table, or that in which it would be created; `null`: the role may use none. */
  readonly schema: string | null;
  /** `creatable`: it is missing, and the role may create it. `forbidden`: a privilege is missing. */
  readonly marker_table: "usable" | "creatable" | "missing" | "forbidden";
}

/** Why every write of a role fails, although reads may succeed. */
export interface MarkerProblem {
  readonly found: string;
  /** Who may run the SQL. */
  readonly owner: string;
  /** The SQL after which writes succeed. */
  readonly sql: string;
}

/** What a role lacks to write; absent when it lacks nothing. */
export function markerProblem({
  role,
  schema,
  marker_table: table,
}: MarkerRights): MarkerProblem | undefined {
  if (table === "usable" || table === "creatable") return undefined;
  const own = quotedName([schema ?? "public"]);
  const to = quotedName([role]);
  const path = `SET search_path = ${own};`;
  const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON ${MARKER_TABLE} TO ${to};`;
  if (table === "forbidden") {
    return {
      found: `role ${role} can run no write, because it may not use the table ${MARKER_TABLE}`,
      owner: "its owner",
      sql: `${path} ${grant}`,
    };
  }
  const use = schema === null ? ` GRANT USAGE ON SCHEMA ${own} TO ${to};` : "";
  return {
    found: `role ${role} can run no write: the table ${MARKER_TABLE} is missing, and the role may not create it`,
    owner: "the owner of the database",
    sql: `${path} ${CREATE_MARKER_TABLE}; ${grant}${use}`,
  };
}
