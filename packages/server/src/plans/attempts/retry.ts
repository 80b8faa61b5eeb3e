import { backoffMs } from "@steward/kernel/concurrency/backoff.js";
import { STEP_ATTEMPTS_MAX, RETRY_CAP_MS } from "../limits.js";
import { RETRY_BASE_MS } from "../../kernel/limits.js";
import type { StatementFailureReason } from "../ports.js";

/**
 * Whether to retry a failed attempt (Decision §3). A read is retried when the cause may be
 * temporary, a write only when the engine proves that it was rolled back.
 */
export function mayRetry(
  reason: StatementFailureReason,
  isRead: boolean,
  attemptsMade: number,
): boolean {
  if (attemptsMade >= STEP_ATTEMPTS_MAX) return false;
  return reason === "rolled_back" || (isRead && reason === "connection");
}

/**
 * The pause before the next attempt, in ms: exponential backoff with a cap and full jitter
 * (Decision §3).
 * @param random in [0, 1).
 */
export function retryDelayMs(attemptsMade: number, random: number): number {
  return backoffMs({ baseMs: RETRY_BASE_MS, capMs: RETRY_CAP_MS }, attemptsMade, random);
}
