import type { AbandonedStep, PlanRef } from "../../plans/ports.js";
import { expirePlan } from "../../plans/transitions.js";
import type { NodeLease } from "./node-lease.js";
import type { OpenPlan } from "./open-plan.js";
import type { OwnClaims } from "./own-claims.js";
import type { PlanCache } from "./plan-cache.js";
import type { PlanQueries } from "./plan-queries.js";

/** Plans failed for their deadline in one sweep. */
const OVERDUE_PLANS_MAX = 100;

/** What sweeps are built on. */
export interface PlanSweepsOptions {
  readonly node: NodeLease;
  readonly queries: PlanQueries;
  readonly plans: PlanCache;
  readonly claims: OwnClaims;
  /** Writes what was changed. @returns false when another node was first. */
  readonly write: (plan: OpenPlan) => Promise<boolean>;
}

/** What nobody asks for: steps whose node is gone, plans whose time is over. */
export class PlanSweeps {
  readonly #node: NodeLease;
  readonly #queries: PlanQueries;
  readonly #plans: PlanCache;
  readonly #claims: OwnClaims;
  readonly #write: PlanSweepsOptions["write"];

  constructor(options: PlanSweepsOptions) {
    this.#node = options.node;
    this.#queries = options.queries;
    this.#plans = options.plans;
    this.#claims = options.claims;
    this.#write = options.write;
  }

  /** Running steps that nobody runs any more, this node's own among them. */
  async abandonedSteps(limit: number): Promise<readonly AbandonedStep[]> {
    await this.#node.buryTheGone();
    const orphaned = await this.#orphaned();
    return [...orphaned, ...(await this.#queries.abandoned(this.#node.others, limit))];
  }

  /** Fails plans whose deadline has passed. @returns how many. */
  async expirePlans(): Promise<number> {
    const overdue = await this.#queries.overdue(this.#node.others, OVERDUE_PLANS_MAX);
    let expired = 0;
    for (const ref of overdue) if (await this.#expire(ref)) expired += 1;
    return expired;
  }

  /** This node's own attempts that run no more, but may be claimed still. */
  async #orphaned(): Promise<readonly AbandonedStep[]> {
    const abandoned: AbandonedStep[] = [];
    for (const attempt of this.#claims.orphans()) {
      const access = await this.#plans.current(attempt);
      if (access.kind === "held elsewhere") continue;
      const { plan } = access;
      const state = plan.state.steps.find((step) => step.stepId === attempt.stepId);
      const step = plan.step(attempt.stepId);
      const isClaimed = state?.status === "running" && state.attempt === attempt.attempt;
      const runsHere = this.#claims.find(attempt) !== undefined;
      if (!isClaimed || step === undefined || runsHere) this.#claims.adopt(attempt);
      else abandoned.push({ attempt, step, sessionId: plan.sessionId });
    }
    return abandoned;
  }

  /** A plan with a step that runs waits for its end, which its deadline bounds too. */
  async #expire(ref: PlanRef): Promise<boolean> {
    const access = await this.#plans.current(ref);
    if (access.kind === "held elsewhere") return false;
    const { plan } = access;
    if (plan.state.steps.some((step) => step.status === "running")) return false;
    const nowMs = Math.max(this.#node.nowMs(), plan.state.deadlineMs + 1);
    const change = expirePlan(plan.state, nowMs);
    if (change === undefined) return false;
    plan.change(change);
    return this.#write(plan);
  }
}
