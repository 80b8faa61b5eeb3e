import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** Settings that allow a transaction to wait for a replica that does not exist. */
export const LOSABLE_COMMITS: Readonly<Record<string, string>> = {
  synchronous_standby_names: "nobody",
  synchronous_commit: "local",
};

/** Interval for finding waiting commits, in ms. */
const LOOK_MS = 10;

/**
 * Runs `work` while no transaction that adds to a table gets the answer to its commit: the commit
 * waits for a replica, takes effect, and its connection ends.
 * @param url of a database on a server with {@link LOSABLE_COMMITS}.
 */
export async function withLostCommits<T>(
  url: string,
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(trigger(table));
    const done = new AbortController();
    const result = work().finally(() => done.abort());
    // Awaited below; an earlier failure must not cause an unhandled rejection.
    result.catch(() => undefined);
    while (!done.signal.aborted) {
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event = 'SyncRep'`,
      );
      await delay(LOOK_MS);
    }
    await client.query("DROP FUNCTION wait_for_replica CASCADE");
    return await result;
  } finally {
    await client.end();
  }
}

function trigger(table: string): string {
  return `
    CREATE FUNCTION wait_for_replica() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM set_config('synchronous_commit', 'on', true); RETURN NULL; END $$;
    CREATE TRIGGER wait_for_replica AFTER INSERT ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION wait_for_replica()`;
}
