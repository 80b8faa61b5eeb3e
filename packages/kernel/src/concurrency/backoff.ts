/** Bounds of the pauses between consecutive failed attempts. */
export interface Backoff {
  /**
   * Upper bound of the pause after the first failure, in ms. The bound doubles with every further
   * failure.
   */
  readonly baseMs: number;
  /** Upper bound that no pause exceeds, in ms. */
  readonly capMs: number;
}

/**
 * Pause before the next attempt, in whole ms: a random value below a bound that doubles with each
 * failure ("full jitter",
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). The jitter keeps
 * processes that failed together from retrying at the same moment. Every retry of this program uses
 * this formula.
 * @param failures consecutive failures, counted from 1.
 * @param random in [0, 1).
 */
export function backoffMs({ baseMs, capMs }: Backoff, failures: number, random: number): number {
  return Math.floor(random * Math.min(baseMs * 2 ** (failures - 1), capMs));
}
