import type { AbandonedStep, PlanRef } from "../ports.js";
import { expirePlan } from "../transitions.js";
import type { Claims } from "./claims.js";
import type { OpenPlan } from "./open-plan.js";
import type { OpenPlans } from "./open-plans.js";
import type { EngineNode } from "./plan-log.js";

/**
 * Work that no request triggers: attempts whose end may not have been written, and plans past their
 * deadline.
 */
export class Sweeps {
  readonly #node: EngineNode;
  readonly #plans: OpenPlans;
  readonly #claims: Claims;

  constructor(node: EngineNode, plans: OpenPlans, claims: Claims) {
    this.#node = node;
    this.#plans = plans;
    this.#claims = claims;
  }

  /** This node's own attempts that no longer run but may still be claimed. */
  async unsettledSteps(): Promise<readonly AbandonedStep[]> {
    const abandoned: AbandonedStep[] = [];
    for (const attempt of this.#claims.unsettled()) {
      const access = await this.#plans.current(attempt);
      if (access.kind === "owned elsewhere") continue;
      const { plan } = access;
      const state = plan.state.steps.find((step) => step.stepId === attempt.stepId);
      const step = plan.step(attempt.stepId);
      const isClaimed = state?.status === "running" && state.attempt === attempt.attempt;
      const runsHere = this.#claims.find(attempt) !== undefined;
      if (!isClaimed || step === undefined || runsHere) this.#claims.markSettled(attempt);
      else abandoned.push({ attempt, step, sessionId: plan.sessionId });
    }
    return abandoned;
  }

  /**
   * Fails a plan that is past its deadline. A plan with a running step waits for that step's end,
   * which the deadline bounds too.
   * @returns the plan with the change, to be written; `undefined` when there is nothing to do.
   */
  async expired(ref: PlanRef): Promise<OpenPlan | undefined> {
    const access = await this.#plans.current(ref);
    if (access.kind === "owned elsewhere") return undefined;
    const { plan } = access;
    if (plan.state.steps.some((step) => step.status === "running")) return undefined;
    const nowMs = Math.max(this.#node.nowMs(), plan.state.deadlineMs + 1);
    const change = expirePlan(plan.state, nowMs);
    if (change === undefined) return undefined;
    plan.change(change);
    return plan;
  }
}
