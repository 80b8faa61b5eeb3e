import { fork } from "node:child_process";
import { deepStrictEqual } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { IndexOrder, IndexReport, IndexRun } from "./index-process.js";
import { naiveSearch } from "./naive.js";
import { makePeers } from "./peers.js";
import { entryIdOf, isSmall, LARGE_ORG, SMALL_ORG } from "./rows.js";
import { encodeVector, openSqliteStore, packCode, silentTelemetry } from "./server-modules.js";
import { makeStream } from "./stream.js";
import { makeVectors, rowOf, type VectorSet } from "./vectors.js";

/**
 * Exact search in one run beside the time it takes to read the float32 vectors at memory speed, and
 * beside other exact searches where `peers/` is installed. Every kind of search is compared with the
 * naive float64 scan: rows, order and bits of the scores.
 *
 * node bench/dist/memory/search-child.js --rows 10000 --dimension 768 --data clustered --queries 50
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000" },
    dimension: { type: "string", default: "768" },
    data: { type: "string", default: "random" },
    queries: { type: "string", default: "50" },
  },
});
const dimension = Number(values.dimension);
const queryCount = Number(values.queries);
/** Queries whose results are compared with the naive scan, which is slow. */
const COMPARED = 3;
const WARM_UP = 5;

const set = makeVectors(
  values.data === "clustered" ? "clustered" : "random",
  Number(values.rows),
  dimension,
  7,
);
const queries = makeQueries();
const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
const path = join(dir, "store.db");
await fillStore();

const runs: Readonly<Record<string, IndexRun>> = {
  "top 10": { queries, limit: 10 },
  "top 100": { queries, limit: 100 },
  "top 10 of 1 %": { queries, limit: 10, orgId: SMALL_ORG },
};
const stream = await makeStream(set.data.byteLength);
const streamMs = percentile(Array.from({ length: 10 }, stream), 0.5);
const report = await runIndex({ path, dimension, runs: Object.values(runs) });
rmSync(dir, { recursive: true });

print({
  cores: availableParallelism(),
  node: process.version,
  rows: set.rows,
  dimension,
  data: values.data,
  "stream ms": round(streamMs),
  "load ms": round(report.loadMs),
  "resident MB": Math.round(report.residentBytes / 1e6),
  "stall ms": round(report.stallMs),
});
for (const [place, [name, run]] of Object.entries(runs).entries()) {
  const answers = report.runs[place] ?? [];
  for (const [number, { hits }] of answers.slice(0, COMPARED).entries()) {
    const query = queries[number] ?? new Float32Array(dimension);
    const isCandidate = (row: number): boolean => run.orgId === undefined || isSmall(row);
    deepStrictEqual(hits, naiveSearch(set, query, run.limit, isCandidate));
  }
  const times = answers.slice(WARM_UP).map(({ ms }) => ms);
  print({ search: `steward, ${name}`, ...figures(times) });
}
for (const peer of makePeers(set)) {
  const times = queries.slice(0, Math.max(WARM_UP + 1, queryCount / 5)).map((query) => {
    const startedAt = performance.now();
    peer.search(query, 10);
    return performance.now() - startedAt;
  });
  print({ search: `${peer.name}, top 10`, ...figures(times.slice(WARM_UP)) });
}

/** Queries close to rows of the set, as real questions are close to their answers. */
function makeQueries(): readonly Float32Array[] {
  const noise = makeVectors("random", queryCount, dimension, 11);
  return Array.from({ length: queryCount }, (_query, number) => {
    const near = rowOf(set, (number * 7919) % set.rows);
    return rowOf(noise, number).map((value, index) => value + (near[index] ?? 0));
  });
}

async function fillStore(): Promise<void> {
  await using store = openSqliteStore(path, { nowMs: () => Date.now() }, silentTelemetry);
  await store.memory.useModel({ name: "bench", dimension });
  for (let start = 0; start < set.rows; start += 500) {
    const rows = Array.from({ length: Math.min(500, set.rows - start) }, (_row, n) => start + n);
    await store.memory.addEntries(rows.map((row) => storedEntry(set, row)));
  }
}

function storedEntry(
  vectors: VectorSet,
  row: number,
): Parameters<ReturnType<typeof openSqliteStore>["memory"]["addEntries"]>[0][number] {
  const vector = rowOf(vectors, row);
  const entry = {
    orgId: isSmall(row) ? SMALL_ORG : LARGE_ORG,
    entryId: entryIdOf(row),
    sessionId: "bench",
    content: `{"row":${row}}`,
    createdAtMs: row,
  };
  return { entry, vector, code: packCode(encodeVector(vector)) };
}

async function runIndex(order: IndexOrder): Promise<IndexReport> {
  const module = fileURLToPath(new URL("./index-process.js", import.meta.url));
  const child = fork(module, { serialization: "advanced" });
  const answer = new Promise<IndexReport>((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => {
      reject(new Error(`the index process ended with ${String(code)}`));
    });
  });
  child.send(order);
  return answer;
}

function figures(times: readonly number[]): Readonly<Record<string, number>> {
  const p50 = percentile(times, 0.5);
  return {
    "p50 ms": round(p50),
    "p99 ms": round(percentile(times, 0.99)),
    "of stream": round(p50 / streamMs),
  };
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function print(row: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
