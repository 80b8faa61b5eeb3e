import { BoundedTurns } from "./bounded-turns.js";
import { RESUMED_CALLERS_MAX, RESUMED_TURN_MS } from "../limits.js";

/** All callers of the process, because the results that they wait for may arrive together too. */
const RESUMPTIONS = new BoundedTurns({
  startsMax: RESUMED_CALLERS_MAX,
  turnMs: RESUMED_TURN_MS,
});

/**
 * Waits for a result that many callers may wait for. What a caller does with the result belongs to
 * the turn of the event loop in which the caller resumes, so the callers resume in several turns.
 * @param party whose call it is: parties resume round-robin.
 */
export async function sharedResult<Result>(
  result: Promise<Result>,
  party: string,
): Promise<Result> {
  try {
    return await result;
  } finally {
    await resumption(party);
  }
}

/**
 * Resolves when the turn of the event loop has room for another caller that resumes; `undefined` when
 * it has room now.
 */
export function resumption(party: string): Promise<void> | undefined {
  if (RESUMPTIONS.tryEnter()) return undefined;
  return new Promise((resolve) => {
    RESUMPTIONS.enter(() => party, resolve);
  });
}
