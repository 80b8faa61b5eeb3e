import { backoffMs } from "@steward/kernel/concurrency/backoff.js";
import { READ_ATTEMPTS_MAX, RETRY_BASE_MS, RETRY_CAP_MS } from "@steward/kernel/limits.js";
import type { StatementFailureReason } from "../ports.js";

/**
 * Whether a failed attempt is worth another one (Decision §3): a read when trouble may pass, a write
 * only when the engine proves that it was rolled back.
 */
export function mayRetry(
  reason: StatementFailureReason,
  isRead: boolean,
  attemptsMade: number,
): boolean {
  if (attemptsMade >= READ_ATTEMPTS_MAX) return false;
  return reason === "rolled_back" || (isRead && reason === "connection");
}

/**
 * How long to wait before the next attempt, in ms: doubling, capped, with full jitter (Decision §3).
 * @param random in [0, 1).
 */
export function retryDelayMs(attemptsMade: number, random: number): number {
  return backoffMs({ baseMs: RETRY_BASE_MS, capMs: RETRY_CAP_MS }, attemptsMade, random);
}
