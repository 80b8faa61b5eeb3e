import { PostgresServer } from "@steward/test-postgres";
import pg from "pg";
import { cpuMs, parentOf } from "./processes.js";
import type { BenchStore, StoreCounters } from "./store.js";

/** Settings of a careful operator. Checkpoints of a long run are kept out of a short one. */
export const CAREFUL: Readonly<Record<string, string>> = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  shared_buffers: "256MB",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
  autovacuum: "off",
};

/** A new PostgreSQL; its floor commits every step separately, on one connection per plan. */
export async function postgresStore(): Promise<BenchStore> {
  const server = await PostgresServer.start({ settings: CAREFUL });
  const observer = new pg.Client({ connectionString: server.url });
  await observer.connect();
  await observer.query("CREATE EXTENSION pg_walinspect");
  const wal = new WalReader(observer);
  const backend = await observer.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const postmaster = parentOf(backend.rows[0]?.pid ?? 0);
  return {
    url: server.url,
    async counters() {
      const { rows } = await observer.query<{ commits: string }>(
        "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS commits",
      );
      const counted = { commits: Number(rows[0]?.commits), cpuMs: cpuMs(postmaster) };
      return { ...counted, ...(await wal.read()) };
    },
    floor: (group) => measureFloor(server.url, group),
    async [Symbol.asyncDispose]() {
      await observer.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

type WalBytes = Required<Pick<StoreCounters, "bytes" | "memoryBytes" | "pageImageBytes">>;

/** Measures the write-ahead log by origin; each call reads the new part. */
class WalReader {
  readonly #client: pg.Client;
  #through: string | undefined;
  #sum: WalBytes = { bytes: 0, memoryBytes: 0, pageImageBytes: 0 };

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async read(): Promise<WalBytes> {
    const { rows } = await this.#client.query<{ lsn: string }>(
      "SELECT pg_current_wal_insert_lsn()::text AS lsn",
    );
    const [from, through] = [this.#through, rows[0]?.lsn];
    this.#through = through;
    if (from === undefined || from === through) return this.#sum;
    const news = await this.#client.query<Record<keyof WalBytes, string>>(WAL_SQL, [from, through]);
    const [row] = news.rows;
    this.#sum = {
      bytes: this.#sum.bytes + Number(row?.bytes ?? 0),
      memoryBytes: this.#sum.memoryBytes + Number(row?.memoryBytes ?? 0),
      pageImageBytes: this.#sum.pageImageBytes + Number(row?.pageImageBytes ?? 0),
    };
    return this.#sum;
  }
}

/**
 * Records between two positions of the log; records of TOAST tables and indexes count for their
 * table.
 */
const WAL_SQL = `WITH owned AS (
    SELECT c.relfilenode AS file, coalesce(t.relname, i.relname, c.relname) AS name
    FROM pg_class AS c
    LEFT JOIN pg_index AS x ON x.indexrelid = c.oid
    LEFT JOIN pg_class AS i ON i.oid = x.indrelid
    LEFT JOIN pg_class AS t ON t.reltoastrelid IN (c.oid, i.oid)),
  record AS (
    SELECT record_length - fpi_length AS bytes, fpi_length,
      (regexp_match(block_ref, 'rel \\d+/\\d+/(\\d+)'))[1]::oid AS file
    FROM pg_get_wal_records_info($1, $2))
  SELECT sum(bytes + fpi_length) AS bytes, sum(fpi_length) AS "pageImageBytes",
    sum(bytes) FILTER (WHERE name LIKE 'memory%' OR name = 'sessions') AS "memoryBytes"
  FROM record LEFT JOIN owned USING (file)`;

/** One row of a plan's log for each step. */
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
