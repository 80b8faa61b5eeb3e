import { describe, expect, it } from "vitest";
import { runSqldefCases } from "./testing/sqldef-cases.js";

const DATA = process.env["STEWARD_CHECK_DATA"];

describe.skipIf(DATA === undefined)("migration cases of sqldef for PostgreSQL", () => {
  it("reach the wanted schema from the current one, and come back", async () => {
    const { count, refusedHints, failures } = await runSqldefCases(DATA ?? "", 1);
    const right = count - failures.length - refusedHints.length;
    process.stdout.write(
      `sqldef for PostgreSQL: ${right} of ${count}, ${refusedHints.length} refused with a reason\n`,
    );
    expect(failures).toEqual([]);
    expect(refusedHints).toEqual([
      ...["RenameAndAddEnumValue", "RenameEnumTypeWithValueRenameAndAddValue", "RenameEnumValue"],
      ...["RenameEnumValueLineComment", "RenameEnumValueWithSchema", "RenameMultipleEnumValues"],
    ]);
    expect(count).toBeGreaterThanOrEqual(744);
  });
});

if (DATA === undefined) {
  process.stdout.write("sqldef for PostgreSQL: skipped, STEWARD_CHECK_DATA is not set\n");
}
