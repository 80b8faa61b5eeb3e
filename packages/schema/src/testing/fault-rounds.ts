import { seededRandom, testSeed } from "@steward/kernel/testing/seeded-random.js";
import type { Dialect } from "../model/schema.js";
import type { FaultPlace } from "./fault-place.js";
import { type RoundResult, runFaultRound } from "./fault-round.js";
import { faultSchemas } from "./fault-schemas.js";

/** More statements than any of these migrations runs. */
const STATEMENTS_MAX = 400;
/**
 * Further pairs that are tried until a process was killed; for most seeds the first pair is enough.
 */
const FURTHER_SEEDS_MAX = 20;

/** How much is tried, and where. */
export interface FaultRounds {
  readonly dialect: Dialect;
  /** Opens an empty database with random settings. */
  readonly open: (random: () => number) => Promise<FaultPlace>;
  /**
   * Number of random pairs of schemas. More are tried while every migration was refused and no
   * process was killed.
   */
  readonly seeds: number;
  /** 1: kill at every statement in turn; n: at every nth. */
  readonly statementStep: number;
  /** Seed of the first pair; by default the seed of the test run. */
  readonly firstSeed?: number;
}

/** Number of rounds by result. */
export type RoundEnds = Record<RoundResult["end"], number>;

/**
 * Kills the process of random migrations at one statement after the other, each time in a new
 * database, until a migration completes first.
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
