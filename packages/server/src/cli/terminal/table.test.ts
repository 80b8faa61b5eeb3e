import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cut, renderTable } from "./table.js";

const columns = [
  { title: "ID", whole: true },
  { title: "NAME" },
  { title: "NOTE" },
  { title: "COUNT", align: "right" as const },
];
const id = "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21";
const rows = [
  [id, "Zoë 東京タワー 👩‍👩‍👧 and more than that", "x".repeat(50), "1234567"],
  [id, "short", "y", "1"],
];

describe("a table", () => {
  it("sets columns by what a terminal takes for a character, not by code units", () => {
    const lines = renderTable(
      [{ title: "CITY" }, { title: "N" }],
      [
        ["東京", "1"],
        ["Graz", "2"],
      ],
    );
    expect(lines).toEqual(["CITY  N", "東京  1", "Graz  2"]);
  });

  it("fits a terminal: texts are cut, ids and numbers never", () => {
    for (const width of [80, 90, 100, 120]) {
      const lines = renderTable(columns, rows, width);
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
      expect(lines[1]).toContain(id);
      expect(lines[1]).toContain("1234567");
    }
    expect(renderTable(columns, rows).join("\n")).toContain("x".repeat(50));
  });

  it("cuts between characters", () => {
    expect(cut("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5)).toBe("👩‍👩‍👧👩‍👩‍👧…");
    expect(cut("東京タワー", 6)).toBe("東京…");
    expect(cut("plain", 5)).toBe("plain");
  });
});
