/** Limit of recursion depth. The stack has room for some thousands of calls. */
const DEPTH_MAX = 500;

/** Thrown when a {@link StepBudget} is exceeded. */
export class StepsExhausted extends Error {
  override readonly name = "StepsExhausted";
}

/**
 * Limits work by counting steps. A time limit would make the result depend on the machine's load;
 * the number of steps only depends on the input.
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

  /**
   * Charges work in advance.
   * @throws StepsExhausted when the budget is exceeded.
   */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#stepsMax) throw new StepsExhausted(`more than ${this.#stepsMax} steps`);
  }

  /**
   * Runs work that may recurse.
   * @throws StepsExhausted when the recursion is too deep.
   */
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
