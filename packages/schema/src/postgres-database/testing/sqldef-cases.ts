import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freshDatabase } from "@steward/test-postgres";
import { parse } from "yaml";
import { connect, define, dropMadeRoles, resultOf, type Transition } from "./transition.js";

/** Number of database pairs in which cases run concurrently. */
const LANES = 3;
const REFUSED_HINT =
  "AppError: the rename hint has no effect here: a value or an attribute of a type";

/** The results of the cases. */
export interface SqldefResults {
  /** Number of cases whose two sides the server accepts; the others are skipped. */
  readonly count: number;
  /**
   * Names of cases that rename enum values, which migrations do not support; their hints are
   * refused.
   */
  readonly refusedHints: readonly string[];
  /** Every other case that failed in one of the directions: its name and the reason. */
  readonly failures: readonly string[];
}

/**
 * Migrates from the current to the wanted schema of sqldef's migration cases, and back. The cases
 * come from another migration tool, so the resulting schema is compared and not the statements.
 * @param data The directory of the check data.
 * @param step 1: every case; n: every nth.
 */
export async function runSqldefCases(data: string, step: number): Promise<SqldefResults> {
  const cases = readCases(join(data, "sqldef/psqldef")).filter((_, index) => index % step === 0);
  const lanes = Array.from({ length: LANES }, () => runLane(cases));
  const ends = (await Promise.all(lanes)).flat().filter(({ result }) => result !== "refused");
  await using server = await freshDatabase();
  await dropMadeRoles(server.url);
  const isHint = ({ result }: CaseEnd): boolean => result.includes(REFUSED_HINT);
  const failed = ends.filter((end) => end.result !== "equal" && !isHint(end));
  return {
    count: ends.length,
    refusedHints: ends
      .filter(isHint)
      .map(({ name }) => name)
      .sort(),
    failures: failed.map(({ name, result }) => `${name}: ${result}`),
  };
}

interface CaseEnd {
  readonly name: string;
  /** `equal`, `refused` by the server, or the problem. */
  readonly result: string;
}

function readCases(directory: string): (readonly [string, Transition])[] {
  return readdirSync(directory).flatMap((file) =>
    Object.entries(
      parse(readFileSync(join(directory, file), "utf8")) as Record<string, Transition>,
    ),
  );
}

async function runLane(cases: (readonly [string, Transition])[]): Promise<readonly CaseEnd[]> {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  const [database, wanted] = [await connect(one.url), await connect(other.url)];
  const ends: CaseEnd[] = [];
  for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
    const [name, each] = next;
    const areTaken = (await define(database, each.current)) && (await define(wanted, each.desired));
    ends.push({ name, result: areTaken ? await resultOf(database, wanted, each) : "refused" });
  }
  await Promise.all([database.end(), wanted.end()]);
  return ends;
}
