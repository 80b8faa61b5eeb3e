import { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "@steward/kernel/log.js";
import { seededRandom, withSeed } from "@steward/kernel/testing/seeded-random.js";
import { embeddedEntry } from "../../../memory/embedded-entry.js";
import type { EmbeddedEntry } from "../../../memory/ports.js";
import { Database } from "../database.js";
import { MemoryChanges, type FollowingIndex } from "./memory-changes.js";
import { MemoryFollower } from "./memory-follower.js";
import { adoptModel } from "./memory-models.js";
import { deleteEntries, insertEntries } from "./memory-writes.js";
import { migrate } from "../migrate.js";
import { Signals } from "../signals.js";

/** Longer than any test runs, in ms. */
const EVER_MS = 3_600_000;
const ORGANIZATIONS = [1, 2, 3].map((n) => `${n}`.repeat(8) + "-1111-4111-8111-111111111111");
const WRITERS = 4;
const TRANSACTIONS = 8;

describe("what changes in memory", () => {
  let database: TestDatabase;
  let db: Database;
  let modelId: number;
  beforeAll(async () => {
    database = await freshDatabase();
    db = new Database(database.url);
    await migrate(db);
    modelId = await db.transaction((on) => adoptModel(on, { name: "hash", dimension: 2 }));
  });
  afterAll(async () => {
    await db[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  // Concurrent writers in several organizations, whose transactions commit, roll back, or are
  // prepared and commit later, each organization at its own time, as with a cluster's two-phase
  // commit. A reader follows meanwhile.
  it("is followed once each, in whatever order transactions end", () =>
    withSeed(async (seed) => {
      const changes = new MemoryChanges(db, modelId);
      await changes.skip();
      const index = new RecordingIndex();
      const setAside = new SetAside({
        ...{ work: "following", log: silentLog, timers: systemTimers, random: () => 0 },
      });
      const writing = { isOver: false };
      const following = (async () => {
        while (!writing.isOver) {
          await changes.readAll(EVER_MS, index, setAside);
          await delay(2);
        }
        await changes.readAll(EVER_MS, index, setAside);
      })();
      const writers = Array.from({ length: WRITERS }, (_, n) =>
        write(`session of ${n}`, seededRandom(seed + n)),
      );
      await Promise.all(writers).finally(() => {
        writing.isOver = true;
      });
      await following;
      const there = await database.query("SELECT entry_id FROM memory_entries");
      const deleted = await database.query("SELECT entry_id FROM memory_deletions");
      expect(there.length).toBeGreaterThan(WRITERS);
      expect(deleted.length).toBeGreaterThan(WRITERS);
      expect([...index.entries].sort()).toEqual(idsOf(there));
      expect(index.removed.toSorted()).toEqual(idsOf(deleted));
      expect(new Set(index.added).size).toBe(index.added.length);
    }));

  it("is found when it was written before the changes that a poll looks at, and committed after", async () => {
    await using signals = new Signals(db, { nodeId: "c", others: [] }, silentLog);
    const index = new RecordingIndex();
    const parts = { db, signals, log: silentLog, modelId, pollMs: 20, compareMs: 50 };
    await using _following = await MemoryFollower.start(parts, index);
    const [orgId = ""] = ORGANIZATIONS;
    const { entry } = newEntry(orgId, "s");
    await db.withConnection(async (connection) => {
      await connection.query("BEGIN");
      await insertEntries(connection, [embed(entry)], modelId);
      await connection.query("UPDATE memory_sequences SET changed_at_ms = 0 WHERE org_id = $1", [
        orgId,
      ]);
      await connection.query("PREPARE TRANSACTION 'late'");
    });
    await delay(60);
    expect(index.added).toEqual([]);
    await database.query("COMMIT PREPARED 'late'");
    await expect.poll(() => index.added).toEqual([entry.entryId]);
  });

  /** Adds and deletes entries in transactions that commit or roll back at random. */
  async function write(sessionId: string, random: () => number): Promise<void> {
    const added = new Map<string, string[]>();
    const late: Promise<unknown>[] = [];
    for (let count = 0; count < TRANSACTIONS; count += 1) {
      const orgId = oneOf(ORGANIZATIONS, random);
      const end = oneOf(["commit", "roll back", "prepare", "prepare"], random);
      const entries = [newEntry(orgId, sessionId), newEntry(orgId, sessionId)];
      const own = added.get(orgId) ?? [];
      const former = own.splice(0, random() < 0.5 ? 1 : 0);
      const name = randomUUID();
      await db.withConnection(async (connection) => {
        await connection.query("BEGIN");
        await insertEntries(connection, entries, modelId);
        await delay(8 * random());
        await deleteEntries(connection, orgId, sessionId, former);
        if (end === "commit") await connection.query("COMMIT");
        if (end === "roll back") await connection.query("ROLLBACK");
        if (end === "prepare") await connection.query(`PREPARE TRANSACTION '${name}'`);
      });
      if (end === "prepare") {
        const waitMs = 30 * random();
        late.push(delay(waitMs).then(() => database.query(`COMMIT PREPARED '${name}'`)));
      }
      if (end !== "roll back") own.push(...entries.map(({ entry }) => entry.entryId));
      added.set(orgId, own);
    }
    await Promise.all(late);
  }
});

/** Applies the changes and records each entry it was given. */
class RecordingIndex implements FollowingIndex {
  readonly entries = new Set<string>();
  readonly added: string[] = [];
  readonly removed: string[] = [];

  add(entries: Parameters<FollowingIndex["add"]>[0]): Promise<void> {
    for (const { entryId } of entries) {
      this.added.push(entryId);
      this.entries.add(entryId);
    }
    return Promise.resolve();
  }

  remove(entryIds: readonly string[]): Promise<void> {
    for (const entryId of entryIds) {
      this.removed.push(entryId);
      this.entries.delete(entryId);
    }
    return Promise.resolve();
  }
}

function newEntry(orgId: string, sessionId: string): EmbeddedEntry {
  return embed({
    orgId,
    entryId: randomUUID(),
    sessionId,
    content: "{}",
    createdAtMs: 1,
  });
}

function embed(entry: EmbeddedEntry["entry"]): EmbeddedEntry {
  // Each entry has its own vector: transactions that both add and delete entries with one vector,
  // which only this test does, would wait for each other.
  const digits = [entry.entryId.slice(0, 4), entry.entryId.slice(4, 8)];
  return embeddedEntry(
    entry,
    Float32Array.from(digits, (each) => Number.parseInt(each, 16)),
  );
}

function oneOf<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

function idsOf(rows: readonly { readonly entry_id?: string }[]): readonly string[] {
  return rows.map((row) => row.entry_id ?? "").sort();
}
