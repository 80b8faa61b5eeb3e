import { createHash } from "node:crypto";
import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import { type Schema, type ScriptText, stepsOf } from "../index.js";
import {
  CATALOG_SETTINGS,
  introspectPostgres,
  rereadPostgres,
} from "../catalogs/postgres-catalog.js";
import { RELATIONS_WRITTEN } from "../catalogs/postgres-catalog-queries.js";
import { connectionRefusal, PostgresClient } from "@steward/postgres";

/** Statement time-out in a scratch database, in ms. */
const SCRATCH_TIMEOUT_MS = 30_000;
/** Connection time-out, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a connection.
 * @param pipeline whether statements are sent without waiting for earlier responses.
 * @throws AppError `STORE_UNAVAILABLE`, without the address and password.
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
  // A lost connection also fails the running statement, so this event needs no handling.
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

/** With an empty search path, names that a script does not qualify are not found. */
export const NO_SEARCH_PATH = "SET search_path = ''";

/**
 * Runs a script in a scratch database, without concurrent sessions.
 * @param send runs one statement.
 * @throws the error that `refused` makes of a statement's error.
 */
export async function runScript(
  client: pg.Client,
  script: ScriptText,
  refused: (sql: string, error: unknown) => AppError,
  send: (sql: string) => Promise<unknown> = (sql) => client.query(sql),
): Promise<void> {
  await client.query(`${NO_SEARCH_PATH}; SET check_function_bodies = off`);
  for (const phase of script) {
    const { isAtomic } = phase;
    const run = (sql: string, what = sql): Promise<unknown> =>
      send(sql).catch(async (error: unknown) => {
        if (isAtomic) await client.query("ROLLBACK");
        throw refused(what, error);
      });
    if (isAtomic) await client.query("BEGIN");
    for (const step of stepsOf(phase)) {
      if (typeof step === "string") await run(step);
      // There are no rows to find; this only tests that the queries are valid.
      else for (const sql of [step.count, step.examples]) await run(sql, step.object);
    }
    if (isAtomic) await client.query("COMMIT");
  }
}

/** The engine's error message, which names objects but contains no secrets. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}

/** Prepares a connection for running a user's definitions. */
export async function prepareForDefinitions(client: pg.Client): Promise<void> {
  await client.query(
    `SET statement_timeout = ${String(SCRATCH_TIMEOUT_MS)}; SET check_function_bodies = off;
     SET client_min_messages = error; SET synchronous_commit = off`,
  );
}

/** Introspects a scratch database, without native ids. */
export async function introspectScratch(client: pg.Client): Promise<Schema> {
  return introspect(client, "none");
}

/** Introspects a database, with native ids. */
export async function introspectLive(client: pg.Client): Promise<Schema> {
  return introspect(client, "all");
}

/**
 * Updates a schema that was read just before the current transaction. Only relations that the
 * transaction has touched are read again, to keep its locks short.
 * @param concerned native ids of the relations that the transaction was to change; drops cannot be
 * found otherwise.
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
  // Stored ids may have been modified by others, so their format is checked.
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
 * A prepared statement is planned once per connection. Planning the query of all objects takes
 * twice as long as running it, and a migration runs it several times on one connection.
 */
function statementName(sql: string): string {
  return `steward_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`;
}
