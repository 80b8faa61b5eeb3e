import type { Timers } from "@steward/kernel/concurrency/timers.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";

/** Parameters of a wait. */
export interface NewsWait {
  /** Registers the callback that ends the wait. */
  readonly subscribe: (wake: () => void) => Unsubscribe;
  readonly timers: Timers;
  /** Polling interval in ms: how long a lost wake-up may delay the caller. */
  readonly pollMs: number;
  /** An abort ends the wait. */
  readonly signal?: AbortSignal;
}

/** Waits for a wake-up, an abort or the timeout, whichever comes first. */
export function untilNews({ subscribe, timers, pollMs, signal }: NewsWait): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      unsubscribe();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const unsubscribe = subscribe(end);
    const cancel = timers.after(pollMs, end);
    signal?.addEventListener("abort", end);
    if (signal?.aborted === true) end();
  });
}
