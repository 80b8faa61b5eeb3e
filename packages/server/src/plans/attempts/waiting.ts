import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "@steward/kernel/concurrency/backoff.js";
import { resumption } from "@steward/kernel/concurrency/shared-result.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import { RETRY_BASE_MS } from "../../kernel/limits.js";
import type { PlanEngine } from "../engine/index.js";
import { untilNews } from "../engine/until-news.js";
import { RETRY_CAP_MS } from "../limits.js";
import type { PlanRef } from "../ports.js";

/** Interval for polling a step that another process runs, in case a wake-up is lost. */
const POLL_MS = 250;

/**
 * Waits for a change that another request or another process makes, until the plan changes or the
 * polling interval has passed.
 */
export async function untilPlanNews(
  engine: PlanEngine,
  ref: PlanRef,
  signal: AbortSignal,
): Promise<void> {
  await untilNews({
    subscribe: (wake) => engine.onPlanEvents(ref.planId, wake),
    timers: systemTimers,
    pollMs: POLL_MS,
    signal,
  });
  // One event wakes all that wait for news of the plan.
  await resumption(ref.orgId);
}

/** Resolves with the result, or rejects when the caller leaves first. The step itself continues. */
export function whileCallerWaits<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(callerGone("step"));
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(callerGone("step"));
    };
    signal.addEventListener("abort", leave);
    const leaving =
      <Outcome>(settle: (outcome: Outcome) => void) =>
      (outcome: Outcome): void => {
        signal.removeEventListener("abort", leave);
        settle(outcome);
      };
    result.then(leaving<T>(resolve), leaving<unknown>(reject));
  });
}

/** The error of a caller that left before the answer, with what continues without it. */
export function callerGone(continues: keyof typeof CONTINUES): AppError {
  return new AppError("DEADLINE_EXCEEDED", `The caller stopped waiting; ${CONTINUES[continues]}`);
}

const CONTINUES = {
  step: "the step continues, execute it again to get its result",
  cancellation:
    "the plan is cancelled as soon as its running step has ended: read the plan, or cancel it again to wait for that",
} as const;

/** The error of a step that was stopped before its end and may be executed again. */
export function stopped({ isAbandoned }: { readonly isAbandoned: boolean }): AppError {
  const why = isAbandoned
    ? "The call that ran this step was aborted"
    : "The server is shutting down";
  return new AppError("STORE_UNAVAILABLE", `${why}; send the request again`, {
    retryAfterMs: 1000,
  });
}

/**
 * The pause before the next attempt, in ms: exponential backoff with a cap and full jitter
 * (Decision §3).
 * @param random in [0, 1).
 */
export function retryDelayMs(attemptsMade: number, random: number): number {
  return backoffMs({ baseMs: RETRY_BASE_MS, capMs: RETRY_CAP_MS }, attemptsMade, random);
}

/** Waits; an abort ends the wait early without an error. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
