/**
 * Upper bound of the pause after the first failure, in ms. The bound doubles with each further
 * failure.
 */
const PAUSE_MS = 200;
/** Upper bound that no pause exceeds, in ms. */
const PAUSE_MS_MAX = 10_000;

/**
 * Pause after consecutive failures, in ms: a random value below a bound that doubles with each
 * failure ("full jitter"). The jitter keeps clients that failed together from retrying at the same
 * moment.
 * @param failures counted from 1.
 */
export function backoffMs(failures: number): number {
  return Math.random() * Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** (failures - 1));
}

/** Resolves after a time; rejects with the signal's reason when the signal is aborted first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      // The reason can be any value that the caller chose.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
