import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type QueryResultRow } from "pg";
import { clusterDatabase, freeClusterUrl } from "./cluster-database.js";
import { isServerOfThisRun, sharedServerUrl } from "./shared-server.js";
import { templateDatabase, type Template, urlOf } from "./template-database.js";

const PREFIX = "steward_test_";
/** Older databases were left behind by a killed run, in ms. */
const AGE_MS_MAX = 6 * 60 * 60 * 1000;
/** Number of attempts to drop a database, and the pause between them in ms. */
const DROP_TRIES_MAX = 20;
const DROP_WAIT_MS = 500;

/** A new empty database; it is dropped when disposed, even with open connections. */
export interface TestDatabase extends AsyncDisposable {
  /** `postgres://user:password@host:port/name`; the user may do everything in it. */
  readonly url: string;
  readonly name: string;
  /** Runs statements directly: several in one text, unless there are values. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly QueryResultRow[]>;
}

/**
 * Creates a database on the PostgreSQL server that the files of this test run share, or on the
 * server of `SERVICE_TEST_DATABASE_URL` when that is set. With `SERVICE_TEST_CITUS_URL`, the first
 * database of a test is the cluster's own, emptied, and further ones are created on its
 * coordinator.
 * @param template What the database begins with. Without it, the database is empty.
 */
export async function freshDatabase(template?: Template): Promise<TestDatabase> {
  const cluster = freeClusterUrl();
  if (cluster !== undefined) {
    const database = await clusterDatabase(cluster);
    await template?.fill(database.url);
    return database;
  }
  const serverUrl = await sharedServerUrl();
  // A server that outlives the run might have the template of another version.
  const isCopied = isServerOfThisRun();
  const name = `${PREFIX}${Date.now()}_${randomBytes(6).toString("hex")}`;
  await onServer(serverUrl, async (admin) => {
    await dropLeftBehind(admin);
    const original =
      template === undefined || !isCopied
        ? "template0"
        : await templateDatabase(admin, serverUrl, template);
    // The default strategy writes every page to the log, which takes twice the processor time for a database this small.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${original} STRATEGY FILE_COPY`);
  });
  const url = urlOf(serverUrl, name);
  if (!isCopied) await template?.fill(url);
  const owner = new Client({ connectionString: url });
  // A test may restart the server or cut the connection.
  owner.on("error", () => undefined);
  await owner.connect();
  return {
    url,
    name,
    async query(sql, values) {
      const bound = values === undefined ? undefined : [...values];
      return (await owner.query<QueryResultRow>(sql, bound)).rows;
    },
    async [Symbol.asyncDispose]() {
      await owner.end();
      await onServer(serverUrl, (admin) => dropDatabase(admin, name));
    },
  };
}

/**
 * Drops a database, with retries: the checkpoint that precedes it fails while another test fills a
 * disk of the same server, or drops a database.
 */
async function dropDatabase(admin: Client, name: string): Promise<void> {
  for (let triesLeft = DROP_TRIES_MAX; ; triesLeft--) {
    try {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if (triesLeft <= 1) throw error;
      await delay(DROP_WAIT_MS);
    }
  }
}

async function onServer(url: string, work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ connectionString: url });
  admin.on("error", () => undefined);
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

async function dropLeftBehind(admin: Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`,
    [PREFIX],
  );
  for (const { datname } of rows) {
    const createdAtMs = Number(datname.slice(PREFIX.length).split("_")[0]);
    if (createdAtMs < Date.now() - AGE_MS_MAX)
      await admin.query(`DROP DATABASE IF EXISTS ${admin.escapeIdentifier(datname)} WITH (FORCE)`);
  }
}
