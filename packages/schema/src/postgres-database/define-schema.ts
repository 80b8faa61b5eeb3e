import pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import { type Definition, type Definitions, routineText, shown } from "../index.js";
import type { RoutineStubs } from "./routine-stubs.js";
import { prepareForDefinitions, reasonOf } from "./session.js";

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";
const WITHOUT_RIGHTS =
  "write the schema without owners and privileges (pg_dump --no-owner --no-privileges)";

/**
 * Definitions per transaction, which are pipelined. Larger transactions are slower, because each
 * statement scans the catalog entries that the previous ones have changed.
 */
const DEFINITIONS_AT_ONCE = 10;

/**
 * Runs the definitions of a wanted schema in an empty database. The extended protocol accepts one
 * statement at a time, so a definition cannot contain a second statement.
 * @param client a connection with pipelining.
 * @param target the data source whose server this is, for messages.
 * @param stubs replaces the bodies of the functions that are defined.
 * @throws AppError `INVALID_ARGUMENT` for roles that do not exist on the server, and for a
 * definition that it refuses.
 */
export async function defineSchema(
  client: pg.Client,
  { statements, roles }: Definitions,
  { target, stubs }: { readonly target: string; readonly stubs: RoutineStubs },
): Promise<void> {
  const run = (sql: string): Promise<void> => stubs.run(sql, (each) => runOne(client, each));
  await refuseMissingRoles(client, roles, target);
  await prepareForDefinitions(client);
  await client.query("SET search_path = public");
  for (let start = 0; start < statements.length; start += DEFINITIONS_AT_ONCE) {
    const some = statements.slice(start, start + DEFINITIONS_AT_ONCE);
    if (await areDefinedTogether(client, some, run)) continue;
    // One of the definitions was refused or cannot run in a shared transaction, so they are run one
    // by one.
    for (const definition of some) await define(definition, run);
  }
}

/**
 * Runs definitions in one transaction.
 * @returns false when the transaction was rolled back, or when a definition has to be finished
 * before the next one is sent.
 */
async function areDefinedTogether(
  client: pg.Client,
  definitions: readonly Definition[],
  run: (sql: string) => Promise<void>,
): Promise<boolean> {
  if (definitions.some(({ sql }) => routineText(sql)?.isParsed === true)) return false;
  const sent = [
    client.query("BEGIN"),
    ...definitions.map(({ sql }) => run(sql)),
    client.query("COMMIT"),
  ];
  const answers = await Promise.allSettled(sent);
  return answers.every(({ status }) => status === "fulfilled");
}

function runOne(client: pg.Client, sql: string): Promise<unknown> {
  // The driver supports this option, but its types lack it.
  return client.query({ text: sql, queryMode: "extended" } as pg.QueryConfig);
}

async function define(
  { sql, place }: Definition,
  run: (sql: string) => Promise<void>,
): Promise<void> {
  try {
    await run(sql);
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
