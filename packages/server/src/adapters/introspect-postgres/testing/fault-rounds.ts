import { freshDatabase } from "@steward/test-postgres";
import { seededRandom } from "../../../kernel/testing/seeded-random.js";
import { runFaultRound } from "./fault-round.js";
import { randomSchemas } from "./random-schemas.js";
import { StatementCutter } from "./statement-cutter.js";

/** More statements than any migration here runs. */
const STATEMENTS_MAX = 400;

/** How much is tried. */
export interface FaultRounds {
  /** Random pairs of schemas. */
  readonly seeds: number;
  /** 1: the process dies at every statement, in turn; n: at every nth. */
  readonly statementStep: number;
}

/**
 * Has the process of a random migration die at one statement after the other, in a database of its own
 * each time. @throws Error that names the seed and the statement.
 */
export async function faultRounds({ seeds, statementStep }: FaultRounds): Promise<void> {
  const first = Date.now() >>> 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const offset = seed % statementStep;
    for (let statement = offset; statement < STATEMENTS_MAX; statement += statementStep) {
      if (await isLast(seed, statement)) break;
    }
  }
}

async function isLast(seed: number, statement: number): Promise<boolean> {
  await using database = await freshDatabase();
  await using cutter = await StatementCutter.open(database.url);
  const schemas = randomSchemas(seededRandom(seed));
  const random = seededRandom(seed + statement);
  try {
    return await runFaultRound({ url: database.url, cutter, schemas, statement, random });
  } catch (cause) {
    throw new Error(`seed ${String(seed)}, statement ${String(statement)}`, { cause });
  }
}
