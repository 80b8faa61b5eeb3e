import { systemClock, type Clock } from "@steward/kernel/clock.js";
import { ok, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/** Difference between two clocks, in ms, from which on it is a warning. */
const DIFFERENCE_MS_MAX = 1000;

/**
 * Compares this machine's clock with that of a database's server, which is read between two readings
 * of this one.
 */
export async function checkClock(
  of: string,
  read: () => Promise<readonly { readonly now_ms: number }[]>,
  clock: Clock = systemClock,
): Promise<readonly Finding[]> {
  const beforeMs = clock.nowMs();
  const [row] = await read();
  const afterMs = clock.nowMs();
  if (row === undefined) return [];
  const aheadMs = Math.max(beforeMs - row.now_ms, 0);
  const behindMs = Math.max(row.now_ms - afterMs, 0);
  const differenceMs = Math.max(aheadMs, behindMs);
  if (differenceMs <= DIFFERENCE_MS_MAX) {
    return [ok("clock", `agrees with the server of the ${of}`)];
  }
  const way = aheadMs > 0 ? "ahead of" : "behind";
  const found = `is ${(differenceMs / 1000).toFixed(1)} s ${way} the server of the ${of}`;
  return [warn("clock", found, "synchronize the clocks of both machines with NTP")];
}
