import { setImmediate as nextTurn } from "node:timers/promises";
import type { Timers } from "@steward/kernel/concurrency/timers.js";

/** A suspended call, before or after its effect on the log. */
interface Waiting {
  readonly go: () => void;
}

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/**
 * A simulation with one clock. It resumes suspended calls one at a time, in an order that a seed
 * decides.
 */
export class Simulation {
  readonly random: () => number;
  #nowMs: number;
  readonly #waiting: Waiting[] = [];
  readonly #timers = new Set<Timer>();
  #running = 0;

  /** Probability that time passes while a call is suspended, which makes the call late. */
  readonly #delays: number;

  constructor(random: () => number, startMs: number, delays: number) {
    this.random = random;
    this.#nowMs = startMs;
    this.#delays = delays;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.random() * list.length)];
    if (picked === undefined) throw new Error("there is nothing to pick from");
    return picked;
  }

  /** Suspends the caller until the simulation resumes it. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ go: resolve }));
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.timers.after(ms, resolve));
  }

  /** Timers on the simulated clock. */
  readonly timers: Timers = {
    nowMs: () => this.#nowMs,
    after: (ms, action) => {
      const timer = { atMs: this.#nowMs + ms, action };
      this.#timers.add(timer);
      return () => {
        this.#timers.delete(timer);
      };
    },
  };

  /** Runs an actor concurrently with the others; {@link run} ends when all actors have ended. */
  act(actor: () => Promise<void>): void {
    this.#running += 1;
    void this.turn()
      .then(actor)
      .then(
        () => {
          this.#running -= 1;
        },
        (error: unknown) => {
          this.#running -= 1;
          this.failure ??= error;
        },
      );
  }

  /** The error of a failed actor. */
  failure: unknown;

  /** Resumes suspended calls until every actor has ended. */
  async run(untilMs: number): Promise<void> {
    while (this.#running > 0 && this.failure === undefined) {
      await nextTurn();
      const isQuiet = this.#waiting.length === 0;
      if (isQuiet || this.chance(this.#delays)) this.#nextTimer();
      else this.#letOn();
      if (this.#nowMs > untilMs) throw new Error("the actors do not come to an end");
    }
    if (this.failure !== undefined) throw this.failure as Error;
  }

  #letOn(): void {
    const index = Math.floor(this.random() * this.#waiting.length);
    this.#waiting.splice(index, 1)[0]?.go();
  }

  #nextTimer(): void {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (next === undefined || timer.atMs < next.atMs) next = timer;
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.action();
  }
}
