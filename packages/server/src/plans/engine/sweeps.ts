import type { AbandonedStep, AttemptRef, PlanRef } from "../ports.js";
import type { PlanChange, PlanState } from "../plan-state.js";
import { expireApprovals, expirePlan } from "../transitions.js";
import type { Claims } from "./claims.js";
import type { OpenPlan } from "./open-plan.js";
import type { OpenPlans } from "./open-plans.js";
import type { EngineNode } from "./plan-log.js";

/**
 * Work that no request triggers: attempts whose end may not have been written, plans past their
 * deadline, and approvals past their time.
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

  /** This node's own attempt that no longer runs; `undefined` when it is not claimed any more. */
  async unsettledStep(attempt: AttemptRef): Promise<AbandonedStep | undefined> {
    const access = await this.#plans.current(attempt);
    if (access.kind === "owned elsewhere") return undefined;
    const { plan } = access;
    const state = plan.state.steps.find((step) => step.stepId === attempt.stepId);
    const step = plan.step(attempt.stepId);
    const isClaimed = state?.status === "running" && state.attempt === attempt.attempt;
    const runsHere = this.#claims.find(attempt) !== undefined;
    if (isClaimed && step !== undefined && !runsHere)
      return { attempt, step, sessionId: plan.sessionId };
    this.#claims.markSettled(attempt);
    return undefined;
  }

  /**
   * Ends a plan that is past its deadline, as {@link expirePlan} says. A plan with a running step waits for that step's end,
   * which the deadline bounds too.
   * @returns the plan with the change, to be written; `undefined` when there is nothing to do.
   */
  overdue(ref: PlanRef): Promise<OpenPlan | undefined> {
    return this.#changed(ref, (state) => {
      if (state.steps.some((step) => step.status === "running")) return undefined;
      return expirePlan(state, Math.max(this.#node.nowMs(), state.deadlineMs + 1));
    });
  }

  /** Ends a plan's approvals whose time has passed. @returns as {@link overdue}. */
  withExpiredApprovals(ref: PlanRef): Promise<OpenPlan | undefined> {
    return this.#changed(ref, (state) => expireApprovals(state, this.#node.nowMs()));
  }

  async #changed(
    ref: PlanRef,
    decide: (state: PlanState) => PlanChange | undefined,
  ): Promise<OpenPlan | undefined> {
    const access = await this.#plans.current(ref);
    if (access.kind === "owned elsewhere") return undefined;
    const { plan } = access;
    const change = decide(plan.state);
    if (change === undefined) return undefined;
    plan.change(change);
    return plan;
  }
}
