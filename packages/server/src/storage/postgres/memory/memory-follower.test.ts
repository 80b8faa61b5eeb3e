import type { TestDatabase } from "@steward/test-postgres";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WorkerVectorIndex } from "../../../adapters/vector-index-wasm/index.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { embeddedEntry } from "../../../memory/embedded-entry.js";
import type { Store } from "../../store.js";
import { Database } from "../database.js";
import type { IndexSourceOptions } from "./memory-index-source.js";
import { MemoryFollower } from "./memory-follower.js";
import { Signals } from "../signals.js";
import { openTestStore } from "../testing/open-store.js";
import { nodesMeet } from "../testing/nodes-meet.js";
import { storeDatabase } from "../testing/store-database.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const MODEL = { name: "hash", dimension: 2 };
/** Time within which a node must find an entry of another node, in ms. */
const FOUND_MS_MAX = 500;
/** Longer than any test, so that no poll happens, in ms. */
const NEVER_MS = 3_600_000;

describe("what one node adds and deletes", () => {
  let database: TestDatabase;
  let a: Store;
  let b: Store;
  beforeEach(async () => {
    database = await storeDatabase();
    a = await openTestStore(database.url);
    b = await openTestStore(database.url);
    await a.memory.useModel(MODEL);
    await b.memory.useModel(MODEL);
    await nodesMeet(database);
  });
  afterEach(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("is found by another's search within half a second, and then no more", async () => {
    await using index = await openIndex(b);
    await using _following = await b.followMemory?.(index);
    await expectFollowed(a, index);
  });

  it("is found by notifications alone", async () => {
    await using db = new Database(database.url);
    await using signals = new Signals(db, { nodeId: "c", others: [] }, silentLog);
    await new Promise<void>((resolve) => signals.once("missed", resolve));
    await using index = await openIndex(b);
    const parts = { db, signals, log: silentLog, modelId: modelIdOf(b), pollMs: NEVER_MS };
    await using _following = await MemoryFollower.start(parts, index);
    await expectFollowed(a, index);
  });

  it("is found by looking now and then, when every notification is lost", async () => {
    await using elsewhere = await storeDatabase();
    await using deaf = new Database(elsewhere.url);
    await using signals = new Signals(deaf, { nodeId: "c", others: [] }, silentLog);
    await using db = new Database(database.url);
    await using index = await openIndex(b);
    const parts = { db, signals, log: silentLog, modelId: modelIdOf(b) };
    await using _following = await MemoryFollower.start(parts, index);
    await expectFollowed(a, index);
  });
});

/** A node's search index, loaded. */
async function openIndex(store: Store): Promise<WorkerVectorIndex> {
  const settings = { dimension: MODEL.dimension, source: store.memorySource };
  const index = new WorkerVectorIndex(settings, silentLog, silentTelemetry);
  expect(await search(index)).toEqual([]);
  return index;
}

/**
 * Only most of several entries must be found in time, so that one pause of the machine does not
 * fail the test.
 */
async function expectFollowed({ memory }: Store, index: WorkerVectorIndex): Promise<void> {
  const foundMs: number[] = [];
  for (let number = 1; number <= 5; number += 1) {
    const entry = {
      orgId: ORG,
      entryId: randomUUID(),
      sessionId: "s",
      content: "{}",
      createdAtMs: number,
    };
    await memory.addEntries([embeddedEntry(entry, Float32Array.of(number, 1))]);
    foundMs.push(await untilHits(index, [entry.entryId]));
    await memory.deleteEntry(ORG, entry.entryId);
    foundMs.push(await untilHits(index, []));
  }
  const median = foundMs.sort((x, y) => x - y)[foundMs.length / 2];
  expect(median).toBeLessThanOrEqual(FOUND_MS_MAX);
}

/** Searches until these hits are found. @returns how long it took, in ms. */
async function untilHits(index: WorkerVectorIndex, ids: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await expect.poll(() => search(index), { interval: 5 }).toEqual(ids);
  return performance.now() - startedAt;
}

async function search(index: WorkerVectorIndex): Promise<readonly string[]> {
  const query = { vector: Float32Array.of(1, 1), limit: 10, orgId: ORG };
  const hits = await index.search(query, new AbortController().signal);
  return hits.map(({ entryId }) => entryId);
}

function modelIdOf(store: Store): number {
  return (store.memorySource.options as IndexSourceOptions).modelId;
}
