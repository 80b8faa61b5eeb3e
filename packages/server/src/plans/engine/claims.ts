import type { Timers } from "@steward/kernel/concurrency/timers.js";
import type { AttemptRef, StepRef } from "../ports.js";
import { keyOf } from "./open-plans.js";

/** How long the claim of a read stays in memory before it is written, in ms. */
const WRITTEN_AFTER_MS = 50;

/** A claim of this node. */
export interface Claim {
  readonly attempt: AttemptRef;
  /** Who asked for it. */
  readonly owner: string;
  /** To be called when the attempt's end is on its way: the claim need not be written by itself any more. */
  readonly settle: () => void;
}

/** How the claim of a read gets written when its step takes long. */
export interface LateWrite {
  readonly write: () => Promise<unknown>;
  /** Called when the claim is written, or need not be. */
  readonly done: () => void;
}

/**
 * The steps that this node runs, and its attempts whose claim or end could not be written for sure: those
 * are `unsettled`, and recovered as soon as the log answers.
 */
export class Claims {
  readonly #claims = new Map<string, Claim>();
  readonly #unsettled = new Map<string, AttemptRef>();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** @param late of a claim that is in memory only: it is written when the step takes long. */
  add(attempt: AttemptRef, owner: string, late?: LateWrite): void {
    this.#claims.set(keyOf(attempt, attempt.stepId), {
      attempt,
      owner,
      settle: late === undefined ? () => undefined : this.#writtenLater(late),
    });
  }

  /** The claim of a step, if it is this node's. */
  find(step: StepRef): Claim | undefined {
    return this.#claims.get(keyOf(step, step.stepId));
  }

  /** Forgets a claim: the step runs here no more. */
  remove(step: StepRef): void {
    this.find(step)?.settle();
    this.#claims.delete(keyOf(step, step.stepId));
  }

  /** Forgets every claim: those that were only in memory are gone with the process. */
  clear(): void {
    for (const claim of this.#claims.values()) claim.settle();
    this.#claims.clear();
  }

  /** The attempts that run here. */
  running(): readonly AttemptRef[] {
    return [...this.#claims.values()].map(({ attempt }) => attempt);
  }

  /** It is not known whether the attempt's claim, or its end, was written. */
  markUnsettled(attempt: AttemptRef): void {
    this.#unsettled.set(keyOf(attempt, attempt.stepId), attempt);
  }

  /** What is written of the step is known now. */
  markSettled(step: StepRef): void {
    this.#unsettled.delete(keyOf(step, step.stepId));
  }

  unsettled(): readonly AttemptRef[] {
    return [...this.#unsettled.values()];
  }

  #writtenLater({ write, done }: LateWrite): () => void {
    const cancel = this.#timers.after(WRITTEN_AFTER_MS, () => {
      done();
      // A failure shows again, and is answered for, when the attempt ends.
      write().catch(() => undefined);
    });
    return () => {
      cancel();
      done();
    };
  }
}
