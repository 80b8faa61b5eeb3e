import { PostgresServer } from "@steward/test-postgres";
import pg from "pg";
import type { BenchStore } from "./store.js";

/** As a careful operator runs it; the checkpoints of a long run are kept out of a short one. */
const SETTINGS = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  shared_buffers: "256MB",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
  autovacuum: "off",
};

/** A PostgreSQL of one's own; its floor commits every step for itself, on a connection for each plan. */
export async function postgresStore(): Promise<BenchStore> {
  const server = await PostgresServer.start({ settings: SETTINGS });
  const observer = new pg.Client({ connectionString: server.url });
  await observer.connect();
  return {
    url: server.url,
    async counters() {
      const { rows } = await observer.query<{ commits: string; bytes: string }>(
        `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS commits,
           (pg_current_wal_insert_lsn() - '0/0')::text AS bytes`,
      );
      return { commits: Number(rows[0]?.commits), bytes: Number(rows[0]?.bytes) };
    },
    floor: (group) => measureFloor(server.url, group),
    async [Symbol.asyncDispose]() {
      await observer.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** One row of a plan's log for each step: what a step leaves. */
const STEP_ROWS = `SELECT * FROM plan_changes WHERE result_step IS NOT NULL`;

async function measureFloor(url: string, group: number): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: group }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  const [first] = clients;
  if (first === undefined) throw new Error("somebody must write");
  await first.query("DROP TABLE IF EXISTS floor_changes");
  await first.query("CREATE TABLE floor_changes (LIKE plan_changes INCLUDING ALL)");
  const { rows } = await first.query<Record<string, unknown>>(STEP_ROWS);
  const columns = Object.keys(rows[0] ?? {});
  const text = `INSERT INTO floor_changes (${columns.join(", ")})
    VALUES (${columns.map((_column, index) => `$${index + 1}`).join(", ")})`;
  const waiting = rows.map((row) => columns.map((column) => row[column]));
  const started = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let values = waiting.pop(); values !== undefined; values = waiting.pop()) {
        await client.query({ name: "step", text, values });
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(clients.map((client) => client.end()));
  return rows.length / seconds;
}
