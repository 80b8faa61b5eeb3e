import type { Approval } from "../../approvals/index.js";
import type { Origin } from "../../kernel/origin.js";
import type { ForkOrigin, StepOutcome } from "../plan-state.js";
import type { OnFailure, PreparedStep, StepExecution } from "../plan.js";
import type { AttemptRef, PlanRef } from "../ports.js";
import type { StepOutput } from "../statements/step-output.js";
import type { ClaimRefusal } from "../transitions.js";
import type { StoredSource } from "./step-results.js";

/** A plan about to be stored. */
export interface NewPlan {
  readonly ref: PlanRef;
  /** The caller whose request caused it; absent: the service itself. */
  readonly origin?: Origin | undefined;
  readonly sessionId: string;
  readonly name: string;
  readonly description: string;
  /** Absent: `fail`. */
  readonly onFailure?: OnFailure | undefined;
  /** Absent: no. */
  readonly keepOpen?: boolean | undefined;
  readonly steps: readonly PreparedStep[];
  readonly fork?: ForkOrigin | undefined;
  readonly createdAtMs: number;
  readonly deadlineMs: number;
  readonly idempotency?: {
    readonly key: string;
    /** SHA-256 of the request, hex. */
    readonly requestHash: string;
  };
}

/** A step that may be claimed, and what its attempt would run with. */
export interface ClaimableStep {
  /** The number of the attempt. */
  readonly attempt: number;
  /** The attempts that count for retries, with this one. */
  readonly tries: number;
  readonly step: PreparedStep;
  readonly sessionId: string;
  /** Deadline of its plan, ms since the epoch. */
  readonly deadlineMs: number;
  /** Outputs of the steps that the statement refers to, by step id. */
  readonly outputs: ReadonlyMap<string, StepOutput>;
  /** The steps that the values in those outputs come from. */
  readonly boundSources: readonly StoredSource[];
  /** The approval that this attempt uses. */
  readonly approval: Approval | undefined;
}

/** Why and on what condition a step is claimed. */
export interface ClaimRequest {
  /** Who asked for it; absent: the service itself. */
  readonly origin?: Origin;
  /** See `claimStep` in `transitions.ts`. */
  readonly outdatedApproval?: string | undefined;
  /**
   * Asked before the claim, and again when the step has changed meanwhile. When it rejects, nothing
   * is stored. @returns what the step has to wait for instead; `undefined` when it may be claimed.
   */
  readonly admit?: (
    step: ClaimableStep,
  ) => AwaitedApproval | undefined | Promise<AwaitedApproval | undefined>;
}

/** The approval that a step begins to wait for. */
export type AwaitedApproval = StepOutcome & { readonly kind: "awaiting_approval" };

/** The result of claiming a step. */
export type ClaimResult =
  | ({ readonly kind: "claimed" } & ClaimableStep)
  /** It waits for an approval from now on, unless that was given at once: claim it again. */
  | { readonly kind: "awaiting" }
  /** Another attempt is in progress. */
  | { readonly kind: "running" }
  /** The step has already finished; this is the stored result. */
  | {
      readonly kind: "finished";
      readonly execution: StepExecution;
      /** The steps that the values in the result come from. */
      readonly sources: readonly StoredSource[];
    }
  | { readonly kind: "refused"; readonly refusal: ClaimRefusal };

/** The result of ending an attempt. */
export type FinishResult =
  /** The step has ended with this result. */
  | { readonly kind: "ended"; readonly execution: StepExecution }
  /** The step may be claimed again: the attempt was retried or released. */
  | { readonly kind: "pending" }
  /** The claim was lost; nothing was changed. */
  | { readonly kind: "fenced" };

/** A running step whose owner is dead. */
export interface AbandonedStep {
  readonly attempt: AttemptRef;
  readonly step: PreparedStep;
  readonly sessionId: string;
}
