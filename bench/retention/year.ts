import { existsSync, statSync } from "node:fs";
import { DAY_MS, TestStore } from "./test-store.js";

/** Days between two printed lines. */
const PRINT_EVERY = 30;
const MS_A_SECOND = 1000;

/** Lives day by day: tool calls, then a sweep. Prints the size of the store once a month. */
export async function liveOneYear(
  {
    path,
    days,
    callsADay,
  }: { readonly path: string; readonly days: number; readonly callsADay: number },
  print: (line: object) => void,
): Promise<void> {
  await using test = await TestStore.open(path);
  const beganMs = performance.now();
  let deleted = 0;
  let sweepingMs = 0;
  for (let day = 1; day <= days; day += 1) {
    await test.makeCalls(callsADay);
    test.nowMs += DAY_MS;
    const sweptFromMs = performance.now();
    for (const rows of Object.values(await test.sweeper.sweep())) deleted += rows;
    sweepingMs += performance.now() - sweptFromMs;
    if (day % PRINT_EVERY !== 0 && day !== days) continue;
    const seconds = Math.round((performance.now() - beganMs) / MS_A_SECOND);
    const sweepingSeconds = Math.round(sweepingMs / MS_A_SECOND);
    // Plans, usage rows and entries; the logs of the plans are more rows.
    const deletedPerSecond = Math.round((deleted * MS_A_SECOND) / sweepingMs);
    print({
      day,
      calls: day * callsADay,
      "store MiB": mib(path),
      "log MiB": mib(`${path}-wal`),
      ...{ seconds, sweepingSeconds, deletedPerSecond },
    });
  }
}

function mib(path: string): number {
  return existsSync(path) ? Math.round((statSync(path).size / 1024 / 1024) * 10) / 10 : 0;
}
