import type { Timers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { PlanRef } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { OpenPlans } from "./open-plans.js";
import type { EngineNode, PlanHandover } from "./plan-log.js";
import { untilNews } from "./until-news.js";

/** How often a plan that another node owns is looked at, in ms. */
const POLL_MS = 50;
/** How long another node is waited for before the caller is told to come back, in ms. */
const WAIT_MS_MAX = 15_000;

/** What ownership is built on. */
export interface OwnershipParts {
  readonly node: EngineNode;
  readonly handover: PlanHandover;
  readonly plans: OpenPlans;
  readonly timers: Timers;
  /** Writes what is known of a plan, claims of reads too. */
  readonly write: (plan: OpenPlan) => Promise<unknown>;
  /** Tells everybody, here and on other nodes, that the plan has changed. */
  readonly changed: (ref: PlanRef) => void;
  readonly onPlanEvents: (planId: string, wake: () => void) => Unsubscribe;
}

/** Which node decides on which plan: asking another node for a plan, and releasing one when asked. */
export class Ownership {
  readonly #parts: OwnershipParts;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /**
   * The plan, once it may be decided on here.
   * @throws AppError `PLAN_NOT_FOUND`; `STORE_UNAVAILABLE` when its owner does not release it.
   */
  async acquired(ref: PlanRef): Promise<OpenPlan> {
    const { plans, handover, timers, onPlanEvents } = this.#parts;
    const giveUpAtMs = timers.nowMs() + WAIT_MS_MAX;
    for (;;) {
      const access = await plans.current(ref);
      if (access.kind === "open") return access.plan;
      if (timers.nowMs() > giveUpAtMs) throw ownedTooLong(ref);
      await handover.request(access.nodeId, ref);
      await untilNews({
        subscribe: (wake) => onPlanEvents(ref.planId, wake),
        timers,
        pollMs: POLL_MS,
      });
    }
  }

  /** Releases the plans that other nodes have asked for. */
  async releaseRequested(): Promise<void> {
    for (const ref of await this.#parts.handover.requested()) await this.release(ref);
  }

  /** Makes what is known of a plan durable, claims of reads too, and lets others decide on it. */
  release(ref: PlanRef): Promise<void> {
    const { plans, node, handover, write, changed } = this.#parts;
    return plans.releasing(ref, async (plan) => {
      if (plan !== undefined) await write(plan);
      await handover.release(node.nodeId, ref);
      changed(ref);
    });
  }
}

function ownedTooLong(ref: PlanRef): AppError {
  return new AppError(
    "STORE_UNAVAILABLE",
    `Plan ${ref.planId} is being worked on by another server, which does not release it now`,
    { retryAfterMs: 1000 },
  );
}
