import { once } from "node:events";
import { availableParallelism } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { PostgresServer } from "@steward/test-postgres";
import pg from "pg";
import {
  memoryRepositories,
  MigrationService,
  NIL_ORG_ID,
  PostgresSchemaDatabase,
  systemClock,
  systemIds,
} from "./server-modules.js";
import { ALTERED, wideSchema } from "./wide-schema.js";

/**
 * One column is added to one table of a large PostgreSQL schema: how long reading the schema, proposing and applying
 * take, how long a reader of that table waits at most, and how long the event loop is held up at most.
 *
 * node bench/dist/migrations/main.js --tables 100,300,1000
 */
const { values } = parseArgs({ options: { tables: { type: "string", default: "100,300,1000" } } });
const ADMIN = {
  orgId: NIL_ORG_ID,
  kind: "person",
  authenticatedBy: "headers",
  userId: "bench",
  roles: ["admin"],
  permissions: [],
} as const;
const MS_PER_NS = 1e-6;

print({ cores: availableParallelism(), node: process.version });
await using server = await PostgresServer.start({ settings: { fsync: "off" } });
for (const tables of values.tables.split(",").map(Number)) await measure(tables);

async function measure(tables: number): Promise<void> {
  const url = await filled(tables);
  const database = new PostgresSchemaDatabase("wide", url);
  const service = new MigrationService({
    databases: new Map([["wide", database]]),
    repositories: memoryRepositories(),
    clock: systemClock,
    ids: systemIds(systemClock),
  });
  await timed(tables, "introspect", () => database.introspect());
  await timed(tables, "first drift (records the schema)", () => service.drift(ADMIN, "wide"));
  const proposal = await timed(tables, "propose one column", () =>
    service.propose(ADMIN, {
      database: "wide",
      sql: wideSchema(tables, ", note text"),
      message: "a note",
    }),
  );
  if (proposal.status === "unchanged") throw new Error("the proposal changes a column");
  const probe = new Worker(new URL("./lock-probe-worker.js", import.meta.url), {
    workerData: { url, table: `t${String(ALTERED)}` },
  });
  await once(probe, "message");
  await timed(tables, "apply one column", () => service.apply(ADMIN, proposal.id));
  probe.postMessage("stop");
  const [slowestMs] = (await once(probe, "message")) as [number];
  print({ tables, what: "slowest read of the altered table meanwhile", ms: round(slowestMs) });
  await probe.terminate();
}

async function filled(tables: number): Promise<string> {
  const name = `wide_${String(tables)}`;
  await query(server.url, `CREATE DATABASE ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await query(url.href, wideSchema(tables));
  return url.href;
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function timed<T>(tables: number, what: string, work: () => Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const began = performance.now();
  const result = await work();
  const ms = performance.now() - began;
  delay.disable();
  print({ tables, what, ms: round(ms), longestStallMs: round(delay.max * MS_PER_NS) });
  return result;
}

function round(ms: number): number {
  return Math.round(ms);
}

function print(row: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
