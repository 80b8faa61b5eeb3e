import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type { StatementRequest } from "../../plans/ports.js";
import { failureOf, nextStep } from "../testing/run-statement.js";
import { sqlTargetBattery } from "../testing/sql-target-battery.js";
import { COUNT_USERS, TWO_USERS } from "../testing/target-fixture.js";
import { ENDLESS, ENDLESS_READ, ENDLESS_WRITE, openFixture, Shop } from "./testing/shop.js";

sqlTargetBattery("SQLite", openFixture);

describe("a SQLite data source", () => {
  let shop: Shop;

  beforeAll(() => {
    shop = new Shop();
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const varyingOf = async (condition: string): Promise<readonly string[] | undefined> => {
    const { touched } = await shop.target.describe(
      {
        ...{ sql: `DELETE FROM users WHERE ${condition}`, intent: "write_delete" },
        ...{ parameterCount: 0, caller: NOBODY, waitMs: 10_000, timeoutMs: 10_000 },
      },
      new AbortController().signal,
    );
    return touched.varying;
  };

  it.each([
    ["id > random()", "random"],
    ["name < date('now')", "date"],
    ["name < CURRENT_TIME", "current_time"],
    ["id IN (SELECT rootpage FROM sqlite_schema)", "sqlite_master"],
    ["id IN (SELECT stat FROM sqlite_stat1)", "sqlite_stat1"],
    ["(SELECT count(*) FROM pragma_table_list) > 3", "pragma_table_list"],
    ["id IN (SELECT oid FROM numbered)", "rowid"],
    ["id IN (SELECT at FROM placed)", "rowid"],
  ])("names what may differ from run to run: %s", async (condition, name) => {
    shop.asOwner((db) => {
      db.exec("ANALYZE");
      db.exec("CREATE TABLE IF NOT EXISTS numbered (n INTEGER, at TEXT)");
      db.exec("CREATE VIEW IF NOT EXISTS placed AS SELECT _rowid_ AS at FROM numbered");
    });
    expect(await varyingOf(condition)).toEqual([name]);
  });

  it("names nothing for a key that has a name", async () => {
    expect(await varyingOf("rowid > 1 AND oid < 9")).toBeUndefined();
  });

  it("tells what a change of the schema came to", async () => {
    const result = await shop.run("CREATE TABLE t (a INTEGER PRIMARY KEY)", { intent: "admin" });
    expect(result.schemaDeltas).toMatchObject([{ tableName: "t", operation: "NEW" }]);
    const rows = await shop.run("INSERT INTO t DEFAULT VALUES RETURNING a", { intent: "admin" });
    expect(rows).toMatchObject({ outputJson: '[{"a":1}]', schemaDeltas: [] });
  });

  it("has virtual tables of every module that SQLite itself brings", async () => {
    const admin = { intent: "admin" } as const;
    for (const definition of ["rtree (id, low, high)", "fts5 (body)"]) {
      const made = await shop.run(`CREATE VIRTUAL TABLE v USING ${definition}`, admin);
      expect(made.schemaDeltas).toMatchObject([{ tableName: "v", operation: "NEW" }]);
      await shop.run("INSERT INTO v (rowid) VALUES (1)", { intent: "write_insert" });
      expect(await shop.run("SELECT rowid FROM v")).toMatchObject({ outputJson: '[{"rowid":1}]' });
      await shop.run("DELETE FROM v WHERE rowid = 1", { intent: "write_delete" });
      const dropped = await shop.run("DROP TABLE v", { ...admin, mayChangeUncounted: true });
      expect(dropped.schemaDeltas).toMatchObject([{ tableName: "v", operation: "REMOVED" }]);
    }
  });

  it.each([
    ["DELETE FROM users", "read_select"],
    ["REPLACE INTO users VALUES (1, 'x')", "write_insert"],
    ["UPDATE users SET name = 'x'", "write_insert"],
    ["INSERT INTO users VALUES (3, 'x')", "write_delete"],
    ["DROP TABLE users", "cross_system_transaction"],
    ["PRAGMA foreign_keys = OFF", "admin"],
    ["SELECT * FROM pragma_database_list", "read_select"],
    ["SELECT load_extension('x')", "read_select"],
    ["SELECT * FROM _steward_steps", "read_select"],
    ["SELECT sum(pgsize) FROM dbstat AS d", "read_select"],
    ["DELETE FROM users WHERE (SELECT count(*) FROM dbstat('main')) > 3", "write_delete"],
    ["CREATE VIRTUAL TABLE pages USING DBSTAT(main)", "admin"],
    ["CREATE TABLE t (a REFERENCES _Steward_Steps (plan_id))", "admin"],
  ] as const)("refuses %s under %s", async (sql, intent) => {
    const refused = await failureOf(shop.run(sql, { intent }));
    expect(refused.reason).toBe("intent");
    expect(await shop.run(COUNT_USERS)).toMatchObject(TWO_USERS);
  });
});

it.each([
  ["an INSTEAD OF trigger", "DELETE FROM shown WHERE n = 1", 46],
  ["the rows that REPLACE may delete", "REPLACE INTO users SELECT id, 'x' FROM users", 4],
  ["the rows that UPDATE OR REPLACE may delete", "UPDATE OR REPLACE users SET id = id", 4],
  ["a table that replaces by itself", "INSERT INTO once VALUES (1), (2)", 6],
  ["a primary key that replaces by itself", "INSERT INTO sole VALUES (1), (2)", 4],
])("a write counts %s", async (_, sql, rows) => {
  await using shop = new Shop();
  const admin = { intent: "admin", mayChangeUncounted: true } as const;
  const write = (over: Partial<StatementRequest>) => shop.run(sql, { intent: "admin", ...over });
  const setUp = [
    "CREATE TABLE much AS WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n LIMIT 46) SELECT n FROM n",
    "CREATE VIEW shown AS SELECT n FROM much",
    "CREATE TRIGGER emptied INSTEAD OF DELETE ON shown BEGIN DELETE FROM much; END",
    "CREATE TABLE once (a INTEGER, UNIQUE (a) ON CONFLICT REPLACE)",
    "CREATE TABLE sole (a INTEGER PRIMARY KEY ON CONFLICT REPLACE)",
  ];
  for (const statement of setUp) await shop.run(statement, admin);
  const failed = await failureOf(write({ rowsChangedMax: rows - 1 }));
  expect(failed.message).toContain(`changed ${rows} rows; at most ${rows - 1}`);
  await write({ rowsChangedMax: rows });
});

describe("the processes of a SQLite data source", () => {
  let shop: Shop;

  beforeEach(() => {
    shop = new Shop();
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
  });

  describe("when a statement does not end", () => {
    it("runs the reads sent behind it in another process, and loses none", async () => {
      await shop.run(COUNT_USERS);
      const endless = failureOf(shop.run(ENDLESS_READ, { timeoutMs: 300 }));
      const behind = Array.from({ length: 20 }, () => shop.run(COUNT_USERS));
      await expect(Promise.all(behind)).resolves.toHaveLength(20);
      expect((await endless).reason).toBe("timeout");
      expect(shop.readerPids.length).toBeGreaterThan(1);
    });

    it("serves the others again as soon as every process had one", async () => {
      const endless = [1, 2, 3].map(() => failureOf(shop.run(ENDLESS_READ, { timeoutMs: 400 })));
      await sleep(100);
      const read = shop.run(COUNT_USERS);
      expect((await Promise.all(endless)).map(({ reason }) => reason)).toEqual(
        Array(3).fill("timeout"),
      );
      expect(await read).toMatchObject(TWO_USERS);
    });

    it("counts the time of the writes behind it from their turn on, and limits the wait for it", async () => {
      const endless = failureOf(
        shop.run(ENDLESS_WRITE, { timeoutMs: 900, intent: "write_insert" }),
      );
      const ended: string[] = [];
      void endless.then(() => ended.push("endless"));
      const patient = append(shop, "patient", { timeoutMs: 500 });
      const short = await failureOf(append(shop, "too late", { waitMs: 100 }));
      expect([short.reason, short.message]).toEqual([
        "waited",
        "The data source is busy: the statement waited 100 ms and was not run; try again",
      ]);
      expect(ended).toEqual([]);
      await patient;
      expect((await endless).reason).toBe("timeout");
      expect(shop.lines()).toEqual(["patient"]);
    });
  });

  it("are not taken for slow while the server itself stands still", async () => {
    await shop.run(COUNT_USERS);
    const reads = Array.from({ length: 5 }, () => shop.run(COUNT_USERS));
    // The statements are sent at the end of the turn. Their process runs them while this event loop is blocked.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await Promise.all(reads);
    expect(shop.readerPids).toHaveLength(1);
  });

  it("give an organization its turn after at most one statement of another that floods them", async () => {
    await using one = new Shop("wal", { readersMax: 1 });
    const ended: string[] = [];
    const slow = `${ENDLESS} SELECT i FROM n LIMIT 100000`;
    await one.run(COUNT_USERS);
    const flood = Array.from({ length: 30 }, () =>
      one.run(`SELECT max(i) FROM (${slow})`, { attempt: nextStep("flood") }).then(() => {
        ended.push("flood");
      }),
    );
    await flood[0];
    const before = ended.length;
    await one.run(COUNT_USERS, { attempt: nextStep("quiet") });
    // One was at work, and answers of others may have been on their way: on a busy machine, of a few.
    expect(ended.length - before).toBeLessThanOrEqual(6);
    await Promise.all(flood);
    expect(ended).toHaveLength(30);
  });

  describe("when a process dies", () => {
    it("says of the read it ran that nothing changed, and runs the others elsewhere", async () => {
      await shop.run(COUNT_USERS);
      const endless = failureOf(shop.run(ENDLESS_READ));
      const behind = shop.run(COUNT_USERS);
      await sleep(20);
      kill(shop.readerPids[0]);
      expect((await endless).reason).toBe("rolled_back");
      expect(await behind).toMatchObject(TWO_USERS);
    });

    it("says of the write it ran that it left no trace, and goes on with the next", async () => {
      await append(shop, "first");
      const endless = failureOf(shop.run(ENDLESS_WRITE, { intent: "write_insert" }));
      const next = append(shop, "second");
      await sleep(100);
      kill(shop.writerPids[0]);
      expect((await endless).reason).toBe("rolled_back");
      await next;
      expect(shop.lines()).toEqual(["first", "second"]);
    });

    it("never loses or doubles a write, whenever it is killed", async () => {
      const acknowledged: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const lines = Array.from({ length: 10 }, (_, n) => `${round}.${n}`);
        const writes = lines.map((line) => append(shop, line));
        // One that was killed the round before may take the first write with it.
        await Promise.allSettled(writes.slice(0, 1));
        await sleep(round);
        kill(shop.writerPids.at(-1));
        const outcomes = await Promise.allSettled(writes);
        for (const [index, outcome] of outcomes.entries()) {
          if (outcome.status === "fulfilled") acknowledged.push(lines[index] ?? "");
          else expect(outcome.reason).toMatchObject({ reason: "rolled_back" });
        }
      }
      expect(shop.lines()).toEqual(acknowledged);
      expect(acknowledged.length).toBeGreaterThan(40);
    });

    it("serves reads though it left its journal behind", async () => {
      await using old = new Shop("delete");
      const fill = `INSERT INTO log ${ENDLESS} SELECT hex(zeroblob(500)) FROM n LIMIT 10000`;
      for (let half = 0; half < 2; half += 1) await old.run(fill, { intent: "write_insert" });
      const slow = "SELECT i + 1 FROM n WHERE i < 1500 + length(line) * 0";
      const count = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL ${slow}) SELECT max(i) FROM n`;
      const spilling = `UPDATE log SET line = line || (${count})`;
      const killed = failureOf(old.run(spilling, { intent: "write_update", timeoutMs: 800 }));
      expect((await killed).reason).toBe("timeout");
      const longest = await old.run("SELECT max(length(line)) AS n FROM log");
      expect(longest.outputJson).toBe('[{"n":1000}]');
    });
  });

  describe("asked what became of a write", () => {
    it("knows the result, also in another process than the one that ran it", async () => {
      const attempt = nextStep();
      const result = await append(shop, "first", { attempt });
      kill(shop.writerPids[0]);
      expect(await shop.target.settle(attempt)).toEqual(result);
      expect(await append(shop, "again", { attempt })).toEqual(result);
      expect(shop.lines()).toEqual(["first"]);
    });

    it("deletes the results of erased plans at once, and no fence", async () => {
      await shop.target.deleteMarkers("nobody", ["no-plan"]);
      const tables = () =>
        shop.asOwner((db) => db.prepare("SELECT name FROM sqlite_schema").all().length);
      const before = tables();
      const [first, second, fenced] = [nextStep(), nextStep(), nextStep()];
      await append(shop, "first", { attempt: first });
      expect(tables()).toBeGreaterThan(before);
      await append(shop, "second", { attempt: { ...second, planId: "other" } });
      await shop.target.settle(fenced);
      const markers = () =>
        shop.asOwner((db) =>
          db.prepare("SELECT plan_id, outcome FROM _steward_steps ORDER BY outcome").all(),
        );
      await shop.target.deleteMarkers("another organization", [first.planId]);
      expect(markers()).toHaveLength(3);
      await shop.target.deleteMarkers(first.orgId, [first.planId]);
      expect(markers()).toEqual([
        { plan_id: "other", outcome: "applied" },
        { plan_id: fenced.planId, outcome: "fenced" },
      ]);
      const late = append(shop, "late", { attempt: fenced });
      await expect(late).rejects.toMatchObject({ reason: "rolled_back" });
    });

    it("forgets what is safe elsewhere with the next write", async () => {
      const attempt = nextStep();
      await append(shop, "first", { attempt });
      shop.target.forget(attempt);
      await append(shop, "second");
      const markers = shop.asOwner((db) => db.prepare("SELECT step_id FROM _steward_steps").all());
      expect(markers).toHaveLength(1);
    });
  });

  describe("when a statement needs too much", () => {
    const BYTES = 96 * 1024 * 1024;
    const LARGE_ROW = `SELECT ${Array.from({ length: 12 }, (_, n) => `hex(zeroblob(30000000)) c${n}`).join()}`;
    const SORT = `${ENDLESS} SELECT i, hex(randomblob(500)) AS h FROM n ORDER BY h`;

    beforeEach(async () => {
      await shop[Symbol.asyncDispose]();
      shop = new Shop("wal", { memoryBytesMax: 3 * BYTES, temporaryBytesMax: BYTES });
    });

    it.each([
      ["memory", LARGE_ROW, "read_select", /288 MiB of memory/],
      ["temporary space to read", SORT, "read_select", /96 MiB of temporary space/],
      [
        "temporary space to write",
        `INSERT INTO log SELECT h FROM (${SORT})`,
        "write_insert",
        /96 MiB/,
      ],
    ] as const)(
      "ends its process at the limit of %s, and says so",
      async (_, sql, intent, said) => {
        const behind = shop.run(COUNT_USERS);
        const { reason, message } = await failureOf(shop.run(sql, { intent }));
        // The reason `statement` means that a retry would fail in the same way.
        expect([reason, message]).toEqual(["statement", expect.stringMatching(said)]);
        expect(await behind).toMatchObject(TWO_USERS);
        await append(shop, "next");
        expect(shop.lines()).toEqual(["next"]);
      },
    );

    it("does not build the text of a row that is larger than any output", async () => {
      const row = await shop.run("SELECT zeroblob(20000000) a, zeroblob(20000000) b");
      expect(row).toMatchObject({ outputJson: "[]", rowCount: 1, rowsKept: 0 });
      expect(shop.readerPids).toHaveLength(1);
    });
  });

  it("create no file where there is none, and say that it cannot be opened", async () => {
    rmSync(shop.path);
    for (const intent of ["read_select", "admin"] as const) {
      const { reason, message } = await failureOf(shop.run("SELECT 1", { intent }));
      expect([reason, message]).toEqual(["statement", expect.stringContaining("unable to open")]);
    }
    expect(existsSync(shop.path)).toBe(false);
  });

  it("are kept while they start, when the statement for which they were started waits no longer", async () => {
    const hasty = { waitMs: 1 };
    expect((await failureOf(shop.run(COUNT_USERS, hasty))).reason).toBe("waited");
    expect((await failureOf(append(shop, "hasty", hasty))).reason).toBe("waited");
    expect(await shop.run(COUNT_USERS)).toMatchObject({ outputJson: '[{"n":2}]' });
    await append(shop, "patient");
    expect(shop.lines()).toEqual(["patient"]);
    expect([shop.readerPids, shop.writerPids]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  it("finish what runs and are gone when the data source is closed", async () => {
    const running = [shop.run(COUNT_USERS), append(shop, "last")];
    await shop.target[Symbol.asyncDispose]();
    await expect(Promise.all(running)).resolves.toHaveLength(2);
    expect((await failureOf(shop.run(COUNT_USERS))).reason).toBe("rolled_back");
    expect(shop.lines()).toEqual(["last"]);
    for (const pid of [...shop.readerPids, ...shop.writerPids]) expect(isAlive(pid)).toBe(false);
  });

  it("are gone soon after the server was killed, even in the middle of endless statements", async () => {
    const server = spawn(process.execPath, ["--input-type=module", "--eval", DOOMED_SERVER], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const chunks: Buffer[] = [];
    server.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(server, "close");
    const [path = "", ...numbers] = Buffer.concat(chunks).toString().trim().split("\n");
    const pids = numbers.map(Number);
    expect(pids).toHaveLength(2);
    for (let tries = 0; pids.some(isAlive) && tries < 40; tries += 1) await sleep(100);
    expect(pids.filter(isAlive)).toEqual([]);
    rmSync(dirname(path), { recursive: true });
  });
});

/** Starts a shop and statements without end, says where and in which processes, and is gone. */
const DOOMED_SERVER = `
  import { Shop, ENDLESS_READ, ENDLESS_WRITE } from ${JSON.stringify(new URL("./testing/shop.js", import.meta.url).href)};
  const shop = new Shop();
  shop.run(ENDLESS_READ, { timeoutMs: 60_000 });
  shop.run(ENDLESS_WRITE, { timeoutMs: 60_000, intent: "write_insert" });
  setTimeout(() => {
    console.log([shop.path, ...shop.readerPids, ...shop.writerPids].join("\\n"));
    process.kill(process.pid, "SIGKILL");
  }, 600);
`;

function append(shop: Shop, line: string, over: Partial<StatementRequest> = {}) {
  const insert = { intent: "write_insert", binds: [line], ...over } as const;
  return shop.run("INSERT INTO log VALUES (?1)", insert);
}

function kill(pid: number | undefined): void {
  if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGKILL");
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
