import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import type { PlanEngine } from "../engine/index.js";
import { untilNews } from "../engine/until-news.js";
import type { PlanRef } from "../ports.js";

/** Interval for polling a step that another process runs, in case a wake-up is lost. */
const POLL_MS = 250;

/**
 * Waits for a change that another request or another process makes, until the plan changes or the
 * polling interval has passed.
 */
export function untilPlanNews(
  engine: PlanEngine,
  ref: PlanRef,
  signal: AbortSignal,
): Promise<void> {
  return untilNews({
    subscribe: (wake) => engine.onPlanEvents(ref.planId, wake),
    timers: systemTimers,
    pollMs: POLL_MS,
    signal,
  });
}

/** Resolves with the result, or rejects when the caller leaves first. The step itself continues. */
export async function whileCallerWaits<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw callerGone();
  let leave: (() => void) | undefined;
  const gone = new Promise<never>((_resolve, reject) => {
    leave = (): void => {
      reject(callerGone());
    };
    signal.addEventListener("abort", leave);
  });
  try {
    return await Promise.race([result, gone]);
  } finally {
    if (leave !== undefined) signal.removeEventListener("abort", leave);
  }
}

/** The error of a caller that left before the answer. */
export function callerGone(): AppError {
  return new AppError(
    "DEADLINE_EXCEEDED",
    "The caller stopped waiting; the step continues, execute it again to get its result",
  );
}
