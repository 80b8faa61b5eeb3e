import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindOutputs } from "../bind-outputs.js";
import { compileJsonTemplate, fillJsonTemplate } from "./json-template.js";

/** The arguments of a template when step `a` has this output. */
function filled(template: string, output: unknown): unknown {
  const outputs = new Map([["a", { json: JSON.stringify(output) }]]);
  const values = bindOutputs(compileJsonTemplate(template), outputs, "json").map(String);
  return fillJsonTemplate(template, values);
}

describe("the arguments of a tool", () => {
  it("keep their structure whatever an output holds", () => {
    const template =
      '{"text": "for {{step.a.output[0].x}}!", "value": {{step.a.output[0].x}}, "list": [1, {{step.a.output[*].x}}]}';
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (x) => {
        expect(filled(template, [{ x }])).toEqual({ text: `for ${x}!`, value: x, list: [1, [x]] });
      }),
    );
  });

  it("are what JSON says where there is no placeholder", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        if (text.includes("{{")) return;
        expect(fillJsonTemplate(text, [])).toEqual(JSON.parse(text));
      }),
    );
  });

  it("hold a number inside a json value as its text where a double would be another one", () => {
    const numbers =
      "1e-400, -1e400, 12345678901234567890, 0.1234567890123456789, 5e-324, 0.30000000000000004, 1.50, 0e-999, -0, 1E5, 9007199254740993";
    const json = `[{"j": {"n": [${numbers}], "t": "1e-400", "q": "a\\"1e-400"}}]`;
    const outputs = new Map([["a", { json }]]);
    const template =
      '{"n": {{step.a.output[0].j.n}}, "one": {{step.a.output[0].j.n[0]}}, "j": {{step.a.output[0].j}}}';
    const values = bindOutputs(compileJsonTemplate(template), outputs, "json").map(String);
    const n: (string | number)[] = [
      "1e-400",
      "-1e400",
      "12345678901234567890",
      "0.1234567890123456789",
      5e-324,
    ];
    n.push(...[0.30000000000000004, 1.5, 0, -0, 1e5, "9007199254740993"]);
    expect(fillJsonTemplate(template, values)).toEqual({
      ...{ n, one: "1e-400", j: { n, t: "1e-400", q: 'a"1e-400' } },
    });
  });

  it("hold a number that is written in the template as its text where a double would be another one", () => {
    const template =
      '{"id": 9007199254740993, "list": [1e-400, -1e400, 1.50, 12, -0.0], "text": "9007199254740993"}';
    expect(fillJsonTemplate(template, [])).toEqual({
      ...{ id: "9007199254740993", list: ["1e-400", "-1e400", 1.5, 12, -0] },
      text: "9007199254740993",
    });
  });

  it("have a member __proto__ like any other", () => {
    const args = fillJsonTemplate('{"__proto__": {"admin": true}}', []);
    expect(Object.keys(args)).toEqual(["__proto__"]);
    expect("admin" in args).toBe(false);
  });

  it("take a member with any name in a placeholder, and rows as they are", () => {
    const rows = [{ "a b": 1, n: null }];
    expect(
      filled('{"x": {{step.a.output[0]["a b"]}}, "y": "{{step.a.output[0][\\"a b\\"]}}"}', rows),
    ).toEqual({
      ...{ x: 1, y: "1" },
    });
    expect(filled('{"rows": {{step.a.output}}, "none": {{step.a.output[0].n}}}', rows)).toEqual({
      rows,
      none: null,
    });
  });

  it.each([
    ["[1]", /takes a JSON object/],
    ["{{step.a.output[0]}}", /takes a JSON object/],
    ["", /takes a JSON object/],
    ['{"a": 1,}', /expected a value/],
    ['{"a": 01}', /expected a JSON value/],
    ['{"a": 012345678901234567890}', /expected a JSON value/],
    ['{"a": NaN}', /expected a JSON value/],
    ["{'a': 1}", /expected a string/],
    ['{"a": 1} x', /expected the end/],
    ['{"a": "\u0001"}', /expected a JSON value/],
    ['{"a": 1, "a": 2}', /two members "a"/],
    ["{{{step.a.output}}: 1}", /names cannot be parameters/],
    ['{"{{step.a.output}}": 1}', /names cannot be parameters/],
    ['{"a": {{step.a.output}', /has no \}\}/],
    ['{"a": {{step.a.result}}}', /is not a placeholder/],
    [`{"a": ${"[".repeat(200)}`, /nested deeper than 100/],
  ])("are refused as %j", (template, reason) => {
    expect(() => compileJsonTemplate(template)).toThrow(reason);
  });

  it("keep a brace that is written as an escape", () => {
    const escaped = String.raw`{"a": "{\u007bstep.a.output[0].n}}", "b": {{step.a.output[0].n}}}`;
    expect(filled(escaped, [{ n: 1 }])).toEqual({ a: "{{step.a.output[0].n}}", b: 1 });
  });

  it("have no text for null inside a string, and no path that does not exist", () => {
    expect(() => filled('{"a": "x{{step.a.output[0].n}}"}', [{ n: null }])).toThrow(/null/);
    expect(() => filled('{"a": {{step.a.output[0].m}}}', [{ n: 1 }])).toThrow(/does not exist/);
  });
});
