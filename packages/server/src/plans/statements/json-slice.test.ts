import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSlice } from "./json-slice.js";

/** A slice, parsed completely. */
function whole(slice: JsonSlice): unknown {
  switch (slice.kind) {
    case "array":
      return slice.elements.map(whole);
    case "object":
      return Object.fromEntries([...slice.members].map(([name, value]) => [name, whole(value)]));
    default:
      return JSON.parse(slice.text);
  }
}

describe("a slice of JSON", () => {
  it("has the parts that JSON.parse finds, however it is written", () => {
    const blanks = fc.constantFrom(undefined, 0, 2, "\t", " \n");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), blanks, (value, space) => {
        const json = JSON.stringify(value, null, space);
        expect(whole(JsonSlice.of(json))).toEqual(JSON.parse(json));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps each part's text as it is written", () => {
    const root = JsonSlice.of(
      '[ {"a" : 4.0, "b":[1 , {"]": "\\\\"}],"a":9007199254740993 } ,null ]',
    );
    const [row, none] = root.elements;
    expect(row?.members.get("a")?.text).toBe("9007199254740993");
    expect(row?.members.get("b")?.text).toBe('[1 , {"]": "\\\\"}]');
    expect(row?.members.get("b")?.elements[1]?.members.get("]")?.plainText).toBe("\\");
    expect([none?.kind, none?.elements, none?.members.size]).toEqual(["null", [], 0]);
  });
});
