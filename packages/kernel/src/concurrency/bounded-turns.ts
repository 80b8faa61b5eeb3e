import { FairQueue } from "./fair-queue.js";

/** How many pieces of work one turn of the event loop starts. */
export interface TurnBounds {
  readonly startsMax: number;
  /** A turn that has lasted so long starts no further work, in ms. */
  readonly turnMs: number;
}

/**
 * Starts work that arrives together in several turns of the event loop, so that other work runs in
 * between. Node handles all requests of a piece of data, and all connections with data, in one
 * turn. Work that has to wait is started round-robin by party.
 */
export class BoundedTurns {
  readonly #bounds: TurnBounds;
  readonly #waiting = new FairQueue<() => void>(Infinity);
  /** Work that the present turn has started, and since when. */
  #started = 0;
  #sinceMs = 0;
  /** Calls of {@link #startNext} that the loop will make. */
  #scheduled = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  /** Runs `start` now, when the turn has room and nothing waits, else in a later turn. */
  enter(party: () => string, start: () => void): void {
    if (this.tryEnter()) {
      start();
      return;
    }
    this.#waiting.push(party(), start);
    this.#schedule();
  }

  /** Takes a place for work that is about to run, when the turn has room and nothing waits. */
  tryEnter(): boolean {
    return this.#waiting.size === 0 && this.#takePlace();
  }

  #takePlace(): boolean {
    const { startsMax, turnMs } = this.#bounds;
    if (this.#started === 0) {
      this.#sinceMs = performance.now();
      setImmediate(() => {
        this.#started = 0;
      });
    } else if (this.#started >= startsMax || performance.now() - this.#sinceMs >= turnMs) {
      return false;
    }
    this.#started += 1;
    return true;
  }

  /**
   * Each piece of work is started by a callback of its own, so that the promises that it settles run
   * before the next looks at the time. Callbacks that are asked for in a turn run in the next one.
   */
  #schedule(): void {
    if (this.#scheduled > 0) return;
    this.#scheduled = Math.min(this.#bounds.startsMax, this.#waiting.size);
    for (let n = 0; n < this.#scheduled; n += 1) setImmediate(() => this.#startNext());
  }

  #startNext(): void {
    this.#scheduled -= 1;
    const start = this.#waiting.size > 0 && this.#takePlace() ? this.#next() : undefined;
    if (this.#scheduled === 0 && this.#waiting.size > 0) this.#schedule();
    start?.();
  }

  #next(): (() => void) | undefined {
    return this.#waiting.take(() => true);
  }
}
