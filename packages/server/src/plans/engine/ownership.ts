import type { Timers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import type { PlanRef } from "../ports.js";
import type { OpenPlan } from "./open-plan.js";
import type { OpenPlans, PlanOrOwner } from "./open-plans.js";
import type { EngineNode, PlanHandover } from "./plan-log.js";
import type { PlanWriter } from "./plan-writer.js";
import { untilNews } from "./until-news.js";

/** Interval for polling a plan that another node owns, in ms. */
const POLL_MS = 50;
/** How long to wait for another node's release before the caller is told to retry, in ms. */
const WAIT_MS_MAX = 15_000;

/** Dependencies of {@link Ownership}. */
export interface OwnershipParts {
  readonly node: EngineNode;
  readonly handover: PlanHandover;
  readonly plans: OpenPlans;
  readonly timers: Timers;
  readonly writer: PlanWriter;
}

/** Transfers plans between nodes: requests a plan from its owner, and releases plans on request. */
export class Ownership {
  readonly #parts: OwnershipParts;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /**
   * Waits until this node may decide on the plan, and returns it. It rejects with an AppError
   * `PLAN_NOT_FOUND`, or `STORE_UNAVAILABLE` when its owner does not release it.
   */
  acquired(ref: PlanRef): OpenPlan | Promise<OpenPlan> {
    const current = this.#parts.plans.current(ref);
    const isHere = !(current instanceof Promise) && current.kind === "open";
    return isHere ? current.plan : this.#acquired(ref, current);
  }

  async #acquired(ref: PlanRef, first: PlanOrOwner | Promise<PlanOrOwner>): Promise<OpenPlan> {
    const { plans, handover, timers, writer } = this.#parts;
    const giveUpAtMs = timers.nowMs() + WAIT_MS_MAX;
    for (let current = first; ; current = plans.current(ref)) {
      const access = await current;
      if (access.kind === "open") return access.plan;
      if (timers.nowMs() > giveUpAtMs) throw ownedTooLong(ref);
      await handover.request(access.nodeId, ref);
      await untilNews({
        subscribe: (wake) => writer.onPlanEvents(ref.planId, wake),
        timers,
        pollMs: POLL_MS,
      });
    }
  }

  /** Releases the plans that other nodes have requested. */
  async releaseRequested(): Promise<void> {
    const requested = await this.#parts.handover.requested();
    // A plan that cannot be released stays requested and delays no other.
    await Promise.allSettled(requested.map((ref) => this.release(ref)));
  }

  /** Makes all changes of a plan durable, including claims of reads, and gives up its ownership. */
  release(ref: PlanRef): Promise<void> {
    const { plans, node, handover, writer } = this.#parts;
    return plans.releasing(ref, async (plan) => {
      if (plan !== undefined) await writer.tryWrite(plan);
      await handover.release(node.nodeId, ref);
      writer.announce(ref);
    });
  }
}

function ownedTooLong(ref: PlanRef): AppError {
  return new AppError(
    "STORE_UNAVAILABLE",
    `Plan ${ref.planId} is owned by another server, which does not release it now; try again`,
    { retryAfterMs: 1000 },
  );
}
