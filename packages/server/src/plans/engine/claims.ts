import type { Timers } from "@steward/kernel/concurrency/timers.js";
import type { AttemptRef, StepRef } from "../ports.js";
import { keyOf } from "./open-plans.js";

/** How long a read's claim stays in memory before it is written to the log, in ms. */
const WRITTEN_AFTER_MS = 50;

/** A claim held by this node. */
export interface Claim {
  readonly attempt: AttemptRef;
  /** The owner in the claim request. */
  readonly owner: string;
  /**
   * Called when the end of the attempt is being written, so that the claim need not be written
   * separately.
   */
  readonly settle: () => void;
}

/** The deferred write of a read's claim, for a step that takes long. */
export interface LateWrite {
  readonly write: () => Promise<unknown>;
  /** Called when the claim is written, or need not be written. */
  readonly done: () => void;
}

/**
 * The steps that this node runs, and the attempts whose claim or end may or may not have been
 * written. The latter are `unsettled` and are recovered as soon as the log can be read.
 */
export class Claims {
  readonly #claims = new Map<string, Claim>();
  readonly #unsettled = new Map<string, AttemptRef>();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** @param late the deferred write of a claim that is only in memory. */
  add(attempt: AttemptRef, owner: string, late?: LateWrite): void {
    this.#claims.set(keyOf(attempt, attempt.stepId), {
      attempt,
      owner,
      settle: late === undefined ? () => undefined : this.#writtenLater(late),
    });
  }

  /** This node's claim of a step, if it has one. */
  find(step: StepRef): Claim | undefined {
    return this.#claims.get(keyOf(step, step.stepId));
  }

  /** Removes a claim: the step no longer runs here. */
  remove(step: StepRef): void {
    const key = keyOf(step, step.stepId);
    this.#claims.get(key)?.settle();
    this.#claims.delete(key);
  }

  /** Removes every claim. Those that were only in memory are lost with the process. */
  clear(): void {
    for (const claim of this.#claims.values()) claim.settle();
    this.#claims.clear();
  }

  /** The attempts running on this node. */
  running(): readonly AttemptRef[] {
    return [...this.#claims.values()].map(({ attempt }) => attempt);
  }

  /** Records that it is unknown whether the attempt's claim, or its end, was written. */
  markUnsettled(attempt: AttemptRef): void {
    this.#unsettled.set(keyOf(attempt, attempt.stepId), attempt);
  }

  /**
   * Records that the step's stored state is known again, after an append whose outcome was unknown.
   */
  markSettled(step: StepRef): void {
    if (this.#unsettled.size > 0) this.#unsettled.delete(keyOf(step, step.stepId));
  }

  unsettled(): readonly AttemptRef[] {
    return [...this.#unsettled.values()];
  }

  #writtenLater({ write, done }: LateWrite): () => void {
    const cancel = this.#timers.after(WRITTEN_AFTER_MS, () => {
      done();
      // When this fails, writing the attempt's end fails too and reports the error.
      write().catch(() => undefined);
    });
    return () => {
      cancel();
      done();
    };
  }
}
