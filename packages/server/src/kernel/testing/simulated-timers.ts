import type { Timers } from "../timers.js";

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/** Timers whose time goes on only when a test says so. */
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

  /** Lets so many ms go by: each timer runs at its time, and what it starts is done before the next. */
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

/** Promises that are ready have run, and those that they made ready. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
