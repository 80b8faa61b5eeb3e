import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry, type Telemetry } from "../../kernel/telemetry.js";
import { planStoreBattery } from "../testing/plan-store-battery.js";
import { CommitWriter, WriteConflict } from "./commit-writer.js";
import { LOG_BYTES_KEPT, openConnection } from "./connection.js";
import { openSqliteExport } from "./export.js";
import { JoinedWriter } from "./joined-writer.js";
import { openSqliteStore } from "./store.js";

const root = mkdtempSync(join(tmpdir(), "steward-store-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
let path = "";
beforeEach(() => {
  files += 1;
  path = join(root, `${String(files)}.db`);
});

planStoreBattery("SQLite", (clock) =>
  Promise.resolve(openSqliteStore(path, clock, silentTelemetry)),
);

describe("an SQLite store", () => {
  it("belongs to one process, and says so to the next", async () => {
    await using _owner = openSqliteStore(path, systemClock, silentTelemetry);
    expect(() => openSqliteStore(path, systemClock, silentTelemetry)).toThrow(
      /Another process owns the store/,
    );
  });

  it("has small pages, as a commit writes every page that it changes as a whole", async () => {
    await using _owner = openSqliteStore(path, systemClock, silentTelemetry);
    using db = openConnection(path, true);
    expect(db.prepare("PRAGMA page_size").get()).toEqual({ page_size: 2048 });
  });

  it("gives back the size of its write-ahead log after a large commit", () => {
    using db = openConnection(path, false);
    db.exec("CREATE TABLE t (filler BLOB)");
    db.exec(`INSERT INTO t VALUES (zeroblob(${String(LOG_BYTES_KEPT)}))`);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(LOG_BYTES_KEPT);
    db.exec("PRAGMA wal_checkpoint(PASSIVE); INSERT INTO t VALUES (NULL)");
    expect(statSync(`${path}-wal`).size).toBe(LOG_BYTES_KEPT);
  });

  it("refuses a file written by a newer program", () => {
    const db = openConnection(path, false);
    db.exec("PRAGMA user_version = 999");
    db.close();
    chmodSync(path, 0o600);
    const sentence = /schema version 999.*use the version of steward that wrote it, or a newer one/;
    expect(() => openSqliteStore(path, systemClock, silentTelemetry)).toThrow(sentence);
    // A copy reads the rows without a migration.
    expect(() => openSqliteExport(path)).toThrow(sentence);
  });
});

describe("a store of an earlier version", () => {
  it.each([11, 31])("%i is refused with what to do, whatever is done with it", (version) => {
    const db = openConnection(path, false);
    db.exec(`CREATE TABLE plans (plan_id TEXT); PRAGMA user_version = ${String(version)}`);
    db.close();
    chmodSync(path, 0o600);
    const sentence = /earlier version.*steward copy.*another data directory/;
    expect(() => openSqliteStore(path, systemClock, silentTelemetry)).toThrow(sentence);
    expect(() => openSqliteExport(path)).toThrow(sentence);
  });
});

describe("group commit", () => {
  let commits: CommitCount;
  beforeEach(() => {
    commits = new CommitCount();
  });
  const table = (): void => {
    const db = openConnection(path, false);
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)");
    db.close();
  };
  const insert = (id: number) => ({ sql: "INSERT INTO t VALUES (?, ?)", params: [id, "v"] });
  const ids = (): unknown[] => {
    const db = openConnection(path, true);
    const rows = db.prepare("SELECT id FROM t ORDER BY id").all() as { id: number }[];
    db.close();
    return rows.map((row) => row.id);
  };

  it("shares commits among units that come together", async () => {
    table();
    await using writer = new CommitWriter(path, commits);
    await Promise.all(Array.from({ length: 100 }, (_, id) => writer.commit([insert(id)])));
    expect(ids()).toHaveLength(100);
    expect(commits.total).toBeLessThan(5);
  });

  it("undoes the unit that fails and keeps its neighbours", async () => {
    table();
    await using writer = new CommitWriter(path, commits);
    const results = await Promise.allSettled([
      writer.commit([insert(1)]),
      writer.commit([insert(2), insert(1)]),
      writer.commit([{ sql: "UPDATE t SET v = 'w' WHERE id = 99", params: [], expect: 1 }]),
      writer.commit([insert(3)]),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(results[1]).toMatchObject({ reason: { code: "STORE_UNAVAILABLE" } });
    expect(results[2]).toMatchObject({ reason: expect.any(WriteConflict) as unknown });
    expect(ids()).toEqual([1, 3]);
  });

  it("commits the units of another thread too, and undoes only the one that fails", async () => {
    table();
    const writer = new CommitWriter(path, commits);
    using joined = new JoinedWriter(writer.connect());
    await joined.commit([insert(6)]);
    await expect.poll(() => commits.total).toBe(1);
    const results = await Promise.allSettled([
      joined.commit([insert(1)]),
      joined.commit([insert(2), { ...insert(3), expect: 2 }]),
      joined.commit([insert(4)]),
      writer.commit([insert(5)]),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      ...["fulfilled", "rejected", "fulfilled", "fulfilled"],
    ]);
    expect(results[1]).toMatchObject({ reason: expect.any(WriteConflict) as unknown });
    expect(ids()).toEqual([1, 4, 5, 6]);
    // What was sent before the end is committed; later units are refused.
    const last = joined.commit([insert(7)]);
    await Promise.all([last, writer.commit([insert(8)])]);
    await writer[Symbol.asyncDispose]();
    await expect(joined.commit([insert(9)])).rejects.toThrow("The store cannot be written to now");
    expect(ids()).toEqual([1, 4, 5, 6, 7, 8]);
  });

  it("lets a unit in no hurry ride along, and commits it alone when nothing comes", async () => {
    table();
    await using writer = new CommitWriter(path, commits);
    await Promise.all([writer.commitSoon([insert(1)]), writer.commit([insert(2)])]);
    expect(commits.total).toBe(1);
    await writer.commitSoon([insert(3)]);
    expect(commits.total).toBe(2);
    expect(ids()).toEqual([1, 2, 3]);
  });

  it("waits a moment for an announced unit, but not for ever", async () => {
    table();
    await using writer = new CommitWriter(path, commits);
    const withdraw = writer.announce();
    const first = writer.commit([insert(1)]);
    const second = writer.commit([insert(2)]);
    withdraw();
    await Promise.all([first, second]);
    expect(commits.total).toBe(1);
    writer.announce();
    await writer.commit([insert(3)]);
    expect(ids()).toEqual([1, 2, 3]);
  });
});

/** Counts commits like the metrics page. */
class CommitCount implements Telemetry {
  total = 0;

  count(name: string): void {
    if (name === "steward_store_commits_total") this.total += 1;
  }

  observe(): void {
    // The test observes no durations.
  }
}
