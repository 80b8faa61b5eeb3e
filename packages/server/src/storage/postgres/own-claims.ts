import type { AttemptRef, PlanRef, StepRef } from "../../plans/ports.js";
import { keyOf } from "./plan-cache.js";

/** How long the claim of a read stays in memory before it is written, in ms. */
const CLAIM_WRITTEN_AFTER_MS = 50;

/** A claim that this node made. */
export interface OwnClaim {
  readonly plan: PlanRef;
  readonly owner: string;
  readonly attempt: number;
  /** To be called when the attempt ends: the claim need not be written on its own any more. */
  readonly forget: () => void;
}

/** The steps that this node runs, and those whose end it could not write. */
export class OwnClaims {
  readonly #claims = new Map<string, OwnClaim>();
  readonly #orphans = new Map<string, AttemptRef>();

  /** @param write of a claim that is in memory only: writes it when it lasts. */
  keep(attempt: AttemptRef, owner: string, write?: () => Promise<unknown>): void {
    const timer =
      write &&
      setTimeout(() => {
        // A failure shows again, and is answered for, when the attempt ends.
        write().catch(() => undefined);
      }, CLAIM_WRITTEN_AFTER_MS);
    this.#claims.set(keyOf(attempt, attempt.stepId), {
      plan: { orgId: attempt.orgId, planId: attempt.planId },
      owner,
      attempt: attempt.attempt,
      forget: () => {
        clearTimeout(timer);
      },
    });
  }

  /** The claim of a step, if it is this node's. */
  find(step: StepRef): OwnClaim | undefined {
    return this.#claims.get(keyOf(step, step.stepId));
  }

  /** Forgets a claim: the step runs here no more. */
  drop(step: StepRef): void {
    this.find(step)?.forget();
    this.#claims.delete(keyOf(step, step.stepId));
  }

  /** Forgets every claim: those that were only in memory are gone with the process. */
  dropAll(): void {
    for (const claim of this.#claims.values()) claim.forget();
    this.#claims.clear();
  }

  /** The plans with steps that run here. */
  plans(): readonly PlanRef[] {
    return [...this.#claims.values()].map((claim) => claim.plan);
  }

  /** An attempt whose end, or whose claim, could not be written for sure. */
  orphan(attempt: AttemptRef): void {
    this.#orphans.set(keyOf(attempt, attempt.stepId), attempt);
  }

  /** What is written of the step is known now. */
  adopt(step: StepRef): void {
    this.#orphans.delete(keyOf(step, step.stepId));
  }

  /** Attempts that are to be settled as soon as the store can be reached. */
  orphans(): readonly AttemptRef[] {
    return [...this.#orphans.values()];
  }
}
