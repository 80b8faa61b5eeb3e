import type { Clock } from "@steward/kernel/clock.js";

/** A clock that the tests move. */
export class HandClock implements Clock {
  #nowMs: number = Date.parse("2026-01-01T00:00:00.000Z");

  nowMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
