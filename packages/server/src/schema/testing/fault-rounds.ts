import { seededRandom, testSeed } from "../../kernel/testing/seeded-random.js";
import type { Dialect } from "../schema.js";
import type { FaultPlace } from "./fault-place.js";
import { type RoundResult, runFaultRound } from "./fault-round.js";
import { faultSchemas } from "./fault-schemas.js";

/** More statements than any migration here runs. */
const STATEMENTS_MAX = 400;
/** Pairs that are tried until a process dies; most do at the first. */
const FURTHER_SEEDS_MAX = 20;

/** How much is tried, and where. */
export interface FaultRounds {
  readonly dialect: Dialect;
  /** Opens an empty database, set up at random. */
  readonly open: (random: () => number) => Promise<FaultPlace>;
  /** Random pairs of schemas; more when no process has died with so many, for all their migrations were refused. */
  readonly seeds: number;
  /** 1: the process dies at every statement, in turn; n: at every nth. */
  readonly statementStep: number;
  /** Of the first pair; that of the run of the tests unless given. */
  readonly firstSeed?: number;
}

/** How often a round ended in each way. */
export type RoundEnds = Record<RoundResult["end"], number>;

/**
 * Has the process of random migrations die at one statement after the other, in a database of its own each
 * time, until the migration is through before its statement comes.
 * @throws Error that names the seed and the statement.
 */
export async function faultRounds(rounds: FaultRounds): Promise<RoundEnds> {
  const { seeds, statementStep, firstSeed = testSeed() } = rounds;
  const ends: RoundEnds = { died: 0, refused: 0, done: 0, unchanged: 0 };
  const isEnough = (tried: number): boolean =>
    tried >= seeds && (ends.died > 0 || tried >= seeds + FURTHER_SEEDS_MAX);
  for (let seed = firstSeed; !isEnough(seed - firstSeed); seed++) {
    const offset = seed % statementStep;
    for (let statement = offset; statement < STATEMENTS_MAX; statement += statementStep) {
      const { end, isThrough } = await oneRound(rounds, seed, statement);
      ends[end] += 1;
      if (isThrough) break;
    }
  }
  return ends;
}

async function oneRound(
  { dialect, open }: FaultRounds,
  seed: number,
  statement: number,
): Promise<RoundResult> {
  const schemas = faultSchemas(dialect, seededRandom(seed));
  const random = seededRandom(seed + statement);
  await using place = await open(random);
  try {
    return await runFaultRound(place, { schemas, statement, random });
  } catch (cause) {
    throw new Error(`seed ${String(seed)}, statement ${String(statement)}: ${String(cause)}`, {
      cause,
    });
  }
}
