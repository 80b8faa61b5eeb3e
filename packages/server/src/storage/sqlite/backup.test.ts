import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { backupStore, restoreStore, type StorePlaces } from "./backup.js";
import { openSqliteStore, type SqliteStore } from "./store.js";

let dir: string;
let path: string;
let copy: string;
let lastIndex: number;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steward-backup-"));
  path = join(dir, "store.db");
  copy = join(dir, "backups", "copy.db");
  lastIndex = 0;
});

afterEach(() => {
  rmSync(dir, { recursive: true });
});

describe("a backup", () => {
  it("is the store of one moment, though a server writes on", async () => {
    await using store = openStore();
    await createPlans(store, 700);
    let during = 0;
    const writing: Promise<void>[] = [];
    await backupStore(places(), copy, () => {
      during += 1;
      writing.push(createPlans(store, 1));
    });
    await Promise.all(writing);
    expect(during).toBeGreaterThan(0);
    expect(rows(copy)).toEqual({ plans: 700, plan_events: 700 });
    expect(rows(path)["plans"]).toBe(700 + during);
  });

  it("overwrites nothing", async () => {
    await using _store = openStore();
    writeFileSync(join(dir, "mine"), "precious");
    await expect(backupStore(places(), join(dir, "mine"), () => undefined)).rejects.toThrow(
      /mine exists already/,
    );
    expect(readFileSync(join(dir, "mine"), "utf8")).toBe("precious");
  });

  it("of no store makes no file", async () => {
    await expect(backupStore(places(), copy, () => undefined)).rejects.toThrow(/There is no store/);
    expect(existsSync(copy)).toBe(false);
    expect(existsSync(path)).toBe(false);
  });
});

describe("a restored store", () => {
  const NOW = { replace: true, nowMs: Date.UTC(2026, 0, 2, 3, 4, 5) };

  async function backedUp(plans: number): Promise<void> {
    await using store = openStore();
    await createPlans(store, plans);
    await backupStore(places(), copy, () => undefined);
    await createPlans(store, 1);
  }

  it("works as the one that was backed up, and the former one is kept", async () => {
    await backedUp(2);
    const restored = restoreStore(copy, places(), NOW);
    expect(restored).toMatchObject({ path, former: `${path}.before-2026-01-02T03-04-05-000Z` });
    expect(readdirSync(dir).filter((name) => name.includes("unfinished"))).toEqual([]);
    expect(rows(path)["plans"]).toBe(2);
    expect(rows(restored.former ?? "")["plans"]).toBe(3);
    await using store = openStore();
    await createPlans(store, 1);
    expect(rows(path)["plans"]).toBe(3);
  });

  it("brings the state of that time with it", async () => {
    const state = join(dir, "state");
    const file = join(state, "org.db");
    const set = (value: string): void => {
      mkdirSync(state, { recursive: true });
      const db = new DatabaseSync(file);
      db.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (v TEXT)");
      db.prepare("INSERT INTO t VALUES (?)").run(value);
      db.close();
    };
    const values = (): unknown[] => {
      const db = new DatabaseSync(file, { readOnly: true });
      const found = db.prepare("SELECT v FROM t ORDER BY v").all() as { v: string }[];
      db.close();
      return found.map(({ v }) => v);
    };
    set("before");
    await backedUp(1);
    set("since");
    expect(restoreStore(copy, places(), NOW)).toMatchObject({
      states: 1,
      statePath: state,
      formerState: `${state}.before-2026-01-02T03-04-05-000Z`,
    });
    expect(values()).toEqual(["before"]);
    expect(readdirSync(dir)).toContain("state.before-2026-01-02T03-04-05-000Z");
  });

  it.each<[string, (statePath: string) => void]>([
    ["without its state", (statePath) => rmSync(statePath, { recursive: true })],
    ["without the state of one organization", (statePath) => rmSync(join(statePath, "org.db"))],
    [
      "with the state of another backup",
      (statePath) => {
        const db = new DatabaseSync(join(statePath, "org.db"));
        db.exec("CREATE TABLE other (a)");
        db.close();
      },
    ],
  ])("is not made of a backup %s, and changes nothing", async (_what, spoil) => {
    mkdirSync(join(dir, "state"));
    const db = new DatabaseSync(join(dir, "state", "org.db"));
    db.exec("CREATE TABLE t (v TEXT)");
    db.close();
    await backedUp(1);
    spoil(`${copy}.state`);
    const before = readdirSync(dir).sort();
    expect(() => restoreStore(copy, places(), NOW)).toThrow(
      /is not complete: .*copy\.db\.state.org\.db/,
    );
    expect(readdirSync(dir).sort()).toEqual(before);
    expect(rows(path)["plans"]).toBe(2);
  });

  it("is not made of a file that does not say what belongs to it", async () => {
    await backedUp(1);
    expect(() => restoreStore(path, { ...places(), store: join(dir, "other.db") }, NOW)).toThrow(
      /is not complete: it does not list the files that belong to it/,
    );
  });

  it("has nothing of the backup's own in it", async () => {
    await backedUp(1);
    restoreStore(copy, places(), NOW);
    const db = new DatabaseSync(path, { readOnly: true });
    const own = "SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'steward_backup%'";
    expect(db.prepare(own).get()).toEqual({ n: 0 });
    db.close();
  });

  it("takes the place of nothing unasked", async () => {
    await backedUp(1);
    expect(() => restoreStore(copy, places(), { ...NOW, replace: false })).toThrow(
      /exists already/,
    );
    expect(rows(path)["plans"]).toBe(2);
  });

  it("is refused while a server owns the store", async () => {
    await using store = openStore();
    await createPlans(store, 1);
    await backupStore(places(), copy, () => undefined);
    expect(() => restoreStore(copy, places(), NOW)).toThrow(/Another process owns the store/);
  });

  it.each([
    ["a file that is no database", "not a database at all, only text".repeat(200)],
    ["an empty file", ""],
  ])("is not made of %s", async (_what, content) => {
    await backedUp(1);
    const file = join(dir, "bad.db");
    writeFileSync(file, content);
    expect(() => restoreStore(file, places(), NOW)).toThrow(AppError);
    expect(rows(path)["plans"]).toBe(2);
    expect(existsSync(`${path}.unfinished`)).toBe(false);
  });

  it("is not made of a damaged backup", async () => {
    await backedUp(200);
    const bytes = readFileSync(copy);
    bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 8192);
    writeFileSync(copy, bytes);
    expect(() => restoreStore(copy, places(), NOW)).toThrow(/cannot be used|cannot be restored/);
    expect(rows(path)["plans"]).toBe(201);
  });
});

function places(): StorePlaces {
  return { store: path, state: join(dir, "state") };
}

function openStore(): SqliteStore {
  return openSqliteStore(path, systemClock, silentTelemetry);
}

async function createPlans(store: SqliteStore, count: number): Promise<void> {
  const nowMs = systemClock.nowMs();
  await Promise.all(
    Array.from({ length: count }, async () => {
      lastIndex += 1;
      await store.plans.createPlan({
        ref: { orgId: "org", planId: `plan-${String(lastIndex)}` },
        sessionId: "s",
        name: "n",
        description: "d".repeat(10_000),
        steps: [],
        createdAtMs: nowMs,
        deadlineMs: nowMs + 1000,
      });
    }),
  );
}

function rows(file: string): Record<string, number> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(
      ["plans", "plan_events"].map((table) => {
        const row = db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number };
        return [table, row.n];
      }),
    );
  } finally {
    db.close();
  }
}
