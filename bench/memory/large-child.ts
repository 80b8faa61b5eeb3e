import { PostgresServer } from "@steward/test-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CAREFUL } from "../plans/postgres-store.js";
import { entryIdOf, LARGE_ORG } from "./rows.js";
import {
  encodeVector,
  openPostgresStore,
  openSqliteStore,
  packCode,
  silentLog,
  silentTelemetry,
  systemIds,
  WorkerVectorIndex,
} from "./server-modules.js";

/**
 * A memory of tool calls without an embedding provider, whose vectors are therefore zero, on each
 * store: how long the index takes to load, how much memory the process then has, how long counting
 * the entries takes before that, and how long hybrid searches take by how frequent their words are.
 *
 * node bench/dist/memory/large-child.js --rows 1000000 --stores sqlite,postgres
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    stores: { type: "string", default: "sqlite,postgres" },
  },
});
const rows = Number(values.rows);
const DIMENSION = 768;
const MODEL = { name: `zero@${String(DIMENSION)}`, dimension: DIMENSION };
const SEARCHES = 20;
const WARM_UP = 3;
/** The most hits that the service asks for in a hybrid search of which nothing is hidden. */
const LIMIT = 100;
type LargeStore = Awaited<ReturnType<typeof openPostgresStore>>;

for (const kind of values.stores.split(",")) {
  const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
  if (kind === "postgres") {
    await using database = await PostgresServer.start({ settings: CAREFUL });
    await measure(kind, database.url);
  } else {
    await measure(kind, join(dir, "store.db"));
  }
  rmSync(dir, { recursive: true });
}

async function measure(kind: string, place: string): Promise<void> {
  await using store = await openStore(kind, place);
  await store.memory.useModel(MODEL);
  const fillMs = await timed(() => fill(store.memory));
  print({ store: kind, rows, "entries/s filled": Math.round((1000 * rows) / fillMs) });
  print({
    store: kind,
    "count ms": round(await timed(() => store.memory.countEntries(LARGE_ORG))),
  });
  const settings = { dimension: DIMENSION, source: store.memorySource };
  await using index = new WorkerVectorIndex(settings, silentLog, silentTelemetry);
  const vector = new Float32Array(DIMENSION);
  const search = (text?: string): Promise<unknown> =>
    index.search(
      { vector, limit: LIMIT, orgId: LARGE_ORG, ...(text === undefined ? {} : { text }) },
      new AbortController().signal,
    );
  const loadMs = await timed(() => search());
  print({ store: kind, "load ms": round(loadMs), "resident MB": residentMb() });
  const texts: Readonly<Record<string, (number: number) => string>> = {
    "eight rare words": (number) => noteOf(number * 31),
    "rare and frequent words": (number) => `${noteOf(number * 31)} completed status sql query`,
    "frequent words": () => "completed status sql query",
    "one rare word": (number) => `word${String(number * 31)}`,
  };
  for (const [name, textOf] of Object.entries(texts)) {
    const times: number[] = [];
    for (let number = 0; number < SEARCHES; number += 1) {
      times.push(await timed(() => search(textOf(number))));
    }
    const sorted = times.slice(WARM_UP).sort((a, b) => a - b);
    const p50 = sorted[Math.floor(sorted.length / 2)] ?? 0;
    print({
      store: kind,
      hybrid: name,
      "p50 ms": round(p50),
      "most ms": round(sorted.at(-1) ?? 0),
    });
  }
}

async function openStore(kind: string, place: string): Promise<LargeStore> {
  const clock = { nowMs: () => Date.now() };
  if (kind === "sqlite") return openSqliteStore(place, clock, silentTelemetry);
  const parts = { clock, ids: systemIds(clock), log: silentLog, telemetry: silentTelemetry };
  return openPostgresStore({ url: place, ...parts });
}

async function fill(memory: LargeStore["memory"]): Promise<void> {
  const vector = new Float32Array(DIMENSION);
  const code = packCode(encodeVector(vector));
  for (let start = 0; start < rows; start += 500) {
    const batch = Array.from({ length: Math.min(500, rows - start) }, (_row, n) => start + n);
    await memory.addEntries(
      batch.map((row) => ({
        entry: {
          ...{ orgId: LARGE_ORG, entryId: entryIdOf(row), createdAtMs: row, sessionId: "bench" },
          content: JSON.stringify({
            tool_name: "sql.query",
            query: `SELECT ${noteOf(row)}`,
            status: "completed",
          }),
        },
        vector,
        code,
      })),
    );
  }
}

/** Eight words of a vocabulary of 5000, the same for the same number. */
function noteOf(number: number): string {
  return Array.from({ length: 8 }, (_word, place) => {
    const mixed = Math.imul(number * 8 + place + 1, 0x9e3779b1) >>> 0;
    return `word${String(mixed % 5000)}`;
  }).join(" ");
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function residentMb(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function print(row: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
