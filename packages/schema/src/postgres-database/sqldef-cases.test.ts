import { describe, expect, it } from "vitest";
import { runSqldefCases } from "./testing/sqldef-cases.js";

const DATA = process.env["STEWARD_CHECK_DATA"];
/** The long run tries every case. */
const STEP = 12;

describe.skipIf(DATA === undefined)("some migration cases of sqldef for PostgreSQL", () => {
  it("reach the wanted schema from the current one, and come back", async () => {
    const { count, failures } = await runSqldefCases(DATA ?? "", STEP);
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(60);
  });
});

if (DATA === undefined) {
  process.stdout.write("sqldef for PostgreSQL: skipped, STEWARD_CHECK_DATA is not set\n");
}
