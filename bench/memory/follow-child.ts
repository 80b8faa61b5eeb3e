import { PostgresServer } from "@steward/test-postgres";
import { setTimeout as delay } from "node:timers/promises";
import { CAREFUL } from "../plans/postgres-store.js";
import { entryIdOf, LARGE_ORG } from "./rows.js";
import {
  encodeVector,
  openPostgresStore,
  packCode,
  silentLog,
  silentTelemetry,
  systemIds,
  WorkerVectorIndex,
} from "./server-modules.js";

/**
 * Measures how long it takes until a search on one node finds an entry that another node has added.
 */
const ENTRIES = 500;
const DIMENSION = 768;
/**
 * Longest pause between two entries, in ms. The pauses vary, so that entries do not synchronize
 * with polls.
 */
const PAUSE_MS_MAX = 60;
/** Time in which nodes learn of each other, in ms. */
const ACQUAINTED_MS = 1500;

await using database = await PostgresServer.start({ settings: CAREFUL });
const clock = { nowMs: () => Date.now() };
const options = {
  url: database.url,
  clock,
  ids: systemIds(clock),
  log: silentLog,
  telemetry: silentTelemetry,
};
await using adding = await openPostgresStore(options);
await using searching = await openPostgresStore(options);
for (const store of [adding, searching]) {
  await store.memory.useModel({ name: "bench", dimension: DIMENSION });
}
const settings = { dimension: DIMENSION, source: searching.memorySource };
await using index = new WorkerVectorIndex(settings, silentLog, silentTelemetry);
await index.stats();
await using _following = await searching.followMemory?.(index);
await delay(ACQUAINTED_MS);

const signal = new AbortController().signal;
const foundMs: number[] = [];
for (let row = 0; row < ENTRIES; row += 1) {
  const vector = new Float32Array(DIMENSION);
  vector[row] = 1;
  const entryId = entryIdOf(row);
  const entry = { orgId: LARGE_ORG, sessionId: "bench", entryId, createdAtMs: row, content: "{}" };
  const startedAt = performance.now();
  await adding.memory.addEntries([{ entry, vector, code: packCode(encodeVector(vector)) }]);
  for (;;) {
    const [hit] = await index.search({ vector, limit: 1 }, signal);
    if (hit?.entryId === entryId) break;
  }
  foundMs.push(performance.now() - startedAt);
  await delay((row * 7) % PAUSE_MS_MAX);
}
foundMs.sort((a, b) => a - b);
const at = (share: number): number => Math.round(foundMs[Math.floor(share * ENTRIES)] ?? 0);
process.stdout.write(
  `${JSON.stringify({
    search: "of an entry that another node adds, from the insert on",
    entries: ENTRIES,
    "p50 ms": at(0.5),
    "p99 ms": at(0.99),
    "longest ms": Math.round(foundMs.at(-1) ?? 0),
  })}\n`,
);
