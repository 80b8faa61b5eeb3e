import { setTimeout as delay } from "node:timers/promises";
import type { StepExecution } from "../plan.js";
import type { AttemptRef, PlanRef, StepRef } from "../ports.js";

/** A step in progress in this process. All requests for it wait for the same result. */
export interface InFlightStep {
  readonly ref: StepRef;
  readonly result: Promise<StepExecution>;
  /** Aborted when the step must stop: its plan is cancelled, or the process shuts down. */
  readonly signal: AbortSignal;
  /** The running attempt, between its claim and its end. */
  attempt: AttemptRef | undefined;
}

/**
 * The steps in progress in this process (single flight: Decision §3, "join the attempt in flight").
 */
export class InFlightSteps {
  readonly #inFlight = new Map<
    string,
    { readonly step: InFlightStep; readonly stop: AbortController }
  >();

  /** The entry of this step, if it is in progress. */
  find(ref: StepRef): InFlightStep | undefined {
    return this.#inFlight.get(keyOf(ref))?.step;
  }

  /** Starts a step; its entry is removed when the step ends in any way. */
  start(ref: StepRef, run: (step: InFlightStep) => Promise<StepExecution>): InFlightStep {
    const stop = new AbortController();
    const key = keyOf(ref);
    let step: InFlightStep | undefined;
    // The step starts one microtask later, after its entry has been created.
    const result = Promise.resolve().then(() => run(step as InFlightStep));
    step = { ref, result, signal: stop.signal, attempt: undefined };
    this.#inFlight.set(key, { step, stop });
    const leave = (): void => {
      this.#inFlight.delete(key);
    };
    result.then(leave, leave);
    return step;
  }

  /** The running attempts. */
  *attempts(): Iterable<AttemptRef> {
    for (const { step } of this.#inFlight.values()) {
      if (step.attempt !== undefined) yield step.attempt;
    }
  }

  /** Stops every step of a plan. */
  abort(plan: PlanRef): void {
    for (const { step, stop } of this.#inFlight.values()) {
      if (step.ref.orgId === plan.orgId && step.ref.planId === plan.planId) stop.abort();
    }
  }

  /**
   * Waits for all steps in progress; those that still run after `drainMs` are stopped and awaited.
   */
  async drain(drainMs: number): Promise<void> {
    const ended = this.#allEnded();
    await Promise.race([ended, delay(drainMs, undefined, { ref: false })]);
    for (const { stop } of this.#inFlight.values()) stop.abort();
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    await Promise.allSettled([...this.#inFlight.values()].map(({ step }) => step.result));
  }
}

function keyOf(ref: StepRef): string {
  return `${ref.orgId}/${ref.planId}/${ref.stepId}`;
}
