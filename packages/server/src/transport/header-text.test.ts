import { describe, expect, it } from "vitest";
import { headerText } from "./header-text.js";

describe("the text of a header", () => {
  it("is trimmed", () => {
    expect(headerText({ "x-a": "  one " }, "x-a", 10)).toBe("one");
  });

  it("is absent when the header is, or holds only blanks", () => {
    expect(headerText({}, "x-a", 10)).toBeUndefined();
    expect(headerText({ "x-a": "  " }, "x-a", 10)).toBeUndefined();
  });

  it("is refused when the header was sent twice", () => {
    expect(() => headerText({ "x-a": ["one", "two"] }, "x-a", 10)).toThrow(
      "The header x-a is malformed: it is sent more than once",
    );
  });

  it.each(["longer than it", "tab\tinside", "nul\u0000", "del\u007f", "csi\u009b"])(
    "is refused by name: %j",
    (text) => {
      expect(() => headerText({ "x-a": text }, "x-a", 10)).toThrow(
        expect.objectContaining({
          code: "INVALID_ARGUMENT",
          details: [expect.objectContaining({ field: "x-a" })],
        }),
      );
    },
  );
});
