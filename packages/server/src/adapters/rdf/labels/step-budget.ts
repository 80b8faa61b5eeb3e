/** Calls within calls, at most: each takes room on the stack, of which there are some thousands. */
const DEPTH_MAX = 500;

/** Thrown by {@link StepBudget} when more was asked for than there is. */
export class StepsExhausted extends Error {
  override readonly name = "StepsExhausted";
}

/**
 * Limits work by counting it. A time limit would make the outcome depend on the machine and on what else runs
 * there; the same input always takes the same steps.
 */
export class StepBudget {
  readonly #stepsMax: number;
  #spent = 0;
  #depth = 0;

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Counts work that is about to be done. @throws StepsExhausted when that is too much. */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#stepsMax) throw new StepsExhausted(`more than ${this.#stepsMax} steps`);
  }

  /** Does work that may call itself. @throws StepsExhausted when it has done so too often. */
  nested<T>(work: () => T): T {
    if (this.#depth === DEPTH_MAX) throw new StepsExhausted(`more than ${DEPTH_MAX} levels`);
    this.#depth += 1;
    try {
      return work();
    } finally {
      this.#depth -= 1;
    }
  }
}
