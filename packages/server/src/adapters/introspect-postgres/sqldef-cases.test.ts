import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freshDatabase } from "@steward/test-postgres";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { connect, define, dropMadeRoles, resultOf, type Transition } from "./testing/transition.js";

const DATA = process.env["STEWARD_CHECK_DATA"];
/** Renames of enum values, which no migration does: their hints are refused. */
const REFUSED_HINT =
  "AppError: the rename hint has no effect here: a value or an attribute of a type";
/** Pairs of databases that cases are tried in at a time. */
const LANES = 3;

// Cases of another migration tool, judged by what the database then is and not by the statements. A
// case counts when the server takes both of its sides.
describe.skipIf(DATA === undefined)("migration cases of sqldef for PostgreSQL", () => {
  it(
    "reach the wanted schema from the current one, and come back",
    { timeout: 900_000 },
    async () => {
      const cases = readCases(join(DATA ?? "", "sqldef/psqldef"));
      const results = (
        await Promise.all(Array.from({ length: LANES }, () => runLane(cases)))
      ).flat();
      await using server = await freshDatabase();
      await dropMadeRoles(server.url);
      const hints = results.filter((result) => result.includes(REFUSED_HINT));
      expect(hints.map((result) => result.slice(0, result.indexOf(":"))).sort()).toEqual([
        ...["RenameAndAddEnumValue", "RenameEnumTypeWithValueRenameAndAddValue", "RenameEnumValue"],
        ...["RenameEnumValueLineComment", "RenameEnumValueWithSchema", "RenameMultipleEnumValues"],
      ]);
      const failures = results.filter(
        (result) => result !== "equal" && result !== "refused" && !hints.includes(result),
      );
      const count = results.filter((result) => result !== "refused").length;
      const right = count - failures.length - hints.length;
      process.stdout.write(
        `sqldef for PostgreSQL: ${right} of ${count}, ${hints.length} refused with a reason\n`,
      );
      expect(failures).toEqual([]);
      expect(count).toBeGreaterThanOrEqual(744);
    },
  );
});

if (DATA === undefined) {
  process.stdout.write("sqldef for PostgreSQL: skipped, STEWARD_CHECK_DATA is not set\n");
}

function readCases(directory: string): (readonly [string, Transition])[] {
  return readdirSync(directory).flatMap((file) =>
    Object.entries(
      parse(readFileSync(join(directory, file), "utf8")) as Record<string, Transition>,
    ),
  );
}

async function runLane(cases: (readonly [string, Transition])[]): Promise<readonly string[]> {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  const [database, wanted] = [await connect(one.url), await connect(other.url)];
  const results: string[] = [];
  for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
    const [name, each] = next;
    const areTaken = (await define(database, each.current)) && (await define(wanted, each.desired));
    const result = areTaken ? await resultOf(database, wanted, each) : "refused";
    results.push(result === "equal" || result === "refused" ? result : `${name}: ${result}`);
  }
  await Promise.all([database.end(), wanted.end()]);
  return results;
}
