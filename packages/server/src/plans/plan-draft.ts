import { NewPlanEvent, type PlanEventType } from "./plan-events.js";
import type { PreparedStep } from "./plan.js";
import type { ApprovalChange, PlanChange, PlanState, StepState } from "./plan-state.js";

/**
 * A {@link PlanChange} under construction: collects the differences, numbers the events, and keeps
 * their times from decreasing.
 */
export class PlanDraft {
  readonly nowMs: number;
  readonly plan: Omit<PlanState, "steps">;
  #steps: StepState[];
  readonly #changed: StepState[] = [];
  readonly #definitions: PreparedStep[] = [];
  readonly #events: NewPlanEvent[] = [];
  readonly #approvals: ApprovalChange[] = [];

  constructor(state: PlanState, nowMs: number) {
    this.nowMs = Math.max(nowMs, state.lastEventAtMs);
    // With the former steps, which nobody sees: a copy without them takes ten times as long.
    this.plan = { ...state };
    this.#steps = state.steps.slice();
  }

  get steps(): readonly StepState[] {
    return this.#steps;
  }

  /** Whether no step may start any more. */
  get isEnding(): boolean {
    return this.plan.cancelReason !== undefined || this.plan.failure !== undefined;
  }

  patch(part: Partial<Omit<PlanState, "steps">>): void {
    // The draft's own copy, which nobody else sees before the change is complete.
    Object.assign(this.plan, part);
  }

  replaceStep(step: StepState): void {
    this.#steps[step.index] = step;
    const known = this.#changed.findIndex(({ index }) => index === step.index);
    if (known === -1) this.#changed.push(step);
    else this.#changed[known] = step;
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
    const { planId } = this.plan;
    this.#events.push(new NewPlanEvent({ planId, sequence }, eventType, payload, this.nowMs));
  }

  change(): PlanChange {
    return {
      plan: this.plan,
      steps: this.#changed,
      definitions: this.#definitions,
      events: this.#events,
      approvals: this.#approvals,
    };
  }
}
