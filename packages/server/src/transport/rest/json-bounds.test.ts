import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireModestJson } from "./json-bounds.js";

const check = (text: string): void => requireModestJson(Buffer.from(text));
const exceeded = (what: RegExp): unknown =>
  expect.objectContaining({
    code: "LIMIT_EXCEEDED",
    message: expect.stringMatching(what) as string,
  });

const keys = Array.from({ length: 100 }, (_, n) => [`f:${n}`, ":"] as const);

describe("the bounds of a JSON body", () => {
  it("let any ordinary body pass, and any text that is no JSON", () => {
    fc.assert(fc.property(fc.json({ maxDepth: 20 }), (json) => check(json)));
    fc.assert(fc.property(fc.string(), (text) => check(text)));
    check("]]]}}},,,");
  });

  it("count values and depth, but nothing inside strings", () => {
    check(JSON.stringify(Array(10_000).fill(0)));
    check(JSON.stringify(["[{,".repeat(100_000), "\\".repeat(1001), '",'.repeat(20_000)]));
    check("[".repeat(100));
    expect(() => check(JSON.stringify(Array(10_001).fill("")))).toThrow(
      exceeded(/more than 10000/),
    );
    expect(() => check(`{${'"a":1,'.repeat(10_000)}"a":1}`)).toThrow(exceeded(/more than 10000/));
    expect(() => check("[".repeat(101))).toThrow(exceeded(/nests more than 100/));
    const fields = Array.from({ length: 501 }, () => Object.fromEntries(keys));
    expect(() => check(JSON.stringify(fields.slice(1)))).not.toThrow();
    expect(() => check(JSON.stringify(fields))).toThrow(exceeded(/more than 50000 fields/));
    const many = Array.from({ length: 300 }, () => Array(900).fill(0));
    expect(() => check(JSON.stringify(many))).toThrow(exceeded(/more than 250000 values/));
  });
});
