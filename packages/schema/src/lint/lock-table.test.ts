import { describe, expect, it } from "vitest";
import { mistakenRows } from "../testing/command-table.js";

describe("docs/migration-locks.md", () => {
  it.each(["postgres", "sqlite"] as const)("has a row for each command on %s", (dialect) => {
    expect(mistakenRows(dialect)).toEqual([]);
  });
});
