import { DAY_MS, TestStore } from "./test-store.js";

/** Plans that run at the same time. */
const WRITERS = 8;

/** Steps of a phase, sorted percentiles in ms. */
interface Phase {
  readonly steps: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/**
 * The time of a step while nothing is deleted, and while a sweep deletes as the server does, in rounds of
 * three phases: without, with, and again without, which tells how much two phases differ by themselves.
 */
export async function measureWriters(
  asked: {
    readonly path: string;
    readonly expired: number;
    readonly seconds: number;
    readonly rounds: number;
  },
  print: (line: object) => void,
): Promise<void> {
  await using test = await TestStore.open(asked.path);
  await test.makeCalls(asked.expired);
  test.nowMs += 31 * DAY_MS;
  await write(test, 1);
  const ratios: { readonly sweep: number; readonly noise: number }[] = [];
  for (let round = 1; round <= asked.rounds; round += 1) {
    const without = await write(test, asked.seconds);
    const during = await whileSweeping(test, () => write(test, asked.seconds));
    const again = await write(test, asked.seconds);
    print({ round, "without a sweep": without, "during a sweep": during, "without again": again });
    const base = (without.p99 + again.p99) / 2;
    ratios.push({ sweep: during.p99 / base, noise: again.p99 / without.p99 });
  }
  print({
    "p99 during / without, median of the rounds": median(ratios.map(({ sweep }) => sweep)),
    "p99 without again / without, median": median(ratios.map(({ noise }) => noise)),
  });
  // More than nothing: there was something to delete in each round.
  print({ "left to delete": await test.sweeper.sweep() });
}

/** A new sweep begins with `work`, and ends with it. */
async function whileSweeping<T>(test: TestStore, work: () => Promise<T>): Promise<T> {
  await using sweeper = test.newSweeper();
  sweeper.wake();
  return await work();
}

/** Runs plans for a time. */
async function write(test: TestStore, seconds: number): Promise<Phase> {
  const times: number[] = [];
  const untilMs = performance.now() + seconds * 1000;
  const run = async (): Promise<void> => {
    while (performance.now() < untilMs) await test.runPlan((ms) => times.push(ms));
  };
  await Promise.all(Array.from({ length: WRITERS }, run));
  times.sort((a, b) => a - b);
  const at = (share: number): number => rounded(times[Math.floor(times.length * share)] ?? 0);
  return { steps: times.length, p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}

function median(values: readonly number[]): number {
  return rounded(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
