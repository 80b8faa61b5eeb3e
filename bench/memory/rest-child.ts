import { PostgresServer } from "@steward/test-postgres";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CAREFUL } from "../plans/postgres-store.js";
import { entryIdOf, LARGE_ORG } from "./rows.js";
import {
  encodeVector,
  HashProvider,
  openPostgresStore,
  openSqliteStore,
  packCode,
  silentLog,
  silentTelemetry,
  systemIds,
} from "./server-modules.js";

type BenchServer = ChildProcessByStdio<null, Readable, null>;
type BenchedStore = Awaited<ReturnType<typeof openPostgresStore>>;

/**
 * Searches over REST from 16 clients at once, on each store, and how long `GET /healthz` takes
 * meanwhile. The stores must give the same answers.
 *
 * node bench/dist/memory/rest-child.js --rows 100000 --seconds 10 --stores sqlite,postgres
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    seconds: { type: "string", default: "10" },
    stores: { type: "string", default: "sqlite,postgres" },
  },
});
const rows = Number(values.rows);
const CLIENTS = 16;
const DIMENSION = 768;
/** Pause between two health requests, in ms. */
const HEALTH_EVERY_MS = 10;
const STEWARD = fileURLToPath(new URL("../../../packages/server/bin/steward.js", import.meta.url));

/** Number of answers that are compared between the stores. */
const COMPARED = 50;
const DATABASE_MODEL = { name: `hash@${String(DIMENSION)}`, dimension: DIMENSION };

const answers = new Map<string, string>();
for (const kind of values.stores.split(",")) {
  const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
  if (kind === "postgres") {
    await using database = await PostgresServer.start({ settings: CAREFUL });
    await measure(kind, dir, database.url);
  } else {
    await measure(kind, dir, `sqlite:${join(dir, "store.db")}`);
  }
  rmSync(dir, { recursive: true });
}
if (new Set(answers.values()).size > 1) throw new Error("the stores do not give the same answers");

async function measure(kind: string, dir: string, databaseUrl: string): Promise<void> {
  {
    await using store = await openStore(databaseUrl);
    await fill(store.memory);
  }
  const server = startServer(dir, databaseUrl);
  try {
    const url = await urlOf(server);
    const loadMs = await timed(() => search(url, 0));
    const stop = new AbortController();
    const endAt = performance.now() + 1000 * Number(values.seconds);
    const health = watchHealth(url, stop.signal);
    const startedAt = performance.now();
    const latencies = await Promise.all(
      Array.from({ length: CLIENTS }, (_client, number) => searchUntil(url, number, endAt)),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    stop.abort();
    const all = latencies.flat();
    const healthMs = await health;
    answers.set(kind, await firstAnswers(url));
    const row = {
      search: "steward over REST, top 10",
      store: kind,
      rows,
      clients: CLIENTS,
      "searches/s": round(all.length / seconds),
      "p50 ms": round(percentile(all, 0.5)),
      "p99 ms": round(percentile(all, 0.99)),
      "healthz p99 ms": round(percentile(healthMs, 0.99)),
      // Includes loading the index, because the server has just started.
      "first search ms": round(loadMs),
      "server MB": residentMb(server),
    };
    process.stdout.write(`${JSON.stringify(row)}\n`);
  } finally {
    const exited = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await exited;
  }
}

function startServer(dir: string, databaseUrl: string): BenchServer {
  return spawn(process.execPath, [STEWARD, "serve", "--port", "0", "--json"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      SERVICE_DATABASE_URL: databaseUrl,
      SERVICE_DATA_DIR: dir,
      SERVICE_EMBEDDING_PROVIDER: "hash",
      SERVICE_LOG_LEVEL: "warn",
      SERVICE_ORG_REQUESTS_PER_SECOND: "1000000",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function openStore(databaseUrl: string): Promise<BenchedStore> {
  const clock = { nowMs: () => Date.now() };
  if (databaseUrl.startsWith("sqlite:")) {
    return openSqliteStore(databaseUrl.slice("sqlite:".length), clock, silentTelemetry);
  }
  const parts = { clock, ids: systemIds(clock), log: silentLog, telemetry: silentTelemetry };
  return openPostgresStore({ url: databaseUrl, ...parts });
}

async function fill(memory: BenchedStore["memory"]): Promise<void> {
  await memory.useModel(DATABASE_MODEL);
  const provider = new HashProvider(DIMENSION);
  for (let start = 0; start < rows; start += 500) {
    const batch = Array.from({ length: Math.min(500, rows - start) }, (_row, n) => start + n);
    const entries = await Promise.all(
      batch.map(async (row) => {
        const content = JSON.stringify({ note: noteOf(row) });
        const vector = await provider.embed(content);
        const [entryId, createdAtMs] = [entryIdOf(row), row];
        return {
          entry: { orgId: LARGE_ORG, sessionId: "bench", entryId, createdAtMs, content },
          vector,
          code: packCode(encodeVector(vector)),
        };
      }),
    );
    await memory.addEntries(entries);
  }
}

/** Eight words of a vocabulary of 5000, the same for the same number. */
function noteOf(number: number): string {
  return Array.from({ length: 8 }, (_word, place) => {
    const mixed = Math.imul(number * 8 + place + 1, 0x9e3779b1) >>> 0;
    return `word${String(mixed % 5000)}`;
  }).join(" ");
}

async function urlOf({ stdout }: BenchServer): Promise<string> {
  for await (const line of stdout.setEncoding("utf8")) {
    return (JSON.parse(String(line)) as { readonly rest: string }).rest;
  }
  throw new Error("the server ended before it was ready");
}

async function searchUntil(url: string, client: number, endAt: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let number = client; performance.now() < endAt; number += CLIENTS) {
    latencies.push(await timed(() => search(url, number)));
  }
  return latencies;
}

/** A digest of the answers to the same searches. */
async function firstAnswers(url: string): Promise<string> {
  const hash = createHash("sha256");
  for (let number = 0; number < COMPARED; number += 1) {
    hash.update(JSON.stringify(await search(url, number)));
  }
  return hash.digest("hex");
}

async function search(url: string, number: number): Promise<readonly unknown[]> {
  const response = await fetch(`${url}/api/memory/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: noteOf(number * 31) }),
  });
  const { data } = (await response.json()) as { readonly data?: readonly unknown[] };
  if (data?.length !== Math.min(10, rows)) throw new Error("a search did not find ten entries");
  return data;
}

async function watchHealth(url: string, signal: AbortSignal): Promise<readonly number[]> {
  const latencies: number[] = [];
  while (!signal.aborted) {
    latencies.push(await timed(async () => (await fetch(`${url}/healthz`)).text()));
    await delay(HEALTH_EVERY_MS);
  }
  return latencies;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Resident memory of the server in MB, where /proc exists. */
function residentMb(server: BenchServer): number | undefined {
  try {
    const status = readFileSync(`/proc/${String(server.pid)}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1000);
  } catch {
    return undefined;
  }
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
