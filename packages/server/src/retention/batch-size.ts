import { systemTimers, type Timers } from "@steward/kernel/concurrency/timers.js";
import { ROWS_DELETED_FIRST, ROWS_DELETED_MAX, ROWS_DELETED_MIN } from "./limits.js";

/** Pause after a batch, as a multiple of its duration: deleting uses a fifth of the time. */
const REST = 4;
/** Shortest pause after a batch, in ms. */
const REST_MS_MIN = 5;
/** Longest pause after a batch, in ms: one that took longer has waited for something else. */
const REST_MS_MAX = 250;

/** The pause after a batch that deletes, so that writers hardly wait; both in ms. */
export function restAfter(durationMs: number): number {
  return Math.min(REST_MS_MAX, Math.max(REST * durationMs, REST_MS_MIN));
}

/**
 * The number of rows that one batch deletes. It follows the duration of the batches, because a row
 * costs ten times more in one table than in another, and on one disk than on another.
 */
export class BatchSize {
  readonly #targetMs: number;
  readonly #timers: Pick<Timers, "nowMs">;
  #rows = ROWS_DELETED_FIRST;
  #restMs = 0;

  /** @param targetMs the duration that a batch should have, in ms; Infinity: any. */
  constructor(targetMs: number, timers: Pick<Timers, "nowMs"> = systemTimers) {
    this.#targetMs = targetMs;
    this.#timers = timers;
  }

  /** The pause that is due after the last batch, in ms. */
  get restMs(): number {
    return this.#restMs;
  }

  /** Runs a batch of the present size, and adapts the size of the next one. */
  async batch<T>(remove: (limit: number) => Promise<T>): Promise<T> {
    const startedMs = this.#timers.nowMs();
    const result = await remove(this.#rows);
    const durationMs = this.#timers.nowMs() - startedMs;
    this.#restMs = restAfter(durationMs);
    this.#adapt(durationMs);
    return result;
  }

  /** The size halves or doubles at most, so that one slow commit does not decide about the next batches. */
  #adapt(durationMs: number): void {
    const factor = Math.min(2, Math.max(0.5, this.#targetMs / durationMs));
    const rows = Math.round(this.#rows * factor);
    this.#rows = Math.min(ROWS_DELETED_MAX, Math.max(ROWS_DELETED_MIN, rows));
  }
}
