import type { Clock } from "@steward/kernel/clock.js";

/** Runs a check at most once in an interval. Callers within the interval get the last result. */
export class PacedCheck {
  readonly #check: () => Promise<void>;
  readonly #everyMs: number;
  readonly #clock: Clock;
  #last: Promise<void> | undefined;
  #nextMs = 0;

  constructor(check: () => Promise<void>, everyMs: number, clock: Clock) {
    this.#check = check;
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  /** @throws the error of the check. */
  run(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (this.#last === undefined || nowMs >= this.#nextMs) {
      this.#last = this.#check();
      this.#nextMs = nowMs + this.#everyMs;
    }
    return this.#last;
  }
}
