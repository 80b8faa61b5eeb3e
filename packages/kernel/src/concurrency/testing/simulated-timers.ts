import type { Timers } from "../timers.js";

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/** Timers with a simulated clock, which only the test advances. */
export class SimulatedTimers implements Timers {
  #nowMs = 0;
  #waiting: Timer[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, action };
    this.#waiting.push(timer);
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== timer);
    };
  }

  /**
   * Advances the clock by so many ms. Each timer fires at its time, and the promises it resolves
   * are settled before the next timer fires.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#take(untilMs); next !== undefined; next = this.#take(untilMs)) {
      this.#nowMs = next.atMs;
      next.action();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  #take(untilMs: number): Timer | undefined {
    const [next] = this.#waiting.toSorted((a, b) => a.atMs - b.atMs);
    if (next === undefined || next.atMs > untilMs) return undefined;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    return next;
  }
}

/**
 * Waits until all resolved promises, and those that they resolve in turn, have run their callbacks.
 */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
