import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSame, migrate, open, rebuild, tableWith } from "../testing/sqlite-retyped-column.js";

/**
 * `kept`: the value stays the same. `asked`: accept_data_loss is required. `refused`: the engine
 * refuses the value.
 */
type Result = "kept" | "asked" | "refused";

const CASES: readonly (readonly [from: string, to: string, value: string, result: Result])[] = [
  ["TEXT", "INTEGER", "'007'", "asked"],
  ["TEXT", "INTEGER", "'7'", "kept"],
  ["TEXT", "INTEGER", "'7.0'", "asked"],
  ["TEXT", "INTEGER", "'seven'", "kept"],
  ["TEXT", "INTEGER", "' 7'", "asked"],
  ["TEXT", "NUMERIC", "'1e3'", "asked"],
  ["TEXT", "NUMERIC", "'1.5'", "kept"],
  ["TEXT", "DECIMAL(10,2)", "'1.50'", "asked"],
  ["TEXT", "REAL", "'1.5'", "kept"],
  ["TEXT", "REAL", "'9007199254740993'", "asked"],
  ["TEXT", "BLOB", "'007'", "kept"],
  ["", "INTEGER", "'007'", "asked"],
  ["", "TEXT", "7", "kept"],
  ["BLOB", "TEXT", "x'61'", "kept"],
  ["INTEGER", "REAL", "9007199254740993", "asked"],
  ["INTEGER", "REAL", "7", "kept"],
  ["INTEGER", "TEXT", "7", "kept"],
  ["INTEGER", "NUMERIC", "7", "kept"],
  ["REAL", "INTEGER", "1.5", "kept"],
  ["REAL", "INTEGER", "2.0", "kept"],
  ["REAL", "INTEGER", "1e300", "kept"],
  ["REAL", "TEXT", "0.5", "kept"],
  ["VARCHAR(10)", "VARCHAR(3)", "'abcdef'", "kept"],
  ["DATE", "TEXT", "20240102", "kept"],
];

describe("values of a SQLite column whose type changes", () => {
  it.each(CASES)("from %j to %j: %s is %s", (from, to, value, result) => {
    const { refusal, before, after, message } = rebuild(tableWith(from), tableWith(to), [value]);
    const code = { kept: undefined, asked: "APPROVAL_REQUIRED", refused: "STEP_FAILED" }[result];
    expect([refusal, message]).toEqual([code, expect.any(String)]);
    if (result === "kept")
      expect(after.every((each, i) => isSame(before[i] ?? "", each))).toBe(true);
    else expect(after).toEqual(before);
  });

  it("are refused by a STRICT table, or asked for, or the same", () => {
    const strict = (type: string, value: string) =>
      rebuild(tableWith("", false), tableWith(type, true), [value]);
    expect(strict("INTEGER", "'seven'")).toMatchObject({ refusal: "STEP_FAILED" });
    expect(strict("INTEGER", "'007'")).toMatchObject({ refusal: "APPROVAL_REQUIRED" });
    expect(strict("ANY", "'007'")).toMatchObject({ refusal: undefined, after: ["'007'"] });
    const loosened = rebuild(tableWith("ANY", true), tableWith("ANY"), ["'007'"]);
    expect(loosened).toMatchObject({ refusal: "APPROVAL_REQUIRED" });
  });

  it("are counted, and the first of them shown, when they would change", () => {
    const { message } = rebuild(tableWith("TEXT"), tableWith("INTEGER"), ["'007'", "'7'", "'08'"]);
    expect(message).toContain(
      "Data would be lost: t.v: 2 of its values would change when converted to INTEGER: text that looks like a " +
        "number becomes a number ('007' → 7, '08' → 8): to accept the loss, set accept_data_loss",
    );
  });

  it("do not become numbers of rows where they are NULL", () => {
    const { refusal, message } = rebuild(
      "CREATE TABLE t (k INTEGER, v INT PRIMARY KEY)",
      "CREATE TABLE t (k INTEGER, v INTEGER PRIMARY KEY)",
      ["7", "NULL"],
    );
    expect(refusal).toBe("APPROVAL_REQUIRED");
    expect(message).toContain("1 of its values would change");
    expect(message).toContain("NULL → a new number");
  });

  it.each([
    "v INT UNIQUE ON CONFLICT IGNORE",
    "v INT UNIQUE ON CONFLICT REPLACE",
    "v INT DEFAULT 9 NOT NULL ON CONFLICT IGNORE",
    "v INT DEFAULT 9 NOT NULL ON CONFLICT REPLACE",
    "v INT, CHECK (v > 1) ON CONFLICT IGNORE",
    "v INT, CHECK (v > 1) ON CONFLICT REPLACE",
  ])("are all copied, or the migration stops, under %s", (column) => {
    const rows = ["1", "1", "NULL"];
    const [current, desired] = ["v INT", column].map(
      (v) => `CREATE TABLE t (k INTEGER PRIMARY KEY, ${v})`,
    );
    expect(rebuild(current ?? "", desired ?? "", rows)).toMatchObject({
      refusal: "STEP_FAILED",
      after: rows,
    });
  });

  it("keep the numbers of their rows, and those that were computed", () => {
    using db = open("CREATE TABLE t (k TEXT, v INTEGER AS (length(k)) STORED)");
    db.exec("INSERT INTO t (k) VALUES ('a'), ('bb'), ('ccc'); DELETE FROM t WHERE rowid = 1");
    migrate(db, "CREATE TABLE t (k TEXT, v INTEGER)");
    expect(db.prepare("SELECT rowid, k, v FROM t").all()).toEqual([
      { rowid: 2, k: "bb", v: 2 },
      { rowid: 3, k: "ccc", v: 3 },
    ]);
  });

  it("never change unasked, whatever the types and the values", () => {
    const type = fc.constantFrom("INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "", "INT", "DATE");
    const strictType = fc.constantFrom("INTEGER", "TEXT", "REAL", "BLOB", "ANY", "INT");
    const table = fc.oneof(
      type.map((each) => tableWith(each)),
      strictType.map((each) => tableWith(each, true)),
    );
    const text = fc.constantFrom(
      ...["", "a", "7", "007", "7.0", "-0", "+7", "1e3", "0x10", " 7", "7 ", "1.50", "0.1", "."],
      ...[
        "9007199254740993",
        "99999999999999999999",
        "1e400",
        "inf",
        "nan",
        "12abc",
        "0.30000000000000004",
      ],
    );
    const value = fc.oneof(
      text.map((each) => `'${each}'`),
      fc.constantFrom("0", "7", "-7", "9007199254740993", "9223372036854775807", "NULL", "x'37'"),
      fc.constantFrom("0.5", "7.0", "0.1", "0.30000000000000004", "1e300", "9e15", "-0.0", "1e18"),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each.toExponential()),
    );
    fc.assert(
      fc.property(table, table, fc.array(value, { maxLength: 4 }), (from, to, values) => {
        const { refusal, before, after } = rebuild(from, to, values);
        const changed = after.filter((each, i) => !isSame(before[i] ?? "", each));
        expect(refusal === undefined ? changed : after).toEqual(
          refusal === undefined ? [] : before,
        );
      }),
      { numRuns: 500 },
    );
  });
});
