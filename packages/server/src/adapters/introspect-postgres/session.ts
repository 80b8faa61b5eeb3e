import { createHash } from "node:crypto";
import type pg from "pg";
import { AppError } from "../../kernel/errors.js";
import { type Schema, type Script, stepsOf } from "../../schema/index.js";
import { CATALOG_SETTINGS, introspectPostgres, rereadPostgres } from "../postgres-catalog.js";
import { RELATIONS_WRITTEN } from "../postgres-catalog-queries.js";
import { PostgresClient } from "../postgres-client.js";
import { connectionRefusal } from "../postgres-errors.js";

/** How long a statement may run where a wanted schema is tried, in ms. */
const SCRATCH_TIMEOUT_MS = 30_000;
/** How long a connection may take, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a connection.
 * @param pipeline whether a statement is sent while others are under way, instead of after their answers.
 * @throws AppError `STORE_UNAVAILABLE`, without the address and its password.
 */
export async function connect(
  url: string,
  name: string,
  { pipeline = false }: { readonly pipeline?: boolean } = {},
): Promise<pg.Client> {
  const client = new PostgresClient({
    connectionString: url,
    pipeline,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "steward migrations",
  });
  // A connection that is cut fails the statement under way; there is nobody else to tell.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (cause) {
    const said = connectionRefusal(cause);
    if (said !== undefined) {
      const refused = `The server of the database ${name} refuses the connection: ${said}`;
      throw new AppError("STORE_UNAVAILABLE", `${refused}; correct its URL`, { cause });
    }
    const message = `The database ${name} cannot be reached`;
    throw new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 });
  }
}

/** With nothing on the path, names that a script does not qualify are found nowhere. */
export const NO_SEARCH_PATH = "SET search_path = ''";

/**
 * Runs a script where nobody else is: in an empty database.
 * @throws what `refused` makes of a statement's error.
 */
export async function runScript(
  client: pg.Client,
  script: Script,
  refused: (sql: string, error: unknown) => AppError,
): Promise<void> {
  await client.query(`${NO_SEARCH_PATH}; SET check_function_bodies = off`);
  for (const phase of script) {
    const { isAtomic } = phase;
    const run = (sql: string, what = sql): Promise<unknown> =>
      client.query(sql).catch(async (error: unknown) => {
        if (isAtomic) await client.query("ROLLBACK");
        throw refused(what, error);
      });
    if (isAtomic) await client.query("BEGIN");
    for (const step of stepsOf(phase)) {
      if (typeof step === "string") await run(step);
      // There are no rows to find; that the questions can be asked is what is tried.
      else for (const sql of [step.count, step.examples]) await run(sql, step.object);
    }
    if (isAtomic) await client.query("COMMIT");
  }
}

/** The engine's own words, which name objects and never a secret. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}

/** Prepares a connection for definitions that somebody wrote. */
export async function prepareForDefinitions(client: pg.Client): Promise<void> {
  await client.query(
    `SET statement_timeout = ${String(SCRATCH_TIMEOUT_MS)}; SET check_function_bodies = off;
     SET client_min_messages = error; SET synchronous_commit = off`,
  );
}

/** The schema without what only this very database calls its objects. */
export async function introspectScratch(client: pg.Client): Promise<Schema> {
  return introspect(client, "none");
}

/** The schema with what this very database calls its objects. */
export async function introspectLive(client: pg.Client): Promise<Schema> {
  return introspect(client, "all");
}

/**
 * A schema that was read just before the transaction under way, as that has left it: only what the transaction has
 * touched is read, for others wait for its locks meanwhile.
 * @param concerned native ids of what it was to change; what it has deleted is not to be seen otherwise.
 */
export async function introspectTouched(
  client: pg.Client,
  schema: Schema,
  concerned: readonly string[],
): Promise<Schema> {
  await client.query(CATALOG_SETTINGS.map((setting) => `SET LOCAL ${setting}`).join("; "));
  const query = async (sql: string): Promise<readonly object[]> =>
    (await client.query<object>(sql)).rows;
  const { rows } = await client.query<{ id: string }>(RELATIONS_WRITTEN);
  // Ids that were kept can have been written by others.
  const relations = [...concerned.filter((id) => /^r:\d+$/.test(id)), ...rows.map(({ id }) => id)];
  return rereadPostgres(query, { schema, relations: [...new Set(relations)] });
}

async function introspect(client: pg.Client, nativeIds: "all" | "none"): Promise<Schema> {
  await client.query(CATALOG_SETTINGS.map((setting) => `SET ${setting}`).join("; "));
  const query = async (sql: string): Promise<readonly object[]> =>
    (await client.query<object>({ name: statementName(sql), text: sql })).rows;
  return introspectPostgres(query, nativeIds);
}

/**
 * A statement with a name is planned once per connection. Planning the query of all objects takes twice as long as
 * running it, and a migration asks it several times on one connection.
 */
function statementName(sql: string): string {
  return `steward_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`;
}
