import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { describeResults } from "./result-rows.js";

const colors = pc.createColors(false);

describe("results for reading", () => {
  it("are a table for each step, numbers to the right, on one line each", () => {
    const results = {
      totals: [
        { name: "Ada", total: 7 },
        { name: "Bob\nthe\u001b[31m second", total: 125.5, note: null },
      ],
      none: [],
    };
    expect(describeResults(results, colors)).toEqual([
      "totals",
      "name                total  note",
      "Ada                     7  NULL",
      "Bob the[31m second  125.5  NULL",
      "",
      "none",
      "no rows",
    ]);
  });

  it("stop after twenty rows and say how many more there are", () => {
    const rows = Array.from({ length: 50 }, (_row, id) => ({ id }));
    const lines = describeResults({ all: rows }, colors);
    expect(lines).toHaveLength(23);
    expect(lines.at(-1)).toBe("… and 30 more; --json has all");
  });
});
