import { describe, expect, it } from "vitest";
import { maskDatabaseUrl, parseDatabaseUrl, sqliteFile } from "./database-url.js";

describe("a database URL", () => {
  it.each([
    ["./a.db", "sqlite:./a.db"],
    ["sqlite:/var/a.db", "sqlite:/var/a.db"],
    ["postgresql://h/db", "postgresql://h/db"],
    ["postgres://", undefined],
    ["mysql://h/db", undefined],
    [":memory:", undefined],
    ["sqlite::memory:", undefined],
    ["sqlite:file:a.db?mode=memory", undefined],
    ["./:memory:", "sqlite:./:memory:"],
    ["a\0.db", undefined],
    ["", undefined],
  ])("%j is read as %j", (text, url) => {
    expect(parseDatabaseUrl(text)).toBe(url);
  });

  it("names a file when it is SQLite's", () => {
    expect(sqliteFile("sqlite:a.db")).toBe("a.db");
    expect(sqliteFile("postgres://h/db")).toBeUndefined();
  });

  it.each([
    ["postgres://u:pw@h:5432/db", "postgres://u:***@h:5432/db"],
    ["postgres://u:p@w@h/db", "postgres://u:***@h/db"],
    ["postgres://u@h/db", "postgres:***@h/db"],
    ["postgres://h/db?password=pw&x=1", "postgres://h/db?password=***&x=1"],
    ["a=postgres://u:p@h/d,b=postgres://v:q@h/e", "a=postgres://u:***@h/d,b=postgres://v:***@h/e"],
    ["postgres:/u:pw@h", "postgres:***@h"],
    ["sqlite:./a.db", "sqlite:./a.db"],
    ["postgres://h:5432/db", "postgres://h:5432/db"],
  ])("%s is shown as %s", (url, shown) => {
    expect(maskDatabaseUrl(url)).toBe(shown);
  });
});
