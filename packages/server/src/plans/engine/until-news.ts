import type { Timers } from "@steward/kernel/concurrency/timers.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";

/** What a wait is made of. */
export interface NewsWait {
  /** Called with what ends the wait. */
  readonly subscribe: (wake: () => void) => Unsubscribe;
  readonly timers: Timers;
  /** How long a wake-up that was lost may delay the caller, in ms. */
  readonly pollMs: number;
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Waits until somebody is woken, the signal is aborted, or the time is over: the first of them. */
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
