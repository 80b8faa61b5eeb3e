import { expect, it } from "vitest";
import { DialectAnalyzer, SqliteAnalyzer } from "./index.js";

it("refuses the dialect that no data source speaks instead of guessing", () => {
  const analyzer = new DialectAnalyzer({ sqlite: new SqliteAnalyzer() });
  expect(analyzer.analyze("SELECT 1", "sqlite").kind).toBe("statement");
  expect(() => analyzer.analyze("SELECT 1", "postgres")).toThrow(
    expect.objectContaining({ code: "UNIMPLEMENTED" }),
  );
});
