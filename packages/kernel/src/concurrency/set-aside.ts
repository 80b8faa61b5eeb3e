import { AppError } from "../errors.js";
import type { Log } from "../log.js";
import { type Backoff, backoffMs } from "./backoff.js";
import type { Timers } from "./timers.js";

/** Bounds of the pauses of an item that fails again and again. */
const BACKOFF: Backoff = { baseMs: 2000, capMs: 5 * 60 * 1000 };
/** Items that are set aside at once by one task; beyond, the first ones are tried again early. */
const SET_ASIDE_MAX = 10_000;

/** Dependencies of {@link SetAside}. */
export interface SetAsideParts {
  /** What the task does, for the log. */
  readonly work: string;
  readonly log: Log;
  readonly timers: Timers;
  readonly random: () => number;
  readonly backoff?: Backoff;
}

interface Failing {
  failures: number;
  /** When it is tried again, in ms of the timers. */
  dueAtMs: number;
}

/**
 * Items of a background task that fail on their own, such as a damaged row or one of a later
 * version. Each waits for a pause that grows with its failures, and the others go on. The log gets
 * one line when an item begins to fail and one when it succeeds.
 */
export class SetAside {
  readonly #parts: SetAsideParts;
  readonly #failing = new Map<string, Failing>();

  constructor(parts: SetAsideParts) {
    this.#parts = parts;
  }

  /** How many items have failed and not succeeded since. */
  get size(): number {
    return this.#failing.size;
  }

  /** The items whose pause is not over. A query with a limit leaves them out, so that they take no place. */
  waiting(): readonly string[] {
    const nowMs = this.#parts.timers.nowMs();
    return [...this.#failing].flatMap(([key, { dueAtMs }]) => (dueAtMs > nowMs ? [key] : []));
  }

  isWaiting(key: string): boolean {
    const failing = this.#failing.get(key);
    return failing !== undefined && failing.dueAtMs > this.#parts.timers.nowMs();
  }

  /**
   * Does the work of each item that does not wait, in turn. An item that fails is set aside.
   * @throws the error of an item, which is set aside too, when the store was unavailable: the next
   * items would only fail like it.
   */
  async each<Item>(
    items: Iterable<Item>,
    keyOf: (item: Item) => string,
    work: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    for (const item of items) {
      const key = keyOf(item);
      if (this.isWaiting(key)) continue;
      try {
        await work(item);
        this.succeeded(key);
      } catch (error) {
        this.failed(key, error);
        if (isOutage(error)) throw error;
      }
    }
  }

  /** Like {@link each}, for one item whose work is done in several batches. */
  async *inBatches(key: string, work: () => AsyncGenerator<void>): AsyncGenerator<void> {
    if (this.isWaiting(key)) return;
    try {
      yield* work();
      this.succeeded(key);
    } catch (error) {
      this.failed(key, error);
      if (isOutage(error)) throw error;
    }
  }

  /** Sets an item aside after a failure. */
  failed(key: string, error: unknown): void {
    const { work, log, timers, random, backoff = BACKOFF } = this.#parts;
    const failures = (this.#failing.get(key)?.failures ?? 0) + 1;
    const pauseMs = backoffMs(backoff, failures, random());
    this.#failing.set(key, { failures, dueAtMs: timers.nowMs() + pauseMs });
    const [first] = this.#failing.keys();
    if (this.#failing.size > SET_ASIDE_MAX && first !== undefined) this.#failing.delete(first);
    if (failures > 1) return;
    const told =
      "one item of a background task failed; it is tried again later and the others go on";
    log.error({ err: error, work, item: key }, told);
  }

  /** The item needs no pause any more. */
  succeeded(key: string): void {
    const failing = this.#failing.get(key);
    if (failing === undefined) return;
    this.#failing.delete(key);
    const { work, log } = this.#parts;
    const fields = { work, item: key, failures: failing.failures };
    log.info(fields, "an item of a background task succeeds again");
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof AppError && error.code === "STORE_UNAVAILABLE";
}
