import { assert } from "@steward/kernel/assert.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { isOver, type StepContext, type StepState } from "../plan-state.js";
import type { PlanRef } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { OpenPlans } from "./open-plans.js";
import { PlanConflict, type AttemptEnd, type PlanHandover } from "./plan-log.js";
import { Wakes } from "./wakes.js";

/** Writes changes of plans to the log, and tells the listeners on this and other nodes. */
export class PlanWriter {
  readonly #plans: OpenPlans;
  readonly #handover: PlanHandover;
  readonly #wakes = new Wakes();

  constructor(plans: OpenPlans, handover: PlanHandover) {
    this.#plans = plans;
    this.#handover = handover;
  }

  /**
   * Writes the changes. @returns false when another node was faster; the caller reloads the plan
   * and decides again.
   */
  async tryWrite(plan: OpenPlan, end?: AttemptEnd): Promise<boolean> {
    try {
      await plan.write(end);
    } catch (error) {
      if (error instanceof PlanConflict) return false;
      throw error;
    }
    this.announce(plan.ref);
    if (isOver(plan.state) && plan.idle) this.#plans.close(plan);
    return true;
  }

  /** Notifies the listeners on this and other nodes that the plan has changed. */
  announce(ref: PlanRef): void {
    this.#wakes.wake(ref.planId);
    this.#handover.announceChange(ref);
  }

  /** Notifies the listeners on this node that another node has changed the plan. */
  wake(ref: PlanRef): void {
    this.#wakes.wake(ref.planId);
  }

  /** Notifies all listeners on this node: changes by other nodes may have been missed. */
  wakeAll(): void {
    this.#wakes.wakeAll();
  }

  /** Registers `wake`, which is called after each commit that added events to the plan. */
  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    return this.#wakes.on(planId, wake);
  }
}

/** The end of an attempt as the log stores it. */
export function attemptEnd(
  plan: OpenPlan,
  { stepId }: StepState,
  context: StepContext | undefined,
  toolCall: ToolCallRecord | undefined,
): AttemptEnd {
  const step = plan.step(stepId);
  assert(step !== undefined, "an attempt is of a step of its plan");
  return { step, context, toolCall };
}
