import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry, type Telemetry } from "../../kernel/telemetry.js";
import { planStoreBattery } from "../testing/plan-store-battery.js";
import { CommitWriter, WriteConflict } from "./commit-writer.js";
import { openConnection } from "./connection.js";
import { openSqliteExport } from "./export.js";
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

  it("refuses a file written by a newer program", () => {
    const db = openConnection(path, false);
    db.exec("PRAGMA user_version = 999");
    db.close();
    chmodSync(path, 0o600);
    expect(() => openSqliteStore(path, systemClock, silentTelemetry)).toThrow(/schema version 999/);
  });
});

describe("a store from before the first release", () => {
  it("is refused with what to do, whatever is done with it", () => {
    const db = openConnection(path, false);
    db.exec("CREATE TABLE plans (plan_id TEXT); PRAGMA user_version = 11");
    db.close();
    chmodSync(path, 0o600);
    const sentence = /before the first release.*another data directory/;
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
