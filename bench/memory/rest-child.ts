import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { entryIdOf, LARGE_ORG } from "./rows.js";
import {
  encodeVector,
  HashProvider,
  openSqliteStore,
  packCode,
  silentTelemetry,
} from "./server-modules.js";

/**
 * Searches over REST from 16 clients at once, and how long `GET /healthz` takes meanwhile.
 *
 * node bench/dist/memory/rest-child.js --rows 100000 --seconds 10
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    seconds: { type: "string", default: "10" },
  },
});
const rows = Number(values.rows);
const CLIENTS = 16;
const DIMENSION = 768;
/** Between two looks at the health, in ms. */
const HEALTH_EVERY_MS = 10;
const STEWARD = fileURLToPath(new URL("../../../packages/server/bin/steward.js", import.meta.url));

const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
const path = join(dir, "store.db");
await fillStore();
const server = spawn(process.execPath, [STEWARD, "serve", "--port", "0", "--json"], {
  env: {
    PATH: process.env["PATH"] ?? "",
    SERVICE_DATABASE_URL: `sqlite:${path}`,
    SERVICE_DATA_DIR: dir,
    SERVICE_EMBEDDING_PROVIDER: "hash",
    SERVICE_LOG_LEVEL: "warn",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const url = await urlOf();
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
  const row = {
    search: "steward over REST, top 10",
    rows,
    clients: CLIENTS,
    "searches/s": round(all.length / seconds),
    "p50 ms": round(percentile(all, 0.5)),
    "p99 ms": round(percentile(all, 0.99)),
    "healthz p99 ms": round(percentile(healthMs, 0.99)),
    "first search ms": round(loadMs),
    "server MB": residentMb(),
  };
  process.stdout.write(`${JSON.stringify(row)}\n`);
} finally {
  const exited = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await exited;
  rmSync(dir, { recursive: true });
}

async function fillStore(): Promise<void> {
  await using store = openSqliteStore(path, { nowMs: () => Date.now() }, silentTelemetry);
  await store.memory.useModel({ name: `hash@${String(DIMENSION)}`, dimension: DIMENSION });
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
    await store.memory.addEntries(entries);
  }
}

/** Eight words of a vocabulary of 5000, the same for the same number. */
function noteOf(number: number): string {
  return Array.from({ length: 8 }, (_word, place) => {
    const mixed = Math.imul(number * 8 + place + 1, 0x9e3779b1) >>> 0;
    return `word${String(mixed % 5000)}`;
  }).join(" ");
}

async function urlOf(): Promise<string> {
  for await (const line of server.stdout.setEncoding("utf8")) {
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

async function search(url: string, number: number): Promise<void> {
  const response = await fetch(`${url}/api/memory/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: noteOf(number * 31) }),
  });
  const { data } = (await response.json()) as { readonly data?: readonly unknown[] };
  if (data?.length !== Math.min(10, rows)) throw new Error("a search did not find ten entries");
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

/** Resident memory of the server in MB, where /proc tells it. */
function residentMb(): number | undefined {
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
