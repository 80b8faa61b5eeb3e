import { setTimeout as delay } from "node:timers/promises";

/** The measurements of one store. */
export type Figures = Readonly<Record<string, number | string>>;

/** The duration in ms. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Durations of the rounds, in microseconds, ascending. */
export function timesOf(rounds: number, work: (round: number) => unknown): readonly number[] {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    work(round);
    times.push((performance.now() - startedAt) * 1000);
  }
  return times.sort((a, b) => a - b);
}

export function median(times: readonly number[]): number {
  return round(times[times.length >> 1] ?? 0);
}

/** Median durations of matches: with cold and with warm caches. */
export function matchFigures(rounds: number, matchOnce: (round: number) => void): Figures {
  return {
    "match 200 rows, unread, µs": median(timesOf(rounds, matchOnce)),
    "match 200 rows µs": median(timesOf(rounds, matchOnce)),
  };
}

/** Rounds to three decimal places. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Growth of this process's memory in MB, after garbage collection. */
export async function growthMb(before: number): Promise<number> {
  // Buffers are freed in the background after the collection that found them.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await delay(100);
  }
  return Math.round((process.memoryUsage().rss - before) / 1e6);
}
