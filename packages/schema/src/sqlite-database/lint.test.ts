import { describe, expect, it } from "vitest";
import { type Finding, identify, renameHints, scriptBetween } from "../index.js";
import { lint } from "../lint/lint.js";
import { unsaid } from "../testing/command-table.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";
import { open } from "../testing/sqlite-retyped-column.js";

function findings(current: string, desired: string): readonly Finding[] {
  using db = open(current);
  using wanted = open(desired);
  const base = identify(introspectSqlite(db), undefined);
  const hints = renameHints(desired, "sqlite");
  const target = identify(introspectSqlite(wanted), base, hints);
  expect([...unsaid(base, target), ...unsaid(target, base)]).toEqual([]);
  return lint(base, target, scriptBetween(base, target));
}

const OTHER = "CREATE TABLE o (a INTEGER PRIMARY KEY); ";
const REBUILT =
  "t lock-heavy: other connections cannot write to the file while the table is rewritten";

/** All expected findings, each as the object, the code and the start of the message. */
const CASES: readonly (readonly [current: string, desired: string, expected: readonly string[]])[] =
  [
    ["CREATE TABLE t (a)", "CREATE TABLE t (a, b)", []],
    ["CREATE TABLE t (a)", "CREATE TABLE t (a, b DEFAULT 7)", []],
    [
      "CREATE TABLE t (a, b)",
      "CREATE TABLE t (a)",
      [
        "t.b destructive: its values are lost",
        "t.b irreversible-down",
        "t.b backward-incompatible",
        "t lock-heavy",
      ],
    ],
    [
      `${OTHER}CREATE TABLE t (a)`,
      OTHER,
      ["t destructive: its rows are lost", "t irreversible-down", "t backward-incompatible"],
    ],
    [
      "CREATE TABLE t (a, b AS (a + 1))",
      "CREATE TABLE t (a)",
      ["t.b backward-incompatible", "t lock-heavy"],
    ],
    [
      "CREATE TABLE t (a, b)",
      "CREATE TABLE t (a, b AS (a + 1) STORED)",
      [
        "t.b destructive: its values are computed again",
        "t.b irreversible-down",
        "t.b backward-incompatible: writes with a value for it",
        REBUILT,
      ],
    ],
    [
      "CREATE TABLE t (a TEXT)",
      "CREATE TABLE t (a INTEGER)",
      [
        "t.a data-dependent: its values become INTEGER: text that looks like a number",
        "t.a irreversible-down",
        "t.a backward-incompatible: it was TEXT",
        REBUILT,
      ],
    ],
    [
      "CREATE TABLE t (a INTEGER)",
      "CREATE TABLE t (a NUMERIC)",
      ["t.a backward-incompatible: it was INTEGER", REBUILT],
    ],
    [
      "CREATE TABLE t (a INTEGER)",
      "CREATE TABLE t (a INTEGER) STRICT",
      [
        "t.a data-dependent: its values become INTEGER: a value of another type stops",
        "t backward-incompatible: writes of values of another type",
        REBUILT,
      ],
    ],
    [
      "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)",
      "CREATE TABLE t (a INTEGER PRIMARY KEY)",
      ["t.(PrimaryKey) destructive: its counter is lost"],
    ],
    [
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a NOT NULL)",
      ["t.a data-dependent: rows with NULL", "t.a backward-incompatible: writes of NULL", REBUILT],
    ],
    [
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a, b NOT NULL)",
      ["t.b data-dependent: NOT NULL without a default", "t.b backward-incompatible", REBUILT],
    ],
    [
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a UNIQUE)",
      [
        "t.(UniqueConstraint) data-dependent: duplicate rows",
        "t.(UniqueConstraint) backward-incompatible",
        REBUILT,
      ],
    ],
    [
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a)",
      [
        "i data-dependent: duplicate rows",
        "i backward-incompatible",
        "t lock-heavy: other connections cannot write to the file while the table is scanned",
      ],
    ],
    [
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a CHECK (a > 0))",
      ["t.(CheckConstraint) data-dependent: rows that violate it", REBUILT],
    ],
    [
      `${OTHER}CREATE TABLE t (a)`,
      `${OTHER}CREATE TABLE t (a REFERENCES o ON DELETE CASCADE)`,
      [
        "t.(ForeignKey) data-dependent: rows that violate it",
        "t.(ForeignKey) backward-incompatible: deleting rows of o changes rows here: cascade",
        "t.(ForeignKey) lock-heavy: no index begins with its columns",
      ],
    ],
    [
      "CREATE TABLE t (a COLLATE NOCASE)",
      "CREATE TABLE t (a)",
      ["t.a data-dependent: values that are equal under the new collation", REBUILT],
    ],
    [
      "CREATE TABLE t (a PRIMARY KEY)",
      "CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID",
      ["t backward-incompatible: statements that use its rowid", REBUILT],
    ],
    [
      "CREATE TABLE u (a)",
      "CREATE TABLE t (a) /* @renamed from=u */",
      ["t backward-incompatible: statements that still call it u fail"],
    ],
    [
      "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t",
      "CREATE TABLE t (a)",
      ["v backward-incompatible"],
    ],
    [
      "CREATE VIRTUAL TABLE t USING fts5(a)",
      "CREATE VIRTUAL TABLE t USING fts5(a, b)",
      ["t destructive: it is dropped and created again, without its rows"],
    ],
  ];

describe("what there is to think about in a migration on SQLite", () => {
  it.each(CASES)("from %s to %s", (current, desired, expected) => {
    const found = findings(current, desired);
    const said = found.map(({ object, code, message }) => `${object} ${code}: ${message}`);
    for (const each of expected) expect(said.join("\n")).toContain(each);
    if (expected.length === 0) expect(said).toEqual([]);
    const isLossExpected = expected.some((each) => each.includes("destructive"));
    expect(found.some(({ code }) => code === "destructive")).toBe(isLossExpected);
  });
});
