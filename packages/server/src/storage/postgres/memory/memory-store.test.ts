import type { TestDatabase } from "@steward/test-postgres";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HashProvider } from "../../../embedding/index.js";
import { embeddedEntry } from "../../../memory/embedded-entry.js";
import type { MemoryEntry } from "../../../memory/entry.js";
import type { IndexEntry } from "../../../memory/index.js";
import { memoryStoreBattery, type MemoryUnderTest } from "../../testing/memory-store-battery.js";
import {
  add,
  CountingProvider,
  embedded,
  expectVectors,
  invoice,
  modelOf,
  reembeddingBattery,
  reembedStore,
  type ReembeddingUnderTest,
} from "../../testing/reembedding-battery.js";
import { toolCallFeedBattery } from "../../testing/tool-call-feed-battery.js";
import { type Connection, Database } from "../database.js";
import { openIndexSource, type IndexSourceOptions } from "./memory-index-source.js";
import { PostgresReembedding } from "./memory-reembedding.js";
import { deleteEntries, insertEntries } from "./memory-writes.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

async function open(): Promise<MemoryUnderTest & ReembeddingUnderTest> {
  const store = await openTestStore(database.url);
  const reembedding = await PostgresReembedding.open(database.url);
  return {
    memory: store.memory,
    plans: store.plans,
    reembedding,
    openSource: () => openIndexSource(store.memorySource.options as IndexSourceOptions),
    vectorCount,
    execute: async (sql) => {
      await database.query(sql);
    },
    [Symbol.asyncDispose]: async () => {
      await reembedding[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function vectorCount(): Promise<number> {
  const [row] = await database.query("SELECT count(*)::int AS n FROM memory_vectors");
  return Number(row?.["n"]);
}

memoryStoreBattery("PostgreSQL", open);
reembeddingBattery("PostgreSQL", open);
toolCallFeedBattery("PostgreSQL", () => openTestStore(database.url));

const OLD = new HashProvider(64);

/** Number of connections that wait for a lock of another one. */
async function waiting(): Promise<number> {
  const [row] = await database.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return Number(row?.["n"]);
}

/**
 * @returns the result of `other`, which must wait for a transaction that does `work` and then
 * commits.
 */
async function whileOpen<T>(
  work: (connection: Connection) => Promise<unknown>,
  other: () => Promise<T>,
): Promise<T | undefined> {
  await using db = new Database(database.url);
  let pending: Promise<T> | undefined;
  await db.transaction(async (connection) => {
    await work(connection);
    pending = other();
    await expect.poll(waiting).toBe(1);
  });
  return await pending;
}

describe("a vector that entries of several transactions have", () => {
  const vector = Float32Array.of(1, 2);
  const [first, second] = [invoice(1), { ...invoice(2), sessionId: "other" }];

  async function withEntries(...entries: readonly MemoryEntry[]): Promise<MemoryUnderTest> {
    const node = await open();
    await node.memory.useModel({ name: "two", dimension: 2 });
    await node.memory.addEntries(entries.map((entry) => embeddedEntry(entry, vector)));
    return node;
  }

  const deleteFirst = (connection: Connection): Promise<unknown> =>
    deleteEntries(connection, first.orgId, first.sessionId, [first.entryId]);

  it("is deleted by the second of two that delete its last two entries at once", async () => {
    await using node = await withEntries(first, second);
    const deleteSecond = () => node.memory.deleteEntry(second.orgId, second.entryId);
    expect(await whileOpen(deleteFirst, deleteSecond)).toBe(true);
    expect(await vectorCount()).toBe(0);
  });

  it("stays for an entry that is added while its last one is deleted", async () => {
    await using node = await withEntries(first);
    const addSecond = (connection: Connection) =>
      insertEntries(connection, [embeddedEntry(second, vector)], 1);
    const deletion = () => node.memory.deleteEntry(first.orgId, first.entryId);
    expect(await whileOpen(addSecond, deletion)).toBe(true);
    expect(await vectorCount()).toBe(1);
  });

  it("is stored again for an entry that is added before its deletion is committed", async () => {
    await using node = await withEntries(first);
    await whileOpen(deleteFirst, () => node.memory.addEntries([embeddedEntry(second, vector)]));
    expect(await vectorCount()).toBe(1);
  });
});

describe("sessions", () => {
  it("go with their last entries, also when two are deleted at once", async () => {
    await using node = await open();
    await node.memory.useModel({ name: "two", dimension: 2 });
    const [first, second] = [invoice(1), invoice(2)];
    const entries = [first, second].map((each) => embeddedEntry(each, Float32Array.of(1, 2)));
    await node.memory.addEntries(entries);
    const deleteFirst = (connection: Connection) =>
      deleteEntries(connection, first.orgId, first.sessionId, [first.entryId]);
    const deleteSecond = () => node.memory.deleteEntry(second.orgId, second.entryId);
    expect(await whileOpen(deleteFirst, deleteSecond)).toBe(true);
    expect(await database.query("SELECT session_id FROM sessions")).toEqual([]);
  });
});

describe("re-embedding under nodes that go on", () => {
  it("gives their entries vectors too, and from the switch on they neither search nor add", async () => {
    await using node = await open();
    await node.memory.useModel(modelOf(OLD));
    const kept = Array.from({ length: 200 }, (_, number) => invoice(number));
    await add(node.memory, kept, OLD);
    const refused = addUntilRefused(node, kept);
    const provider = new SlowProvider(() => kept.length - 200);
    const progress = await reembedStore(node.reembedding, provider);
    expect(await refused).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/come from test@32 .* now: start this server again/) as string,
    });
    const ids = kept.map(({ entryId }) => entryId);
    await expect(node.memory.entriesById(ids)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    await expect(node.memory.entriesById([])).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    expect(progress).toEqual({ done: kept.length, total: kept.length });
    expect(kept.length).toBeGreaterThan(220);
    await using restarted = await open();
    await expectVectors(restarted, kept, provider);
  });

  it("tells an index nothing of another model's vectors", async () => {
    await using store = await openTestStore(database.url);
    await store.memory.useModel(modelOf(OLD));
    const told: IndexEntry[] = [];
    await using _following = await store.followMemory?.({
      add: (entries) => Promise.resolve(void told.push(...entries)),
      remove: () => Promise.resolve(),
    });
    const entries = [1, 2, 3].map(invoice);
    await add(store.memory, entries, OLD);
    await using reembedding = await PostgresReembedding.open(database.url);
    const other = new CountingProvider();
    await reembedding.begin(modelOf(other));
    const added = await Promise.all(entries.map((entry) => embedded(entry, other)));
    await reembedding.addVectors(modelOf(other), added);
    await expect.poll(() => told.length).toBe(3);
    // Whatever would be told of the others comes before the next entry.
    await add(store.memory, [invoice(4)], OLD);
    await expect.poll(() => told.length).toBeGreaterThan(3);
    expect(told).toHaveLength(4);
  });

  it("by two at once ends with every vector of one of the models", async () => {
    const entries = Array.from({ length: 300 }, (_, number) => invoice(number));
    await using node = await open();
    await node.memory.useModel(modelOf(OLD));
    await add(node.memory, entries, OLD);
    await using other = await PostgresReembedding.open(database.url);
    const providers = [new CountingProvider(32), new CountingProvider(16)] as const;
    const ended = await Promise.allSettled([
      reembedStore(node.reembedding, providers[0]),
      reembedStore(other, providers[1]),
    ]);
    expect(ended.map(({ status }) => status)).toContain("fulfilled");
    const [active] = await database.query("SELECT dimension FROM memory_models WHERE is_active");
    const winner = providers.find((provider) => provider.dimension() === active?.["dimension"]);
    await using restarted = await open();
    await expectVectors(restarted, entries, winner ?? OLD);
    const unused = `SELECT count(*)::int AS n FROM memory_vectors AS v WHERE NOT EXISTS (
        SELECT FROM memory_entry_vectors AS e
        WHERE e.org_id = v.org_id AND e.model_id = v.model_id AND e.sha256 = v.sha256)`;
    expect(await database.query(unused)).toEqual([{ n: 0 }]);
  });

  it("needs a store that is there", async () => {
    await database.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await expect(PostgresReembedding.open(database.url)).rejects.toThrow(/run steward migrate/);
  });
});

/** Simulated duration of embedding one text, in ms. */
const EMBEDDING_MS = 3;

/** Minimum number of entries that are added while the first ones are embedded again. */
const ADDED_MIN = 25;

/**
 * Takes its time, and sometimes waits until another node has added an entry, so that the test does
 * not depend on the machine's load.
 */
class SlowProvider extends CountingProvider {
  readonly #added: () => number;

  /** @param added returns the number of entries added so far. */
  constructor(added: () => number) {
    super();
    this.#added = added;
  }

  override async embed(text: string): Promise<Float32Array> {
    do await delay(EMBEDDING_MS);
    while (this.#added() < Math.min(ADDED_MIN, Math.floor(this.embedded / 8)));
    return super.embed(text);
  }
}

/**
 * Adds entries, and deletes every third one, until the store refuses. An addition takes as long as
 * its embedding: otherwise a busy machine would add faster than it re-embeds, and the switch would
 * never come.
 * @returns the reason for the refusal.
 */
async function addUntilRefused(
  { memory }: ReembeddingUnderTest,
  kept: MemoryEntry[],
): Promise<unknown> {
  try {
    for (let number = 0; ; number += 1) {
      const entry = invoice(number);
      await delay(EMBEDDING_MS);
      await add(memory, [entry], OLD);
      if (number % 3 === 0) await memory.deleteEntry(entry.orgId, entry.entryId);
      else kept.push(entry);
    }
  } catch (error) {
    return error;
  }
}

describe("entries of one organization that are added at once", () => {
  const vector = Float32Array.of(1, 2);

  it("share transactions: what is added while one is written goes together into the next", async () => {
    await using node = await open();
    await node.memory.useModel({ name: "two", dimension: 2 });
    await Promise.all(
      Array.from({ length: 20 }, (_each, n) =>
        node.memory.addEntries([embeddedEntry(invoice(n), vector)]),
      ),
    );
    const [row] = await database.query(
      `SELECT count(*)::int AS entries, count(DISTINCT change_sequence)::int AS transactions
       FROM memory_entry_vectors`,
    );
    expect(row).toEqual({ entries: 20, transactions: 1 });
  });

  it("do not fail with one that the database refuses", async () => {
    await using node = await open();
    await node.memory.useModel({ name: "two", dimension: 2 });
    const contents = ["before", "no text may hold \u0000", "after"];
    const ended = await Promise.allSettled(
      contents.map((content, n) =>
        node.memory.addEntries([embeddedEntry({ ...invoice(n), content }, vector)]),
      ),
    );
    expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const rows = await database.query("SELECT content FROM memory_entries ORDER BY content");
    expect(rows).toEqual([{ content: "after" }, { content: "before" }]);
  });
});
