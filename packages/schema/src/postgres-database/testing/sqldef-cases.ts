import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freshDatabase } from "@steward/test-postgres";
import { parse } from "yaml";
import { connect, define, dropMadeRoles, resultOf, type Transition } from "./transition.js";

/** Pairs of databases that cases are tried in at a time. */
const LANES = 3;
const REFUSED_HINT =
  "AppError: the rename hint has no effect here: a value or an attribute of a type";

/** How the cases ended. */
export interface SqldefResults {
  /** Cases of which the server takes both sides; the others say nothing. */
  readonly count: number;
  /** Names of those that rename values of an enum: no migration does, and their hints are refused. */
  readonly refusedHints: readonly string[];
  /** Of each other case that did not reach its schema, or did not come back: its name and why. */
  readonly failures: readonly string[];
}

/**
 * Goes from the current to the wanted schema of migration cases of sqldef, and back. They are cases of another
 * migration tool, judged by what the database then is and not by the statements.
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
  /** `equal`, `refused` by the server, or what went wrong. */
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
