import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { STEPS_PER_PLAN, type LoadResult } from "./load-order.js";
import { BenchChild } from "./bench-child.js";
import { postgresStore } from "./postgres-store.js";
import { cpuMs, residentMegabytes } from "./processes.js";
import { BenchServer, createTarget } from "./server.js";
import { sqliteStore } from "./sqlite-store.js";
import type { StoreCounters } from "./store.js";

/**
 * Ten dependent SQL reads to a plan, durable after each, every step called by a client over gRPC:
 * beside a bare gRPC echo and the bare commits of the same rows, in one run. With the argument
 * `postgres` the store is a PostgreSQL of its own; with `--nodes N` the load is run once more over N
 * servers that share it.
 */
const PLANS_EACH = { 1: 150, 16: 60 } as const;
const WARM_UP_PLANS = 20;
/** How long usage gets to process the steps before the store's counters are read, in ms. */
const SETTLE_MS = 1000;
/**
 * Interval for checking whether memory has processed the steps, in ms; long enough for its last
 * batch to be written.
 */
const FOLLOW_POLL_MS = 500;

interface Run {
  readonly plans: 1 | 16;
  readonly nodes: number;
}

const { values, positionals } = parseArgs({
  options: { nodes: { type: "string", default: "1" } },
  allowPositionals: true,
});
const nodes = Number(values.nodes);
const runs: readonly Run[] = [
  // Many plans first, because the first run includes time in the interpreter.
  { plans: 16, nodes: 1 },
  { plans: 1, nodes: 1 },
  ...(nodes > 1 ? [{ plans: 16, nodes } as const] : []),
];
const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
createTarget(dir);
const store = positionals[0] === "postgres" ? await postgresStore() : sqliteStore(dir);
const servers: BenchServer[] = [];
const load = BenchChild.load();
const echo = BenchChild.echoServer();
const { port: echoPort } = await echo.answer<{ port: number }>();
const echoAddresses = [`127.0.0.1:${String(echoPort)}`];
await load.order({
  kind: "echo",
  addresses: echoAddresses,
  concurrency: 4,
  plansEach: WARM_UP_PLANS,
});

const rows: Record<string, unknown>[] = [];
for (const run of runs) rows.push(await measured(run));
const idle = servers.reduce((sum, server) => sum + residentMegabytes(server.pid), 0);
for (const server of servers) await server.stop();
for (const [index, { plans }] of runs.entries()) {
  const row = rows[index] ?? {};
  const floor = await store.floor(plans);
  row["floor/s"] = Math.round(floor);
  row["of floor"] = ratio(Number(row["steps/s"]), floor);
}
await store[Symbol.asyncDispose]();
echo.end();
load.end();
rmSync(dir, { recursive: true });
process.stdout.write(`${String(availableParallelism())} cores, Node ${process.version}\n`);
process.stdout.write(`resident after the run: ${String(idle)} MB\n`);
for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);

async function measured(run: Run): Promise<Record<string, unknown>> {
  for (let node = servers.length; node < run.nodes; node += 1) {
    const server = await BenchServer.start(dir, store.url, node);
    servers.push(server);
    const warmUp = { addresses: [server.address], concurrency: 4, plansEach: WARM_UP_PLANS };
    await load.order({ kind: "steps", ...warmUp });
  }
  const concurrency = run.plans;
  const plansEach = PLANS_EACH[concurrency];
  const bare = await load.order({ kind: "echo", addresses: echoAddresses, concurrency, plansEach });
  const before = await readServers();
  const addresses = servers.map(({ address }) => address);
  const steps = await load.order({ kind: "steps", addresses, concurrency, plansEach });
  const after = await readServers();
  return { ...run, ...figuresOf(steps, bare, before, after) };
}

type Reading = StoreCounters & { readonly serverCpuMs: number; readonly loopLagP99Ms: number };

async function readServers(): Promise<Reading> {
  // Must come first, because each read of the metrics resets the measurement of the loop.
  const pages = await Promise.all(servers.map((server) => server.metrics()));
  // The cost of steps includes the usage and memory rows derived from them, which must not count
  // for the next run.
  await delay(SETTLE_MS);
  while ((await callsNotRemembered()) > 0) await delay(FOLLOW_POLL_MS);
  await delay(FOLLOW_POLL_MS);
  const lags = pages.map((page) =>
    Number(/^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (.+)$/m.exec(page)?.[1] ?? 0),
  );
  const serverCpuMs = servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const counters = await store.counters(servers);
  return { ...counters, serverCpuMs, loopLagP99Ms: Math.max(...lags) * 1000 };
}

async function callsNotRemembered(): Promise<number> {
  const pages = await Promise.all(servers.map((server) => server.metrics()));
  const waiting = pages.map((page) =>
    Number(/^steward_memory_waiting_calls(?:\{[^}]*\})? (.+)$/m.exec(page)?.[1] ?? 0),
  );
  return Math.max(...waiting);
}

function figuresOf(
  steps: LoadResult,
  bare: LoadResult,
  before: Reading,
  after: Reading,
): Record<string, unknown> {
  const perStep = (name: keyof Reading): number =>
    ((after[name] ?? 0) - (before[name] ?? 0)) / steps.calls;
  const commits = perStep("commits");
  const [bytes, memoryBytes, imageBytes] = [
    perStep("bytes"),
    perStep("memoryBytes"),
    perStep("pageImageBytes"),
  ];
  return {
    "steps/s": Math.round(steps.calls / steps.seconds),
    "p50 ms": percentile(steps.latenciesMs, 0.5),
    "p99 ms": percentile(steps.latenciesMs, 0.99),
    "echo/s": Math.round(bare.calls / bare.seconds),
    "of echo": ratio(steps.calls / steps.seconds, bare.calls / bare.seconds),
    "commits/step": ratio(commits, 1),
    // Each plan is submitted in its own commit.
    "without submitting": ratio(commits - 1 / STEPS_PER_PLAN, 1),
    "bytes/step": Math.round(bytes),
    ...(after.memoryBytes === undefined
      ? {}
      : {
          "of them memory": Math.round(memoryBytes),
          "page images": Math.round(imageBytes),
          "the rest": Math.round(bytes - memoryBytes - imageBytes),
        }),
    "server CPU ms/step": ratio(perStep("serverCpuMs"), 1),
    ...(after.cpuMs === undefined ? {} : { "store CPU ms/step": ratio(perStep("cpuMs"), 1) }),
    "loop lag p99 ms": Math.round(after.loopLagP99Ms * 10) / 10,
  };
}

function percentile(ascending: readonly number[], share: number): number {
  const value = ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))];
  return Math.round((value ?? 0) * 100) / 100;
}

function ratio(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 1000;
}
