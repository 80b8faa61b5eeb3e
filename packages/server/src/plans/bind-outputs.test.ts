import { describe, expect, it } from "vitest";
import type { Dialect } from "../governance/index.js";
import type { SqlValue } from "./ports.js";
import { bindOutputs, compileTemplate } from "./template.js";

/** What the placeholders of a template are bound to when step `a` has this output. */
function bound(
  template: string,
  output: unknown,
  dialect: Dialect = "sqlite",
): readonly SqlValue[] {
  return bindOutputs(
    compileTemplate(template, dialect),
    new Map([["a", typeof output === "string" ? output : JSON.stringify(output)]]),
  );
}

const ROWS = [
  { id: 1, name: "Ann", big: "9007199254740993", ok: true, tags: ["x", "y"], none: null },
  { id: 2.5, name: 'q"\\', big: "1", ok: false, tags: [], none: null },
];

describe("binding outputs", () => {
  it("binds scalars as they are, booleans as 1 and 0, and anything else as JSON text", () => {
    const row = "{{step.a.output[0]";
    expect(
      bound(
        `SELECT ${row}.id}}, ${row}.name}}, ${row}.big}}, ${row}.ok}}, ${row}.none}}, ${row}.tags}}, ${row}.tags[1]}}, {{step.a.output[1].ok}}`,
        ROWS,
      ),
    ).toEqual([1, "Ann", "9007199254740993", 1, null, '["x","y"]', "y", 0]);
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
    const array = (column: string): SqlValue | undefined =>
      bound(`SELECT 1 IN ({{step.a.output[*].${column}}})`, ROWS, "postgres")[0];
    expect(array("id")).toBe('{"1","2.5"}');
    expect(array("name")).toBe('{"Ann","q\\"\\\\"}');
    expect(array("none")).toBe("{NULL,NULL}");
    expect(array("ok")).toBe('{"true","false"}');
    expect(array("tags")).toBe('{"[\\"x\\",\\"y\\"]","[]"}');
  });

  it("makes text of everything inside a literal but null", () => {
    const text = (column: string): SqlValue | undefined =>
      bound(`SELECT '-{{step.a.output[0].${column}}}'`, ROWS)[0];
    expect(["id", "name", "ok", "tags"].map(text)).toEqual(["1", "Ann", "true", '["x","y"]']);
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

  it("refuses text with a NUL, which would end there, but not JSON that escapes it", () => {
    const rows = [{ x: "a\0b" }];
    expect(() => bound("SELECT {{step.a.output[0].x}}", rows)).toThrow("NUL");
    expect(() => bound("SELECT 'a{{step.a.output[0].x}}'", rows)).toThrow("NUL");
    expect(bound("SELECT 1 IN ({{step.a.output[*].x}})", rows)).toEqual(['["a\\u0000b"]']);
  });
});
