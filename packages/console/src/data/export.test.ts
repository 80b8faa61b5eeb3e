import { describe, expect, it } from "vitest";
import { csvOf } from "./export.js";

describe("rows as CSV", () => {
  it("quotes what would break a line or a column", () => {
    expect(csvOf(["a", "b"], [{ a: 'x,"y"', b: "two\nlines" }, { a: null }])).toBe(
      'a,b\r\n"x,""y""","two\nlines"\r\n,\r\n',
    );
  });

  it("runs no formula that an agent has written, and keeps numbers as they are", () => {
    expect(csvOf(["a", "b"], [{ a: "=HYPERLINK(1)", b: -5 }])).toBe("a,b\r\n'=HYPERLINK(1),-5\r\n");
  });
});
