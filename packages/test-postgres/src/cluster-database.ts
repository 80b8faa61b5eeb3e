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

/**
 * @returns the database that the cluster has for tests.
 * @throws Error when this test has it already: a second database would not be distributed, and a test
 * that passes there says nothing about a cluster.
 */
export function freeClusterUrl(): string | undefined {
  const url = clusterUrl();
  if (url !== undefined && isInUse) {
    throw new Error("A test on a cluster has one database at a time: dispose of the first one");
  }
  return url;
}

/**
 * The database at this URL, with its schema public emptied: an extension such as Citus has to be created on every
 * server of a cluster when a database is made, and a managed cluster has only one. Waits until nobody else uses it.
 */
export async function clusterDatabase(url: string): Promise<TestDatabase> {
  const owner = new Client({ connectionString: url });
  owner.on("error", () => undefined);
  await owner.connect();
  isInUse = true;
  try {
    await owner.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await empty(owner);
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

/**
 * Drops the views, tables and functions of the schema public, but none of an extension: with the schema itself,
 * Citus and what it knows of the cluster would be gone.
 */
async function empty(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ statement: string }>(
    `SELECT format('DROP %s IF EXISTS %s CASCADE',
       CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
       c.oid::regclass) AS statement
     FROM pg_class AS c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
       AND NOT EXISTS (SELECT FROM pg_depend AS d
         WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('e', 'i'))
     UNION ALL
     SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure)
     FROM pg_proc AS p
     WHERE p.pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend AS d
         WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`,
  );
  for (const { statement } of rows) await owner.query(statement);
}
