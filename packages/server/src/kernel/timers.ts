/** Where background work waits. Injected, so that a test can own its time. */
export interface Timers {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  /** Runs `action` once, after so many ms. @returns what cancels it; calling that later is harmless. */
  after(ms: number, action: () => void): () => void;
}

/** The machine's own timers. They do not keep a process alive that has nothing else to do. */
export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
