import { NewPlanEvent, type PlanEventType } from "./plan-events.js";
import type { PreparedStep } from "./plan.js";
import {
  withAdded,
  withStep,
  type ApprovalChange,
  type PlanChange,
  type PlanState,
  type StepState,
} from "./plan-state.js";

const NONE: readonly never[] = [];

/** The draft's own copy of a plan. */
type Drafted = { -readonly [Key in keyof PlanState]: PlanState[Key] };

/**
 * A {@link PlanChange} under construction: collects the differences, numbers the events, and keeps
 * their times from decreasing.
 */
export class PlanDraft {
  readonly nowMs: number;
  readonly #plan: Drafted;
  readonly #steps: StepState[];
  #changed: StepState[] | undefined;
  #definitions: PreparedStep[] | undefined;
  #events: NewPlanEvent[] | undefined;
  #approvals: ApprovalChange[] | undefined;

  constructor(state: PlanState, nowMs: number) {
    this.nowMs = Math.max(nowMs, state.lastEventAtMs);
    this.#plan = { ...state };
    this.#steps = state.steps.slice();
    this.#plan.steps = this.#steps;
  }

  get plan(): PlanState {
    return this.#plan;
  }

  get steps(): readonly StepState[] {
    return this.#steps;
  }

  /** Whether no step may start any more. */
  get isEnding(): boolean {
    return this.#plan.cancelReason !== undefined || this.#plan.failure !== undefined;
  }

  patch(part: Partial<Omit<PlanState, "steps">>): void {
    // The draft's own copy, which nobody else sees before the change is complete.
    Object.assign(this.#plan, part);
  }

  replaceStep(step: StepState): void {
    this.#steps[step.index] = step;
    this.#changed = withStep(this.#changed, step);
  }

  /** Appends or revises a step, which has not run in this form yet. */
  define(definition: PreparedStep, state: StepState): void {
    this.#definitions = withAdded(this.#definitions, definition);
    this.replaceStep(state);
  }

  /** Makes or changes an approval; the step that holds it is replaced by the caller. */
  putApproval(change: ApprovalChange): void {
    this.#approvals = withAdded(this.#approvals, change);
  }

  emit(eventType: PlanEventType, payload: object): void {
    const { planId, lastSequence } = this.#plan;
    const sequence = lastSequence + 1;
    this.#plan.lastSequence = sequence;
    this.#plan.lastEventAtMs = this.nowMs;
    const event = new NewPlanEvent({ planId, sequence }, eventType, payload, this.nowMs);
    this.#events = withAdded(this.#events, event);
  }

  change(): PlanChange {
    return {
      plan: this.#plan,
      steps: this.#changed ?? NONE,
      definitions: this.#definitions ?? NONE,
      events: this.#events ?? NONE,
      approvals: this.#approvals ?? NONE,
    };
  }
}
