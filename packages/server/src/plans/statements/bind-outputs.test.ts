import { describe, expect, it } from "vitest";
import type { Dialect } from "../../governance/index.js";
import type { SqlValue } from "../ports.js";
import { bindOutputs } from "./bind-outputs.js";
import type { ColumnType, OutputMetadata } from "./step-output.js";
import { compileTemplate } from "./template.js";

/** The values bound to a template's placeholders when step `a` has this output. */
function bound(
  template: string,
  output: unknown,
  dialect: Dialect = "sqlite",
  metadata: OutputMetadata = {},
): readonly SqlValue[] {
  const json = typeof output === "string" ? output : JSON.stringify(output);
  return bindOutputs(
    compileTemplate(template, dialect),
    new Map([["a", { json, metadata }]]),
    dialect,
  );
}

/** A parameter of SQLite from which the statement extracts a value. */
const json = (value: unknown): SqlValue => ({ storage: "json", text: JSON.stringify(value) });

const ROWS = [
  { id: 1, name: "Ann", big: "9007199254740993", ok: true, tags: ["x", "y"], none: null },
  { id: 2.5, name: 'q"\\', big: "1", ok: false, tags: [], none: null },
];

describe("binding outputs", () => {
  it("binds scalars for SQLite as JSON, and what is no scalar there as its text", () => {
    const row = "{{step.a.output[0]";
    expect(
      bound(
        `SELECT ${row}.id}}, ${row}.name}}, ${row}.big}}, ${row}.ok}}, ${row}.none}}, ${row}.tags}}, ${row}.tags[1]}}, {{step.a.output[1].ok}}`,
        ROWS,
      ),
    ).toEqual([
      ...[1, "Ann", "9007199254740993", true].map(json),
      null,
      ...['["x","y"]', "y", false].map(json),
    ]);
    expect(bound("SELECT {{step.a.output[0]}}", [{ a: [1, null] }])).toEqual(['{"a":[1,null]}']);
  });

  it("passes a whole output on byte for byte", () => {
    const output = '[ {"n" : 1.0} ]';
    expect(bound("SELECT {{step.a.output}}, '{{step.a.output}}'", output)).toEqual([
      output,
      output,
    ]);
  });

  it("collects a list from each row", () => {
    expect(bound("SELECT 1 IN ({{step.a.output[*].id}})", ROWS)).toEqual(["[1,2.5]"]);
    expect(bound("SELECT 1 IN ({{step.a.output[*].none}})", ROWS)).toEqual(["[null,null]"]);
    expect(bound("SELECT 1 IN ({{step.a.output[*].id}})", [])).toEqual(["[]"]);
    expect(bound("SELECT {{step.a.output[0].tags[*]}}", ROWS)).toEqual(['["x","y"]']);
  });

  it("writes a list for PostgreSQL as an array whose elements need no type", () => {
    const array = (name: string): SqlValue | undefined =>
      bound(`SELECT 1 IN ({{step.a.output[*].${name}}})`, ROWS, "postgres")[0];
    expect(array("id")).toBe('{"1","2.5"}');
    expect(array("name")).toBe('{"Ann","q\\"\\\\"}');
    expect(array("none")).toBe("{NULL,NULL}");
    expect(array("ok")).toBe('{"true","false"}');
    expect(array("tags")).toBe('{"[\\"x\\",\\"y\\"]","[]"}');
  });

  it("makes text of everything inside a literal but null", () => {
    const text = (name: string): SqlValue | undefined =>
      bound(`SELECT '-{{step.a.output[0].${name}}}'`, ROWS)[0];
    expect(["id", "name", "ok", "tags"].map(text)).toEqual(
      ["1", "Ann", "true", '["x","y"]'].map(json),
    );
    expect(() => text("none")).toThrow(
      "{{step.a.output[0].none}} is null and stands inside a string literal",
    );
  });

  it.each([
    ["[2].id", "the output of step a has 2 rows"],
    ["[0].nme", "row 0 has id, name, big, ok, tags, none"],
    [".id", "the output of step a has 2 rows; choose one with [0] or all with [*]"],
    ["[0].tags[2]", "output[0].tags has 2 elements"],
    ["[0].tags.x", "output[0].tags has 2 elements; choose one with [0] or all with [*]"],
    ["[0].name.first", "output[0].name is a string"],
    ["[0].none.x", "output[0].none is null"],
    ["[0].name[*]", "output[0].name is a string, not a list"],
    ["[*].nme", "row 0 has id, name, big, ok, tags, none"],
    ["[0].toString", "row 0 has id, name, big, ok, tags, none"],
  ])("says what there is where %s is not", (path, instead) => {
    const placeholder = `{{step.a.output${path}}}`;
    expect(() => bound(`SELECT ${placeholder}`, ROWS)).toThrow(
      expect.objectContaining({
        code: "STEP_FAILED",
        message: `${placeholder} does not exist: ${instead}`,
        details: [{ field: placeholder, reason: instead }],
      }),
    );
  });

  it("names the one row that lacks what the others have", () => {
    expect(() => bound("SELECT {{step.a.output[*].id}}", [{ id: 1 }, { other: 1 }])).toThrow(
      "row 1 has other",
    );
    expect(() => bound("SELECT {{step.a.output[0].id}}", [])).toThrow("has no rows");
  });

  it("never repeats more of an output than some names", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`column_${String(index)}`, "secret"]),
    );
    const attempt = (): unknown => bound("SELECT {{step.a.output[0].x}}", [wide]);
    expect(attempt).toThrow("column_19 and 480 more");
    expect(attempt).not.toThrow("secret");
  });

  it("refuses text with a NUL for PostgreSQL, whose text cannot hold one, and keeps it for SQLite", () => {
    const rows = [{ x: "a\0b" }];
    for (const template of [
      "SELECT {{step.a.output[0].x}}",
      "SELECT 'a{{step.a.output[0].x}}'",
      "SELECT 'a' IN ({{step.a.output[*].x}})",
    ]) {
      expect(() => bound(template, rows, "postgres")).toThrow("NUL");
    }
    expect(bound("SELECT {{step.a.output[0].x}}", rows)).toEqual([json("a\0b")]);
    expect(bound("SELECT 1 IN ({{step.a.output[*].x}})", rows)).toEqual(['["a\\u0000b"]']);
  });

  const column = (types: readonly ColumnType[], dialect: Dialect, placeholder: string) =>
    bound(`SELECT ${placeholder}`, TYPED, dialect, { types })[0];
  const TYPED = '[{"v":"9007199254740993"},{"v":"AP8="},{"v":"-Infinity"},{"v":"plain"},{"v":4.0}]';
  const SQLITE: readonly ColumnType[] = [{ name: "v", storage: "ibrtt" }];

  it("keeps what a value was to SQLite where its JSON does not tell", () => {
    const cells = [0, 1, 2, 3, 4].map((row) =>
      column(SQLITE, "sqlite", `{{step.a.output[${row}].v}}`),
    );
    expect(cells).toEqual([
      { storage: "json", text: "9007199254740993" },
      { storage: "blob", text: "AP8=" },
      { storage: "json", text: "-9e999" },
      { storage: "json", text: '"plain"' },
      { storage: "json", text: "4.0" },
    ]);
    expect(column(SQLITE, "sqlite", "1 IN ({{step.a.output[*].v}})")).toBe(
      '[9007199254740993,{"blob":"00ff"},-9e999,"plain",4.0]',
    );
    expect(column(SQLITE, "sqlite", "{{step.a.output}}")).toBe(
      '[{"v":9007199254740993},{"v":"00ff"},{"v":-9e999},{"v":"plain"},{"v":4.0}]',
    );
    expect(column(SQLITE, "sqlite", "{{step.a.output[1]}}")).toBe('{"v":"00ff"}');
  });

  it("gives a value of SQLite the type of PostgreSQL that holds it", () => {
    const cells = [0, 1, 2, 3, 4].map((row) =>
      column(SQLITE, "postgres", `{{step.a.output[${row}].v}}`),
    );
    expect(cells).toEqual([
      { type: 20, text: "9007199254740993" },
      { type: 17, text: "\\x00ff" },
      { type: 701, text: "-Infinity" },
      "plain",
      { type: 701, text: "4.0" },
    ]);
  });

  it("keeps a column's type of PostgreSQL, of an array's elements too", () => {
    const output = [{ v: ["AP8=", null], d: { n: 1.5, s: "x", l: [true] }, n: null }];
    const types = [
      { name: "v", type: 1001 },
      { name: "d", type: 3802 },
      { name: "n", type: "public.mood", jsonNulls: [] },
    ];
    const value = (path: string) =>
      bound(`SELECT {{step.a.output[0].${path}}}`, output, "postgres", { types })[0];
    expect(value("v")).toEqual({ type: 1001, text: '{"\\\\x00ff",NULL}' });
    expect(value("v[0]")).toEqual({ type: 17, text: "\\x00ff" });
    expect(value("v[*]")).toBe('["\\\\x00ff",null]');
    expect(value("d")).toEqual({ type: 3802, text: '{"n":1.5,"s":"x","l":[true]}' });
    expect(value("d.n")).toEqual({ type: 1700, text: "1.5" });
    expect(value("d.s")).toBe("x");
    expect(value("d.l[0]")).toEqual({ type: 16, text: "1" });
    expect(value("n")).toEqual({ type: "public.mood", text: null });
  });

  it("refuses an output that was cut, unless the placeholder says that it may be", () => {
    const cut = { rowsKept: 2, rowCount: 12_000, isLowerBound: true } as const;
    const bind = (placeholder: string) =>
      bound(`SELECT 1 IN (${placeholder})`, ROWS, "sqlite", { cut });
    expect(() => bind("{{step.a.output[*].id}}")).toThrow(
      expect.objectContaining({
        code: "OUTPUT_CUT",
        message:
          "{{step.a.output[*].id}} refers to an output of which only 2 of more than 12 000 rows were kept",
        details: [
          {
            field: "{{step.a.output[*].id}}",
            reason: expect.stringContaining("write {{step.a.output_cut[*].id}}"),
          },
        ],
      }),
    );
    expect(bind("{{step.a.output_cut[*].id}}")).toEqual(["[1,2.5]"]);
  });
});
