import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { PostgresAnalyzer } from "./postgres-analyzer.js";
import { ReadingThread } from "./reading-thread.js";
import { SqliteAnalyzer } from "./sqlite-analyzer.js";

const thread = new ReadingThread();
afterAll(() => thread[Symbol.asyncDispose]());

const LONG = `SELECT 1 FROM a${",a".repeat(32_000)}`;

/** The longest time that the event loop was blocked during the work, in ms. */
async function holdUp(work: () => unknown): Promise<number> {
  let [longest, isDone] = [0, false];
  const done = Promise.resolve()
    .then(work)
    .finally(() => {
      isDone = true;
    });
  for (let lastMs = performance.now(); !isDone; lastMs = performance.now()) {
    await sleep(1);
    longest = Math.max(longest, performance.now() - lastMs);
  }
  await done;
  return longest;
}

describe("the thread that reads long statements", () => {
  it("says what the analyzers say", async () => {
    const analyzers = [
      ["sqlite", new SqliteAnalyzer()],
      ["postgres", await PostgresAnalyzer.load()],
    ] as const;
    for (const [dialect, analyzer] of analyzers) {
      for (const sql of [LONG, "DELETE FROM t", "SELEC", "SELECT 1; SELECT 2", ""]) {
        expect(await thread.read(sql, dialect)).toEqual(analyzer.analyze(sql, dialect));
      }
    }
  });

  it("leaves the event loop to others", async () => {
    const analyzer = new SqliteAnalyzer();
    await thread.read("SELECT 1", "sqlite");
    const atOnce = await holdUp(() => analyzer.analyze(LONG, "sqlite"));
    expect(await holdUp(() => thread.read(`${LONG},b`, "sqlite"))).toBeLessThan(atOnce / 2);
  });

  it("reads on after a statement that breaks PostgreSQL's parser", async () => {
    const deep = `SELECT 1${"+1".repeat(32_000)}`;
    const readings = [deep, deep, deep, "SELECT 1"].map((sql, n) =>
      thread.read(`${sql} AS c${n}`, "postgres"),
    );
    expect((await Promise.all(readings)).map(({ kind }) => kind)).toEqual([
      "rejected",
      "rejected",
      "rejected",
      "statement",
    ]);
  });
});
