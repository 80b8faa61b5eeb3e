import { PostgresServer } from "@steward/test-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { expect, vi } from "vitest";
import { drivePlan, execute, type Acknowledged } from "./plan-driver.js";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { ServerProcess } from "./server-process.js";
import { TcpProxy } from "./tcp-proxy.js";

/** Concurrent clients that drive plans. */
const CLIENTS = 5;
/** Maximum pause before a fault, in ms. */
const ROUND_MS = 500;
/** Maximum downtime of the data source, in ms. */
const AWAY_MS = 300;

const LEDGER = `CREATE TABLE ledger (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tag text NOT NULL, seen int, hits int NOT NULL)`;

/** The allowed errors of a failed step: it changed nothing, or that is unknown. */
const CLEAR =
  /nothing was changed|It cannot be determined now whether the write took effect|abandoned before it took effect|server (closed|is (starting|shutting))/;

/**
 * Injects `rounds` faults into a PostgreSQL data source and the connections to it, while clients
 * drive plans of reads and writes and retry failures. Then it checks that every write of every plan
 * was applied once, that acknowledged results stay true, that errors are clear, and that
 * connections are reused and released.
 */
export async function dataSourceRounds(rounds: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), "steward-source-"));
  await using postgres = await PostgresServer.start({ settings: { synchronous_commit: "on" } });
  await onDatabase(postgres.url, LEDGER);
  const url = new URL(postgres.url);
  await using proxy = await TcpProxy.start(Number(url.port));
  url.port = String(proxy.port);
  await using server = await ServerProcess.start({
    SERVICE_DATABASE_URL: `sqlite:${join(dir, "steward.db")}`,
    SERVICE_DATA_DIR: dir,
    SERVICE_DATA_SOURCES: `default=${url.href}`,
    SERVICE_LOG_LEVEL: "error",
  });
  const acknowledged: Acknowledged[] = [];
  const failures: string[] = [];
  let stopped = false;
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (!stopped) {
        acknowledged.push(await drivePlan(server.url, (message) => failures.push(message)));
      }
    }),
  );
  // Awaited below; a client that fails earlier must not cause an unhandled rejection.
  clients.catch(() => undefined);
  for (let round = 0; round < rounds; round += 1) {
    await delay(random() * ROUND_MS);
    await strike(postgres, proxy, random);
  }
  stopped = true;
  await clients;
  expect(failures.filter((message) => !CLEAR.test(message))).toEqual([]);
  // Without faults nothing may fail, not even the first time.
  acknowledged.push(await drivePlan(server.url));
  for (const { planId, outputs } of acknowledged.slice(-20)) {
    for (const [stepId, output] of outputs) {
      expect(await execute(server.url, planId, stepId)).toBe(output);
    }
  }
  expect(await onDatabase(postgres.url, "SELECT count(*)::int AS n FROM ledger")).toEqual([
    { n: acknowledged.length },
  ]);
  const notOnce = "SELECT tag FROM ledger GROUP BY tag HAVING count(*) <> 1 OR sum(hits) <> 1";
  expect(await onDatabase(postgres.url, notOnce)).toEqual([]);
  expect(await server.stop()).toBe(0);
  await vi.waitFor(
    async () => expect(await onDatabase(postgres.url, SESSIONS)).toEqual([]),
    60_000,
  );
  rmSync(dir, { recursive: true });
}

/** The server's sessions in its data source. */
const SESSIONS = "SELECT state FROM pg_stat_activity WHERE application_name = 'steward'";

/** Cuts, half-closes or delays connections, or restarts the data source. */
async function strike(
  postgres: PostgresServer,
  proxy: TcpProxy,
  random: () => number,
): Promise<void> {
  if (random() < 0.75) {
    proxy.trouble(0.5, random);
  } else {
    await postgres.stop(random() < 0.5 ? "fast" : "immediate");
    await delay(random() * AWAY_MS);
    await postgres.start();
  }
}

async function onDatabase(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
