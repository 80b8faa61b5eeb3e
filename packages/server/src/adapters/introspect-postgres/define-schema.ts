import pg from "pg";
import { AppError } from "../../kernel/errors.js";
import { type Definition, type Definitions, shown } from "../../schema/index.js";
import { prepareForDefinitions, reasonOf } from "./session.js";

/** SQLSTATE: the user may not do this. */
const INSUFFICIENT_PRIVILEGE = "42501";
const WITHOUT_RIGHTS =
  "write the schema without owners and privileges (pg_dump --no-owner --no-privileges)";

/**
 * Runs the definitions of a wanted schema in an empty database, each by itself: the extended protocol
 * takes one statement at a time, so that nothing hides behind another one.
 * @param target The data source whose server this is, for messages.
 * @throws AppError `INVALID_ARGUMENT` for roles that the server does not have, and for a definition that it
 * refuses.
 */
export async function defineSchema(
  client: pg.Client,
  { statements, roles }: Definitions,
  target: string,
): Promise<void> {
  await refuseMissingRoles(client, roles, target);
  await prepareForDefinitions(client);
  await client.query("SET search_path = public");
  for (const definition of statements) await define(client, definition);
}

async function define(client: pg.Client, { sql, place }: Definition): Promise<void> {
  // The driver's types do not have this option.
  const query = { text: sql, queryMode: "extended" } as pg.QueryConfig;
  try {
    await client.query(query);
  } catch (cause) {
    const message = `${place}: PostgreSQL refuses ${shown(sql)}: ${reasonOf(cause)}${adviceFor(sql, cause)}`;
    throw new AppError("INVALID_ARGUMENT", message, { cause });
  }
}

function adviceFor(sql: string, cause: unknown): string {
  const isRight = cause instanceof pg.DatabaseError && cause.code === INSUFFICIENT_PRIVILEGE;
  if (!isRight || !/\b(OWNER|GRANT|REVOKE|PRIVILEGES|AUTHORIZATION)\b/i.test(sql)) return "";
  return `; make the user of the data source a member of the role, or ${WITHOUT_RIGHTS}`;
}

async function refuseMissingRoles(
  client: pg.Client,
  roles: Definitions["roles"],
  target: string,
): Promise<void> {
  const sql = "SELECT rolname AS name FROM pg_catalog.pg_roles WHERE rolname = ANY ($1)";
  const { rows } = await client.query<{ name: string }>(sql, [[...roles.keys()]]);
  const known = new Set(rows.map(({ name }) => name));
  const missing = [...roles].filter(([role]) => !known.has(role));
  const [first] = missing;
  if (first === undefined) return;
  const named = missing.map(([role, place]) => `${JSON.stringify(role)} (${place})`).join(", ");
  throw new AppError(
    "INVALID_ARGUMENT",
    `The server of ${target} has no role ${named}: make ${missing.length === 1 ? "it" : "them"} there first ` +
      `(CREATE ROLE ${client.escapeIdentifier(first[0])}), or ${WITHOUT_RIGHTS}`,
  );
}
