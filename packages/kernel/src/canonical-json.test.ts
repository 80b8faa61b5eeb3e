import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type JsonValue } from "./canonical-json.js";

const values = fc.jsonValue() as fc.Arbitrary<JsonValue>;

it("is JSON text of the value", () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("is the same text in whatever order the members were written", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), (members) => {
      const reversed = Object.fromEntries(Object.entries(members).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(members));
    }),
  );
});

it("sorts members by their names, also names that look like numbers", () => {
  expect(canonicalJson({ b: 1, 10: 2, 9: 3, a: [{ d: null, c: "é" }] })).toBe(
    '{"10":2,"9":3,"a":[{"c":"é","d":null}],"b":1}',
  );
});

it("leaves out absent members, and keeps the place of an absent item", () => {
  const value = { a: undefined, b: [1, undefined, 2] } as unknown as JsonValue;
  expect(canonicalJson(value)).toBe('{"b":[1,null,2]}');
});
