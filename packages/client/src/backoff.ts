/** Longest pause before the first retry, in ms; doubles with each failure. */
const PAUSE_MS = 200;
/** Longest pause before any retry, in ms. */
const PAUSE_MS_MAX = 10_000;

/**
 * How many ms to pause after so many failures in a row: anything up to a bound that doubles ("full
 * jitter"), so that clients which failed together do not come back together.
 * @param failures from 1.
 * @param random gives numbers in [0, 1).
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  return random() * Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** (failures - 1));
}

/** Resolves after a time; rejects with the signal's reason when it is aborted before. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      // The reason is the caller's own, whatever it is.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
