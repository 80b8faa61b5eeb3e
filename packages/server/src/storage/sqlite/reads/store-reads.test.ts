import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openConnection, StatementCache } from "../connection.js";
import { STORE_READ_BYTES_MAX, STORE_READS_WAITING_MAX } from "./limits.js";
import { IS_IN_TIME } from "./read-calls.js";
import { StoreReads, SYSTEM } from "./store-reads.js";

const root = mkdtempSync(join(tmpdir(), "steward-reads-"));
const path = join(root, "store.db");
openConnection(path, false).exec(
  "CREATE TABLE t (n INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)",
);
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** Counts for ever, without a row. */
const ENDLESS = `WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c)
  SELECT n FROM c WHERE ${IS_IN_TIME} AND n < 0`;
/** Returns rows for ever. */
const ROWS = "WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c";
/** Returns three rows of 20 MB. */
const LARGE = "SELECT hex(zeroblob(10000000)) AS x FROM (VALUES (1), (2), (3))";

function opened(timeMs?: number): StoreReads & Disposable {
  const connection = openConnection(path, true);
  return Object.assign(new StoreReads(path, new StatementCache(connection), timeMs), {
    [Symbol.dispose]: () => {
      connection.close();
    },
  });
}

describe("a read of the SQLite store", () => {
  it("leaves the event loop free, also when thousands are asked for at once", async () => {
    await using reads = opened();
    let turns = 0;
    let isOver = false;
    const counting = (): void => {
      turns += 1;
      if (!isOver) setImmediate(counting);
    };
    counting();
    const rows = await Promise.all(
      Array.from({ length: STORE_READS_WAITING_MAX }, () => reads.all("a", "SELECT n FROM t")),
    );
    isOver = true;
    expect(new Set(rows.map((each) => JSON.stringify(each)))).toEqual(new Set(['[{"n":1}]']));
    // Each thread has one read at a time, so a turn of the loop handles no more answers than threads.
    expect(turns).toBeGreaterThan(STORE_READS_WAITING_MAX / 4);
  });

  it("is refused when its organization has too many waiting, and others are served", async () => {
    await using reads = opened();
    // Both threads have started, so that the order tells who is served and not who starts first.
    await Promise.all(["a", "b"].map((party) => reads.all(party, "SELECT n FROM t")));
    const many = Array.from({ length: 2 * STORE_READS_WAITING_MAX }, () =>
      reads.all("a", "SELECT n FROM t").then(
        () => "read",
        (error: unknown) => error,
      ),
    );
    const served: string[] = [];
    void many.at(STORE_READS_WAITING_MAX - 1)?.then(() => served.push("last of a"));
    await reads.all("b", "SELECT n FROM t").then(() => served.push("b"));
    const ends = await Promise.all(many);
    expect(served).toEqual(["b", "last of a"]);
    expect(ends.at(-1)).toMatchObject({ code: "OVERLOADED", retryAfterMs: 1000 });
    expect(ends.filter((end) => end === "read").length).toBeGreaterThanOrEqual(
      STORE_READS_WAITING_MAX,
    );
  });

  it.each([
    ["returns no row", ENDLESS],
    ["returns rows for ever", ROWS],
  ])("is stopped when its time is over, and the next is served: one that %s", async (_, sql) => {
    await using reads = opened(100);
    await expect(reads.all("a", sql)).rejects.toMatchObject({
      code: "OVERLOADED",
      retryAfterMs: 1000,
    });
    expect(await reads.all("a", "SELECT n FROM t")).toEqual([{ n: 1 }]);
  });

  it("does not hold up another organization while it lasts", async () => {
    await using reads = opened(2000);
    const slow = [1, 2, 3].map(() => reads.all("a", ENDLESS).catch(() => "stopped"));
    const first = await Promise.race([...slow, reads.all("b", "SELECT n FROM t")]);
    expect(first).toEqual([{ n: 1 }]);
    expect(await Promise.all(slow)).toEqual(["stopped", "stopped", "stopped"]);
  });

  it("is refused when its rows are too large together, or cut where the reader takes pages", async () => {
    await using reads = opened();
    await expect(reads.all("a", LARGE)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    const { rows, isCut } = await reads.page(SYSTEM, STORE_READ_BYTES_MAX, LARGE);
    expect([rows.length, isCut]).toEqual([1, true]);
    expect(await reads.page(SYSTEM, 1, "SELECT n FROM t")).toEqual({
      rows: [{ n: 1 }],
      isCut: false,
    });
  });

  it("sees one state of the store with all its statements", async () => {
    await using reads = opened();
    const count = { sql: "SELECT count(*) AS n FROM t", params: [] };
    const writer = openConnection(path, false);
    let last = 1;
    for (let round = 0; round < 50; round += 1) {
      const pending = reads.together(
        "a",
        Array.from({ length: 20 }, () => count),
      );
      writer.exec("INSERT INTO t VALUES (NULL)");
      const seen = (await pending).map(([row]) => row?.["n"]);
      expect(new Set(seen).size).toBe(1);
      last = Number(seen[0]);
    }
    expect(last).toBeGreaterThan(1);
    writer.exec("DELETE FROM t WHERE n > 1");
    writer.close();
  });
});
