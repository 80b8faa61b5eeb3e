import pg from "pg";
import { AppError } from "../../kernel/errors.js";
import type { Schema, Script } from "../../schema/index.js";
import { CATALOG_SETTINGS, introspectPostgres } from "../postgres-catalog.js";

/** How long a statement may run where a wanted schema is tried, in ms. */
const SCRATCH_TIMEOUT_MS = 30_000;
/** How long a connection may take, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Opens a connection. @throws AppError `STORE_UNAVAILABLE`, without the address and its password. */
export async function connect(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "steward migrations",
  });
  // A connection that is cut fails the statement under way; there is nobody else to tell.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (cause) {
    const message = `The database ${name} cannot be reached`;
    throw new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 });
  }
}

/**
 * Runs a script, phase by phase. In an atomic phase, `around` is called with its place: before its
 * first statement and, inside the transaction still, after its last.
 * @throws what `refused` makes of a statement's error.
 */
export async function runScript(
  client: pg.Client,
  script: Script,
  refused: (sql: string, error: unknown) => AppError,
  around: (moment: "begin" | "end", phase: number) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const run = async (sql: string): Promise<void> => {
    try {
      await client.query(sql);
    } catch (error) {
      throw refused(sql, error);
    }
  };
  await client.query("SET search_path = ''; SET check_function_bodies = off");
  for (const [index, { isAtomic, statements }] of script.entries()) {
    if (isAtomic) await client.query("BEGIN");
    try {
      await around("begin", index);
      for (const sql of statements) await run(sql);
      await around("end", index);
      if (isAtomic) await run("COMMIT");
    } catch (error) {
      if (isAtomic) await client.query("ROLLBACK");
      throw error;
    }
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

async function introspect(client: pg.Client, nativeIds: "all" | "none"): Promise<Schema> {
  await client.query(CATALOG_SETTINGS.map((setting) => `SET ${setting}`).join("; "));
  return introspectPostgres(async (sql) => (await client.query<object>(sql)).rows, nativeIds);
}
