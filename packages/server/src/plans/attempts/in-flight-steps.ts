import { setTimeout as delay } from "node:timers/promises";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { StepExecution } from "../plan.js";
import type { AttemptRef, PlanRef, StepRef } from "../ports.js";
import { whileCallerWaits } from "./waiting.js";

/** A step in progress in this process, as the work on it sees it. */
export interface RunningStep {
  readonly ref: StepRef;
  /**
   * Aborted when the step must stop: its plan is cancelled, its callers have aborted their calls, or the
   * process shuts down.
   */
  readonly signal: AbortSignal;
  /** Whether all callers have aborted their calls, so that the step stops and may be executed again. */
  isAbandoned: boolean;
  /** The running attempt, between its claim and its end. */
  attempt: AttemptRef | undefined;
}

/** A step in progress, as its callers see it. All requests for it wait for the same result. */
export interface InFlightStep {
  readonly running: RunningStep;
  readonly result: Promise<StepExecution>;
  readonly stop: AbortController;
  /** How many callers wait for the result. */
  callers: number;
  /** Whether a caller wants the step to continue without it. */
  continues: boolean;
}

/**
 * The steps in progress in this process (single flight: Decision §3, "join the attempt in flight").
 */
export class InFlightSteps {
  readonly #inFlight = new Map<string, InFlightStep>();

  /** The entry of this step, if it is in progress. */
  find(ref: StepRef): InFlightStep | undefined {
    return this.#inFlight.get(keyOf(ref));
  }

  /** Starts a step; its entry is removed when the step ends in any way. */
  start(ref: StepRef, run: (step: RunningStep) => Promise<StepExecution>): InFlightStep {
    const stop = new AbortController();
    const key = keyOf(ref);
    const running: RunningStep = {
      ref,
      signal: stop.signal,
      isAbandoned: false,
      attempt: undefined,
    };
    const result = run(running);
    const step: InFlightStep = { running, result, stop, callers: 0, continues: false };
    this.#inFlight.set(key, step);
    const leave = (): boolean => this.#inFlight.delete(key);
    result.then(leave, leave);
    return step;
  }

  /** Waits for a step together with its other callers. */
  async wait(
    step: InFlightStep,
    { signal, stopsStep = false }: Pick<QueryRuntimeContext, "signal" | "stopsStep">,
  ): Promise<StepExecution> {
    step.callers += 1;
    step.continues ||= !stopsStep;
    const { result, running } = step;
    // The first caller does not share the result with itself.
    const awaited = step.callers === 1 ? result : sharedResult(result, running.ref.orgId);
    try {
      return await whileCallerWaits(awaited, signal);
    } finally {
      step.callers -= 1;
      if (signal.aborted && step.callers === 0 && !step.continues) {
        running.isAbandoned = true;
        this.#inFlight.get(keyOf(running.ref))?.stop.abort();
      }
    }
  }

  /** The running attempts. */
  *attempts(): Iterable<AttemptRef> {
    for (const { running } of this.#inFlight.values()) {
      if (running.attempt !== undefined) yield running.attempt;
    }
  }

  /** Stops every step of a plan. */
  abort(plan: PlanRef): void {
    for (const { running, stop } of this.#inFlight.values()) {
      const { ref } = running;
      if (ref.orgId === plan.orgId && ref.planId === plan.planId) stop.abort();
    }
  }

  /**
   * Waits for all steps in progress; those that still run after `drainMs` are stopped and awaited.
   * @param tell called with each step that is stopped.
   */
  async drain(drainMs: number, tell: (ref: StepRef) => void): Promise<void> {
    const ended = this.#allEnded();
    await Promise.race([ended, delay(drainMs, undefined, { ref: false })]);
    for (const { running, stop } of this.#inFlight.values()) {
      tell(running.ref);
      stop.abort();
    }
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    await Promise.allSettled([...this.#inFlight.values()].map(({ result }) => result));
  }
}

function keyOf(ref: StepRef): string {
  return `${ref.orgId}/${ref.planId}/${ref.stepId}`;
}
