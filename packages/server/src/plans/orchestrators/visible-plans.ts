import { isOwn, ownNames, type Caller, type PartyNames } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { type PlanEngine, planNotFound } from "../engine/index.js";
import type { StoredPlanFilter } from "../orchestrator.js";
import type { PlanRef } from "../ports.js";

/** Number of plans whose submitter is cached. */
const SUBMITTERS_REMEMBERED_MAX = 10_000;

/** Dependencies of {@link VisiblePlans}. */
export interface VisiblePlansParts {
  readonly engine: Pick<PlanEngine, "submitterOf">;
  /** Whether the caller has the right `plans:read_all` now. */
  readonly mayReadAll: (caller: Caller) => Promise<boolean>;
}

/**
 * Decides which plans a caller sees: the own ones, and with the right `plans:read_all` those of others
 * in the organization. A plan that a caller does not see is unknown to them.
 */
export class VisiblePlans {
  readonly #parts: VisiblePlansParts;
  /** A plan's submitter never changes. By plan alone, whose id is a shorter key than both. */
  readonly #submitters = new RecentMap<Submitted>(SUBMITTERS_REMEMBERED_MAX);

  constructor(parts: VisiblePlansParts) {
    this.#parts = parts;
  }

  /** Rejects with an AppError `PLAN_NOT_FOUND`; the own plan of a caller is seen at once. */
  require(planId: string, caller: Caller): undefined | Promise<undefined> {
    const { orgId } = caller;
    const known = this.#submitters.get(planId);
    if (known?.orgId === orgId && isOwn(caller, known.submitter)) return undefined;
    return this.#require({ orgId, planId }, caller);
  }

  async #require(ref: PlanRef, caller: Caller): Promise<undefined> {
    if (!(await this.isVisible(ref, caller))) throw planNotFound(ref);
    return undefined;
  }

  /** Whether the caller sees a plan. @param ref of the caller's organization. */
  async isVisible(ref: PlanRef, caller: Caller): Promise<boolean> {
    const submitter = await this.#submitterOf(ref);
    // Whoever asks for an unknown plan is told so by what they ask for.
    if (submitter === undefined || isOwn(caller, submitter)) return true;
    return this.#parts.mayReadAll(caller);
  }

  /** Remembers who has just submitted a plan, so that it need not be read. */
  submitted({ orgId, planId }: PlanRef, { userId, agentId, keyId }: PartyNames): void {
    this.#submitters.set(planId, { orgId, submitter: { userId, agentId, keyId } });
  }

  /** The condition that limits a listing to the plans that the caller sees. */
  async condition(caller: Caller): Promise<Pick<StoredPlanFilter, "submitter">> {
    return (await this.#parts.mayReadAll(caller)) ? {} : { submitter: ownNames(caller) };
  }

  async #submitterOf(ref: PlanRef): Promise<PartyNames | undefined> {
    const known = this.#submitters.get(ref.planId);
    if (known?.orgId === ref.orgId) return known.submitter;
    const submitter = await this.#parts.engine.submitterOf(ref);
    if (submitter !== undefined) this.#submitters.set(ref.planId, { orgId: ref.orgId, submitter });
    return submitter;
  }
}

/** The submitter of an organization's plan. */
interface Submitted {
  readonly orgId: string;
  readonly submitter: PartyNames;
}

/** An idempotency key was used by somebody whose plans the caller does not see. */
export function keyOfAnother(): AppError {
  return new AppError(
    "IDEMPOTENCY_CONFLICT",
    "The idempotency-key was used by another caller of the organization: use another key",
  );
}
