import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { AttemptRef, PlanRef } from "../ports.js";
import type { Claims } from "./claims.js";
import type { OpenPlans } from "./open-plans.js";

/** Cancels that other nodes have requested of plans whose steps run on this node. */
export class CancelRequests {
  readonly #plans: OpenPlans;
  readonly #claims: Claims;
  readonly #listeners = new Set<(ref: PlanRef) => void>();

  constructor(plans: OpenPlans, claims: Claims) {
    this.#plans = plans;
    this.#claims = claims;
  }

  /** Registers `listener`, which may be called more than once for a plan. */
  on(listener: (ref: PlanRef) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the listeners which plans with steps running here are to be cancelled. */
  async notify(isMeant: (running: AttemptRef) => boolean): Promise<void> {
    const refs = new Map(
      this.#claims
        .running()
        .filter(isMeant)
        .map((each) => [each.planId, each]),
    );
    for (const ref of refs.values()) {
      try {
        const access = await this.#plans.current(ref);
        const isCancelled = access.kind === "open" && access.plan.state.cancelReason !== undefined;
        if (isCancelled) for (const listener of this.#listeners) listener(access.plan.ref);
      } catch {
        // The next heartbeat tries again.
      }
    }
  }
}
