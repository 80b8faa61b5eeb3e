import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@steward/postgres";
import { OutcomeUnknown, UNIQUE_VIOLATION } from "./database.js";

/** How long a write whose outcome is not known is tried again, in ms, before its caller is told. */
const PATIENCE_MS = 5000;
/** Pause before the database is asked again, in ms. */
const AGAIN_MS = 100;

/**
 * Does a write to its end although it is not known how a try of it ended: reads back whether it took
 * effect, and else tries again. That is safe for a write that its keys keep from taking effect twice: a
 * try that is still under way holds them, and the next one waits for it.
 * @param write told whether an earlier try may have taken effect.
 * @param readBack what the write returns, when it is found in the store.
 */
export async function settled<T>(
  write: (isUnsure: boolean) => Promise<T>,
  readBack: () => Promise<T | undefined> = () => Promise.resolve(undefined),
): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let isUnsure = false; ;) {
    try {
      return await write(isUnsure);
    } catch (error) {
      const isTaken = isUnsure && sqlStateOf(error) === UNIQUE_VIOLATION;
      if (!isTaken && !(error instanceof OutcomeUnknown)) throw error;
      isUnsure = true;
      const found = await readBack().catch(() => undefined);
      if (found !== undefined) return found;
      if (isTaken || performance.now() > giveUpAt) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** Whether the database has understood a write and would refuse it again. */
export function isRefusal(error: unknown): boolean {
  return !(error instanceof OutcomeUnknown) && sqlStateOf(error) !== undefined;
}
