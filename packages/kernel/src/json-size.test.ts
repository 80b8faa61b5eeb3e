import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstWithin, jsonSize } from "./json-size.js";

describe("the size of a value as JSON", () => {
  it("is that of its text, but for escapes, numbers and commas", () => {
    const letters = fc.stringMatching(/^[a-z]{0,20}$/);
    fc.assert(
      fc.property(fc.dictionary(letters, fc.array(letters)), (value) => {
        const { length } = JSON.stringify(value);
        const items = Object.values(value).length + Object.values(value).flat().length;
        expect(jsonSize(value)).toBeGreaterThanOrEqual(length);
        expect(jsonSize(value)).toBeLessThanOrEqual(length + 2 * items + 1);
      }),
    );
  });

  it("does not look further once it is reached", () => {
    const unread = Object.defineProperty({}, "text", {
      enumerable: true,
      get: () => expect.unreachable(),
    });
    expect(jsonSize(["x".repeat(100), unread], 100)).toBe(105);
  });

  it("counts the bytes of binary values", () => {
    expect(jsonSize(new Uint8Array(1000))).toBe(1000);
  });
});

describe("the first items within a size", () => {
  it("are as many as fit", () => {
    expect(firstWithin(["aaaa", "bbbb", "cccc"], 14)).toEqual(["aaaa", "bbbb"]);
    expect(firstWithin(["aaaa", "bbbb"], 14)).toEqual(["aaaa", "bbbb"]);
  });

  it("are one item that is larger alone, so that every page leads on", () => {
    expect(firstWithin(["a".repeat(100), "b"], 14)).toEqual(["a".repeat(100)]);
    expect(firstWithin([], 14)).toEqual([]);
  });
});
