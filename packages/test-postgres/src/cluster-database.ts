import { Client, type QueryResultRow } from "pg";
import type { TestDatabase } from "./test-database.js";

/** The coordinator of a Citus cluster, and the database there that tests may empty. */
const CLUSTER = "SERVICE_TEST_CITUS_URL";
/** Whoever uses that database holds this advisory lock: one test at a time, on whichever machine it runs. */
const LOCK = "5226371904416283";

/** Makes an empty database ready for a test. @param url of the database. */
export type Prepare = (url: string) => Promise<unknown>;

/** Whether a test of this process has the database. */
let isInUse = false;
let prepareFresh: Prepare = () => Promise.resolve();

/** Has every database of a cluster prepared before a test gets it: to have a store's tables distributed. */
export function prepareOnCluster(prepare: Prepare): void {
  prepareFresh = prepare;
}

/** @returns the URL of the database on a cluster that tests are to use, if they are to use one. */
export function clusterUrl(): string | undefined {
  return process.env[CLUSTER];
}

/** @returns the database that the cluster has for tests, unless this test has it: another is not distributed. */
export function freeClusterUrl(): string | undefined {
  return isInUse ? undefined : clusterUrl();
}

/**
 * The database at this URL, emptied: an extension such as Citus has to be created on every server of a cluster
 * when a database is made, and a managed cluster has only one. Waits until nobody else uses it.
 */
export async function clusterDatabase(url: string): Promise<TestDatabase> {
  const owner = new Client({ connectionString: url });
  owner.on("error", () => undefined);
  await owner.connect();
  isInUse = true;
  try {
    await owner.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await owner.query("DROP SCHEMA IF EXISTS public CASCADE");
    await owner.query("CREATE SCHEMA public");
    await prepareFresh(url);
  } catch (error) {
    isInUse = false;
    await owner.end();
    throw error;
  }
  return {
    url,
    name: new URL(url).pathname.slice(1),
    async query(sql, values) {
      const bound = values === undefined ? undefined : [...values];
      return (await owner.query<QueryResultRow>(sql, bound)).rows;
    },
    async [Symbol.asyncDispose]() {
      isInUse = false;
      await owner.end();
    },
  };
}
