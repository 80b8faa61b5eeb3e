import { isoTime } from "@steward/kernel/clock.js";
import type { PlanEvent, PlanEventType } from "./plan-events.js";
import type { PreparedStep } from "./plan.js";
import type { ApprovalChange, PlanChange, PlanState, StepState } from "./plan-state.js";

/**
 * A {@link PlanChange} under construction: collects the differences, numbers the events, and keeps
 * their times from decreasing.
 */
export class PlanDraft {
  readonly nowMs: number;
  plan: Omit<PlanState, "steps">;
  readonly #timestamp: string;
  #steps: StepState[];
  readonly #changed = new Map<number, StepState>();
  readonly #definitions: PreparedStep[] = [];
  readonly #events: PlanEvent[] = [];
  readonly #approvals: ApprovalChange[] = [];

  constructor(state: PlanState, nowMs: number) {
    const { steps, ...plan } = state;
    this.nowMs = Math.max(nowMs, state.lastEventAtMs);
    this.plan = plan;
    this.#timestamp = isoTime(this.nowMs);
    this.#steps = steps.slice();
  }

  get steps(): readonly StepState[] {
    return this.#steps;
  }

  /** Whether no step may start any more. */
  get isEnding(): boolean {
    return this.plan.cancelReason !== undefined || this.plan.failure !== undefined;
  }

  patch(part: Partial<Omit<PlanState, "steps">>): void {
    this.plan = { ...this.plan, ...part };
  }

  replaceStep(step: StepState): void {
    this.#steps[step.index] = step;
    this.#changed.set(step.index, step);
  }

  /** Appends or revises a step, which has not run in this form yet. */
  define(definition: PreparedStep, state: StepState): void {
    this.#definitions.push(definition);
    this.replaceStep(state);
  }

  /** Makes or changes an approval; the step that holds it is replaced by the caller. */
  putApproval(change: ApprovalChange): void {
    this.#approvals.push(change);
  }

  emit(eventType: PlanEventType, payload: object): void {
    const sequence = this.plan.lastSequence + 1;
    this.patch({ lastSequence: sequence, lastEventAtMs: this.nowMs });
    this.#events.push({
      planId: this.plan.planId,
      sequence,
      eventType,
      payloadJson: JSON.stringify(payload),
      timestamp: this.#timestamp,
    });
  }

  change(): PlanChange {
    return {
      plan: this.plan,
      steps: [...this.#changed.values()],
      definitions: this.#definitions,
      events: this.#events,
      approvals: this.#approvals,
    };
  }
}
