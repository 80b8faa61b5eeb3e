/**
 * Limits the time that work of one kind takes in one turn of the event loop. Each piece of work is
 * short; many pieces may still arrive together.
 */
export class TurnBudget {
  readonly #turnMs: number;
  #usedMs = 0;

  /** @param turnMs from which time on, in ms, further work must wait for the next turn or be done elsewhere. */
  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /** Whether work may still begin in this turn. */
  get hasRoom(): boolean {
    return this.#usedMs < this.#turnMs;
  }

  /** Does the work now, and counts its time. */
  spend<Result>(work: () => Result): Result {
    if (this.#usedMs === 0) {
      setImmediate(() => {
        this.#usedMs = 0;
      });
    }
    const startedMs = performance.now();
    try {
      return work();
    } finally {
      this.#usedMs += performance.now() - startedMs;
    }
  }
}
