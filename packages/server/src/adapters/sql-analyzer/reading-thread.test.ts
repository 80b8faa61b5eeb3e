import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { PostgresAnalyzer } from "./postgres-analyzer.js";
import { ReadingThread } from "./reading-thread.js";
import { SqliteAnalyzer } from "./sqlite-analyzer.js";

const thread = new ReadingThread();
afterAll(() => thread[Symbol.asyncDispose]());

const LONG = `SELECT 1 FROM a${",a".repeat(32_000)}`;

/** How often the event loop turned during the work. */
async function turnsDuring(work: () => unknown): Promise<number> {
  let [turns, isDone] = [0, false];
  const done = Promise.resolve()
    .then(work)
    .finally(() => {
      isDone = true;
    });
  for (; !isDone; turns += 1) await sleep(1);
  await done;
  return turns;
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
    expect(await turnsDuring(() => analyzer.analyze(LONG, "sqlite"))).toBe(1);
    expect(await turnsDuring(() => thread.read(`${LONG},b`, "sqlite"))).toBeGreaterThan(2);
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
