/** Source of timers for background work. It is injected, so that a test can control time. */
export interface Timers {
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
  /**
   * Runs `action` once, after so many ms.
   * @returns a function that cancels the timer; it has no effect after the timer fired.
   */
  after(ms: number, action: () => void): () => void;
}

/** Node's timers, unreferenced: a pending timer does not keep the process alive. */
export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
