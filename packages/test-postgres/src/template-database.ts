import type { Client } from "pg";

/** What databases begin with. It is created once in a test run and then copied. */
export interface Template {
  /** Lower-case letters, digits and `_`. Templates of one name must have the same content. */
  readonly name: string;
  /** Fills an empty database, and closes all connections to it. */
  readonly fill: (url: string) => Promise<unknown>;
}

/** Templates that this process knows to be there: server and name. */
const known = new Set<string>();

/**
 * Creates the template on a server unless it exists. The files of a test run do this at the same time: one of them
 * creates it, and the others wait.
 * @param admin a connection to the server at `serverUrl`.
 * @returns the name of the database to copy.
 */
export async function templateDatabase(
  admin: Client,
  serverUrl: string,
  { name, fill }: Template,
): Promise<string> {
  const database = `steward_template_${name}`;
  const key = `${serverUrl} ${name}`;
  if (known.has(key)) return database;
  await admin.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [database]);
  try {
    const { rows } = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
    if (rows.length === 0) {
      // A template that could not be filled must not be copied, so it gets its name at the end.
      const unfinished = `${database}_unfinished`;
      await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
      await fill(urlOf(serverUrl, unfinished));
      await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${database}`);
    }
  } finally {
    await admin.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [database]);
  }
  known.add(key);
  return database;
}

/** @returns the URL of another database on the same server. */
export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
