import type { Unsubscribe } from "../../kernel/event-bus.js";

/** Listeners for changes of plans. */
export class Wakes {
  readonly #waiting = new Map<string, Set<() => void>>();

  on(planId: string, wake: () => void): Unsubscribe {
    const waiting = this.#waiting.get(planId) ?? new Set();
    // A new function object, so that the same callback can be registered twice.
    const listener = (): void => {
      wake();
    };
    this.#waiting.set(planId, waiting.add(listener));
    return () => {
      waiting.delete(listener);
      if (waiting.size === 0 && this.#waiting.get(planId) === waiting) this.#waiting.delete(planId);
    };
  }

  wake(planId: string): void {
    for (const wake of [...(this.#waiting.get(planId) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const planId of [...this.#waiting.keys()]) this.wake(planId);
  }
}
