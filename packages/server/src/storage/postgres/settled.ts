import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@steward/postgres";
import { OutcomeUnknown, UNIQUE_VIOLATION } from "./database.js";

/** How long a write with an unknown outcome is retried before its caller gets an error, in ms. */
const PATIENCE_MS = 5000;
/** Pause before the next attempt, in ms. */
const AGAIN_MS = 100;

/**
 * Completes a write even if the outcome of an attempt is unknown: it reads whether the write took
 * effect, and otherwise tries again. This is safe for a write whose unique keys prevent a second
 * effect: an unfinished attempt holds these keys, and the next attempt waits for it.
 * @param write gets whether an earlier attempt may have taken effect.
 * @param readBack returns the result of the write if the store contains it.
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

/** Whether the database refuses the write permanently. */
export function isRefusal(error: unknown): boolean {
  return !(error instanceof OutcomeUnknown) && sqlStateOf(error) !== undefined;
}
