import type { Clock } from "@steward/kernel/clock.js";
import { systemTimers, type Timers } from "@steward/kernel/concurrency/timers.js";
import type { Log } from "@steward/kernel/log.js";
import { CLOCK_CHECK_MS, CLOCK_JUMP_MS } from "./limits.js";

/** Dependencies of the watch. */
interface ClockWatchParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly timers?: Timers;
}

/**
 * Logs when the clock of the machine jumps: when the time of day and the monotonic clock disagree about
 * how long an interval was. Deadlines, retention and the validity of tokens follow the time of day.
 */
export class ClockWatch implements Disposable {
  readonly #parts: Required<ClockWatchParts>;
  #offsetMs: number;
  #cancel: () => void;

  constructor(parts: ClockWatchParts) {
    this.#parts = { timers: systemTimers, ...parts };
    this.#offsetMs = this.#offset();
    this.#cancel = this.#later();
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  /** Between the time of day and the monotonic clock. */
  #offset(): number {
    return this.#parts.clock.nowMs() - this.#parts.timers.nowMs();
  }

  #later(): () => void {
    return this.#parts.timers.after(CLOCK_CHECK_MS, () => {
      this.#compare();
      this.#cancel = this.#later();
    });
  }

  /** A slow correction, as NTP makes it, is no jump: each interval is compared on its own. */
  #compare(): void {
    const offsetMs = this.#offset();
    const jumpMs = Math.round(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
    if (Math.abs(jumpMs) < CLOCK_JUMP_MS) return;
    const found = `the clock went ${jumpMs > 0 ? "forward" : "back"} by ${String(Math.abs(jumpMs) / 1000)} s`;
    const fix =
      "look at the machine's time synchronization; after a pause of the machine nothing is to be done";
    this.#parts.log.warn({ jumpMs, found, fix }, "the clock of this machine jumped");
  }
}
