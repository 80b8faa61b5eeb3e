import { DAY_MS, TestStore } from "./test-store.js";

/** Plans that run at the same time. */
const WRITERS = 8;

/** The time of a step while nothing is deleted, and while a sweep deletes as the server does. */
export async function measureWriters(
  asked: { readonly path: string; readonly expired: number; readonly seconds: number },
  print: (line: object) => void,
): Promise<void> {
  await using test = await TestStore.open(asked.path);
  await test.makeCalls(asked.expired);
  test.nowMs += 31 * DAY_MS;
  await write(test, 1);
  const without = await write(test, asked.seconds);
  test.sweeper.wake();
  const during = await write(test, asked.seconds);
  print({ "steps without a sweep": without });
  print({ "steps during a sweep": during });
  // More than nothing: the sweep went on for all of the time.
  print({ "left to delete": await test.sweeper.sweep() });
}

/** Runs plans for a time. @returns percentiles of the time of a step, in ms. */
async function write(test: TestStore, seconds: number): Promise<object> {
  const times: number[] = [];
  const untilMs = performance.now() + seconds * 1000;
  const run = async (): Promise<void> => {
    while (performance.now() < untilMs) await test.runPlan((ms) => times.push(ms));
  };
  await Promise.all(Array.from({ length: WRITERS }, run));
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((times[Math.floor(times.length * share)] ?? 0) * 100) / 100;
  return { steps: times.length, p50: at(0.5), p99: at(0.99), max: at(0.999) };
}
