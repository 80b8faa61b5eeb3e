/** A small seeded generator (mulberry32), so that a failing schedule can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of this run of the tests (`STEWARD_TEST_SEED`). */
export function testSeed(): number {
  return Number(process.env["STEWARD_TEST_SEED"]) >>> 0;
}

/** Runs a seeded function; a failure names the seed. */
export async function withSeed(run: (seed: number) => Promise<void>): Promise<void> {
  const seed = testSeed();
  try {
    await run(seed);
  } catch (error) {
    throw new Error(`failed with seed ${String(seed)}`, { cause: error });
  }
}
