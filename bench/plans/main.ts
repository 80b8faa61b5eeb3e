import { fork, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import type { LoadOrder, LoadResult } from "./load.js";
import { postgresStore } from "./postgres-store.js";
import { sqliteStore } from "./sqlite-store.js";
import type { StoreCounters } from "./store.js";

/**
 * Ten dependent SQL reads to a plan, durable after each, every step called by a client over gRPC:
 * beside a bare gRPC echo and the bare commits of the same rows, in one run. With the argument
 * `postgres` the store is a PostgreSQL of its own.
 */
const CONCURRENCY = [1, 16] as const;
const PLANS_EACH = { 1: 150, 16: 60 } as const;
const WARM_UP_PLANS = 20;
const PORT = 18_080;
/** How long usage and memory may take to follow, before the store's counters are read, in ms. */
const SETTLE_MS = 3000;

const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
const store = process.argv[2] === "postgres" ? await postgresStore() : sqliteStore(dir);
const server = await startServer();
const load = fork(fileURLToPath(new URL("./load.js", import.meta.url)));
const echo = fork(fileURLToPath(new URL("./echo-server.js", import.meta.url)));
const { port: echoPort } = await answer<{ port: number }>(echo);

const rows: Record<string, unknown>[] = [];
const address = `127.0.0.1:${String(PORT)}`;
const echoAddress = `127.0.0.1:${String(echoPort)}`;
await order({ kind: "echo", address: echoAddress, concurrency: 4, plansEach: WARM_UP_PLANS });
await order({ kind: "steps", address, concurrency: 4, plansEach: WARM_UP_PLANS });
for (const concurrency of CONCURRENCY) {
  const plansEach = PLANS_EACH[concurrency];
  const bare = await order({ kind: "echo", address: echoAddress, concurrency, plansEach });
  const before = await readServer(server);
  const steps = await order({ kind: "steps", address, concurrency, plansEach });
  const after = await readServer(server);
  rows.push({
    plans: concurrency,
    "steps/s": Math.round(steps.calls / steps.seconds),
    "p50 ms": percentile(steps.latenciesMs, 0.5),
    "p99 ms": percentile(steps.latenciesMs, 0.99),
    "echo/s": Math.round(bare.calls / bare.seconds),
    "of echo": ratio(steps.calls / steps.seconds, bare.calls / bare.seconds),
    "commits/step": ratio(after.commits - before.commits, steps.calls),
    "bytes/step": Math.round((after.bytes - before.bytes) / steps.calls),
    "loop lag p99 ms": Math.round(after.loopLagP99Ms * 10) / 10,
  });
}
const idle = residentMegabytes(server.pid);
await stop(server);
for (const [index, group] of CONCURRENCY.entries()) {
  const floor = await store.floor(group);
  const row = rows[index];
  if (row === undefined) continue;
  row["floor/s"] = Math.round(floor);
  row["of floor"] = ratio(Number(row["steps/s"]), floor);
}
await store[Symbol.asyncDispose]();
echo.disconnect();
load.kill();
rmSync(dir, { recursive: true });
process.stdout.write(`${String(availableParallelism())} cores, Node ${process.version}\n`);
process.stdout.write(`resident after the run: ${String(idle)} MB\n`);
for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);

async function startServer(): Promise<ChildProcess> {
  const target = join(dir, "target.db");
  const db = new DatabaseSync(target);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL)",
  );
  const insert = db.prepare("INSERT INTO customers VALUES (?, ?, ?)");
  for (let id = 1; id <= 1000; id += 1) {
    insert.run(id, `Customer ${String(id)}`, `customer-${String(id)}@example.com`);
  }
  db.close();
  const steward = fileURLToPath(
    new URL("../../../packages/server/bin/steward.js", import.meta.url),
  );
  const started = performance.now();
  const child = spawn(process.execPath, [steward, "serve"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      SERVICE_PORT: String(PORT),
      SERVICE_DATA_DIR: dir,
      SERVICE_DATABASE_URL: store.url,
      SERVICE_DATA_SOURCES: `default=sqlite:${target}`,
      SERVICE_LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${String(PORT)}/readyz`).catch(() => undefined);
    if (ready?.ok === true) break;
    if (performance.now() - started > 15_000) throw new Error("the server did not become ready");
    await delay(10);
  }
  const readyMs = Math.round(performance.now() - started);
  const idleMb = residentMegabytes(child.pid);
  process.stdout.write(`ready after ${String(readyMs)} ms, ${String(idleMb)} MB resident idle\n`);
  return child;
}

async function readServer(child: ChildProcess): Promise<StoreCounters & { loopLagP99Ms: number }> {
  const metricsUrl = `http://127.0.0.1:${String(PORT)}/metrics`;
  // First of all: each look at the metrics begins the measurement of the loop anew.
  const page = await (await fetch(metricsUrl)).text();
  // What usage and memory derive from the steps belongs to their cost.
  await delay(SETTLE_MS);
  const counters = await store.counters(child.pid ?? 0, metricsUrl);
  const lag = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (.+)$/m.exec(page)?.[1];
  return { ...counters, loopLagP99Ms: Number(lag ?? 0) * 1000 };
}

async function order(what: LoadOrder): Promise<LoadResult> {
  load.send(what);
  return answer<LoadResult>(load);
}

async function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => {
      resolve(message as T);
    });
    child.once("exit", () => {
      reject(new Error("a bench process has ended early"));
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
}

/** Resident set of a process and its children, in MB. */
function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8");
  const theirs = children.split(" ").filter((child) => child !== "");
  return Math.round(theirs.reduce((sum, child) => sum + residentMegabytes(Number(child)), own));
}

function percentile(ascending: readonly number[], share: number): number {
  const value = ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))];
  return Math.round((value ?? 0) * 100) / 100;
}

function ratio(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 1000;
}
