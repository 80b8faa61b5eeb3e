import { setTimeout as delay } from "node:timers/promises";
import type { StepExecution } from "../plan.js";
import type { AttemptRef, PlanRef, StepRef } from "../ports.js";

/** A step in progress in this process. All requests for it wait for the same result. */
export interface Flight {
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
export class FlightTable {
  readonly #flights = new Map<
    string,
    { readonly flight: Flight; readonly stop: AbortController }
  >();

  get size(): number {
    return this.#flights.size;
  }

  /** The entry of this step, if it is in progress. */
  find(ref: StepRef): Flight | undefined {
    return this.#flights.get(keyOf(ref))?.flight;
  }

  /** Starts a step; its entry is removed when the step ends in any way. */
  launch(ref: StepRef, fly: (flight: Flight) => Promise<StepExecution>): Flight {
    const stop = new AbortController();
    const key = keyOf(ref);
    let flight: Flight | undefined;
    // The step starts one microtask later, after its entry has been created.
    const result = Promise.resolve().then(() => fly(flight as Flight));
    flight = { ref, result, signal: stop.signal, attempt: undefined };
    this.#flights.set(key, { flight, stop });
    const leave = (): void => {
      this.#flights.delete(key);
    };
    result.then(leave, leave);
    return flight;
  }

  /** The running attempts. */
  *attempts(): Iterable<AttemptRef> {
    for (const { flight } of this.#flights.values()) {
      if (flight.attempt !== undefined) yield flight.attempt;
    }
  }

  /** Stops every step of a plan. */
  abort(plan: PlanRef): void {
    for (const { flight, stop } of this.#flights.values()) {
      if (flight.ref.orgId === plan.orgId && flight.ref.planId === plan.planId) stop.abort();
    }
  }

  /**
   * Waits for all steps in progress; those that still run after `drainMs` are stopped and awaited.
   */
  async drain(drainMs: number): Promise<void> {
    const landed = this.#landed();
    await Promise.race([landed, delay(drainMs, undefined, { ref: false })]);
    for (const { stop } of this.#flights.values()) stop.abort();
    await this.#landed();
  }

  async #landed(): Promise<void> {
    await Promise.allSettled([...this.#flights.values()].map(({ flight }) => flight.result));
  }
}

function keyOf(ref: StepRef): string {
  return `${ref.orgId}/${ref.planId}/${ref.stepId}`;
}
