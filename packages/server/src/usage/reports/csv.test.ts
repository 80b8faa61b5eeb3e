import { describe, expect, it } from "vitest";
import { toCsv } from "./csv.js";

describe("CSV", () => {
  it("quotes what holds a separator, a quote or a line break", () => {
    expect(toCsv(["a", "b"], [['x,"y"', "two\nlines"]])).toBe('a,b\r\n"x,""y""","two\nlines"\r\n');
  });

  it("keeps a spreadsheet from taking a name for a formula", () => {
    expect(toCsv(["tool_name", "cost"], [["=cmd()", -1]])).toBe("tool_name,cost\r\n'=cmd(),-1\r\n");
  });

  it("has a header even when there are no rows", () => {
    expect(toCsv(["date"], [])).toBe("date\r\n");
  });
});
