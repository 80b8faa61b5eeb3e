/** Bounds of the pauses between attempts that fail one after the other. */
export interface Backoff {
  /** Longest pause after the first failure, in ms; it doubles with each further one. */
  readonly baseMs: number;
  /** Longest pause of all, in ms. */
  readonly capMs: number;
}

/**
 * How long to pause before the next attempt, in whole ms: anything up to a ceiling that doubles with
 * each failure ("full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/),
 * so that processes which failed together do not come back together. Every retry of this program waits
 * by this formula.
 * @param failures in a row, from 1.
 * @param random in [0, 1).
 */
export function backoffMs({ baseMs, capMs }: Backoff, failures: number, random: number): number {
  return Math.floor(random * Math.min(baseMs * 2 ** (failures - 1), capMs));
}
