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

  it.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "＋1",
    "－1",
    "＠SUM(A1)",
  ])("makes a text of %j, also as the name of a column", (formula) => {
    const [column = "", cell = ""] = csvOf([formula], [{ [formula]: formula }]).split(
      /\r\n(?=["'])/,
    );
    expect([column, cell].map((each) => each.replace(/^"/, "").startsWith("'"))).toEqual([
      true,
      true,
    ]);
  });
});
