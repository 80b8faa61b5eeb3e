import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identify, renameHints, type Schema, scriptBetween } from "../index.js";
import { lint } from "../lint/lint.js";
import { lostValues, valuesIn } from "../testing/kept-values.js";
import { pickFrom, randomChange } from "../testing/random-changes.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";
import { isSame, migrate, open } from "../testing/sqlite-retyped-column.js";

describe("rows of a virtual table of SQLite", () => {
  it.each([
    ["another name", "CREATE VIRTUAL TABLE u USING fts5(a) /* @renamed from=t */", "u"],
    ["a name in another case", "CREATE VIRTUAL TABLE T USING fts5(a)", "T"],
  ])("stay when it gets %s", (_title, desired, name) => {
    using db = open("CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('Ada')");
    migrate(db, desired);
    expect(db.prepare(`SELECT a FROM ${name} WHERE a MATCH 'ada'`).all()).toEqual([{ a: "Ada" }]);
    expect(
      db.prepare("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'").get(),
    ).toEqual({ name });
  });
});

describe("rows of a SQLite database", () => {
  it("are all there after any migration that is not said to lose data, or it changes nothing", async () => {
    let applied = 0;
    const numbers = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    const property = fc.asyncProperty(numbers, async (picks) => {
      const { base: sql, rows, wanted: desired } = randomChange("sqlite", pickFrom(picks));
      using db = open(`${sql}; ${rows}`);
      using wanted = open(desired);
      const base = identify(introspectSqlite(db), undefined);
      const hints = renameHints(desired, "sqlite");
      const target = identify(introspectSqlite(wanted), base, hints);
      const findings = lint(base, target, scriptBetween(base, target));
      if (findings.some(({ code }) => code === "destructive")) return;
      const read = (schema: Schema) =>
        valuesIn(schema, (_schema, { name = "", parent = "" }) => {
          const table = schema.get(parent).name ?? "";
          const query = `SELECT quote("${name}") AS v FROM "${table}" ORDER BY id`;
          // The column that the query names.
          const found = db.prepare(query).all() as { v: string }[];
          return Promise.resolve(found.map(({ v }) => v));
        });
      const before = await read(base);
      const error = refusalOf(() => migrate(db, desired));
      if (error === undefined) applied += 1;
      const after = await read(error === undefined ? target : base);
      expect(lostValues(before, after, isSame)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 80, seed: 1 });
    expect(applied).toBeGreaterThan(10);
  });
});

function refusalOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
