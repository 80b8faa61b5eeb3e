import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { SqlAnalyzer } from "../../../governance/index.js";
import { DialectAnalyzer } from "../dialect-analyzer.js";
import { PostgresAnalyzer } from "../postgres-analyzer.js";
import { ReadingThreads } from "./reading-threads.js";
import { SqliteAnalyzer } from "../sqlite-analyzer.js";

const [sqlite, postgres] = [new SqliteAnalyzer(), await PostgresAnalyzer.load()];
const analyzer = new DialectAnalyzer({ sqlite, postgres });
const threads = new ReadingThreads(analyzer);
afterAll(() => threads[Symbol.asyncDispose]());

const [ORG, OTHER_ORG] = ["org-1", "org-2"];
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

describe("the reading of statements", () => {
  it("says what the analyzers say", async () => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      for (const sql of [LONG, "DELETE FROM t", "SELEC", "SELECT 1; SELECT 2", ""]) {
        expect(await threads.read(sql, dialect, ORG)).toEqual(analyzer.analyze(sql, dialect));
      }
      const wrong = `SELECT ${"a, ".repeat(2000)}nvl(b, 1), date_format(a, b) FROM t`;
      const refusal =
        dialect === "sqlite"
          ? { message: "no such function: nvl" }
          : { message: "", code: "42883", at: wrong.indexOf("nvl") };
      const advice = await threads.advise(wrong, dialect, refusal, ORG);
      expect(advice).toEqual(analyzer.advise(wrong, dialect, refusal));
      expect(advice).not.toEqual([]);
      expect(await threads.shape(wrong, dialect, ORG)).toBe(analyzer.shape(wrong, dialect));
    }
  });

  it("leaves the event loop to others", async () => {
    await threads.read(`${LONG},c`, "sqlite", ORG);
    expect(await turnsDuring(() => sqlite.analyze(LONG, "sqlite"))).toBe(1);
    expect(await turnsDuring(() => threads.read(`${LONG},b`, "sqlite", ORG))).toBeGreaterThan(2);
  });

  it("answers at once what is short or known, but no more than fits in one turn", async () => {
    const asked: string[] = [];
    const slow: SqlAnalyzer = {
      analyze: (sql, dialect) => {
        asked.push(sql);
        const untilMs = performance.now() + 2;
        while (performance.now() < untilMs);
        return sqlite.analyze(sql, dialect);
      },
      advise: () => [],
      shape: () => undefined,
    };
    await using own = new ReadingThreads(slow);
    const statements = Array.from({ length: 1000 }, (_, n) => `SELECT ${String(n)}`);
    const readings = statements.map((sql) => own.read(sql, "sqlite", ORG));
    expect(asked.length).toBeLessThanOrEqual(3);
    expect(readings[0]).toMatchObject({ kind: "statement" });
    for (const reading of readings) await reading;
    expect(asked.length).toBeLessThanOrEqual(3);
    expect(own.read("SELECT 999", "sqlite", OTHER_ORG)).toMatchObject({ kind: "statement" });
    await turn();
    expect(own.read("SELECT 1000", "sqlite", ORG)).toMatchObject({ kind: "statement" });
  });

  it("lets the statements of one organization wait for each other, and not for those of another one", async () => {
    const ended: string[] = [];
    const reading = async (org: string, n: number): Promise<void> => {
      await threads.read(`${LONG.slice(0, 9999)}a -- ${org} ${String(n)}`, "postgres", org);
      ended.push(org);
    };
    // Both threads have started, and loaded what they need.
    await Promise.all([reading(ORG, 98), reading(OTHER_ORG, 99)]);
    ended.length = 0;
    const many = Array.from({ length: 12 }, (_, n) => reading(ORG, n));
    await Promise.all([...many, reading(OTHER_ORG, 0)]);
    expect(ended.indexOf(OTHER_ORG)).toBeLessThan(5);
  });

  it("refuses more statements of one organization than may wait", async () => {
    const readings = Array.from({ length: 1100 }, async (_, n) =>
      threads.read(`${LONG.slice(0, 2999)}a -- ${String(n)}`, "sqlite", ORG),
    );
    const ends = await Promise.allSettled(readings);
    const refused = ends.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(50);
    expect(refused[0]).toMatchObject({ reason: { code: "OVERLOADED" } });
    const again = threads.read(`${LONG.slice(0, 2999)}a -- 1099`, "sqlite", ORG);
    expect(await again).toMatchObject({ kind: "statement" });
  });

  it("reads on after a statement that breaks PostgreSQL's parser", async () => {
    const deep = `SELECT 1${"+1".repeat(32_000)}`;
    const readings = [deep, deep, deep, "SELECT 1"].map(async (sql, n) =>
      threads.read(`${sql} AS c${String(n)}`, "postgres", ORG),
    );
    expect((await Promise.all(readings)).map(({ kind }) => kind)).toEqual([
      "rejected",
      "rejected",
      "rejected",
      "statement",
    ]);
  });
});
