import type { PlanEvent } from "./plan-events.js";
import type { OutputMetadata } from "./statements/step-output.js";
import type { PlanStatus, SchemaTableDelta, StepError, StepStatus, WaitReason } from "./plan.js";

/** The state of a plan for the state machine (Decision §3), which a store must persist. */
export interface PlanState {
  readonly orgId: string;
  readonly planId: string;
  readonly sessionId: string;
  readonly status: PlanStatus;
  readonly createdAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  /** After this time no step starts, and the plan fails. */
  readonly deadlineMs: number;
  /** Set while a cancel waits for the end of running statements. */
  readonly cancelReason: string | undefined;
  /** Set while a failed plan waits for the end of running statements. */
  readonly failure: PlanFailure | undefined;
  /** Sequence of the newest event. */
  readonly lastSequence: number;
  /** Time of the newest event. */
  readonly lastEventAtMs: number;
  /** In the order submitted. */
  readonly steps: readonly StepState[];
}

/** The reason why a plan fails. */
export interface PlanFailure {
  /** Absent when no step caused the failure. */
  readonly failedStepId: string | undefined;
  readonly reason: string;
}

/** Whether the plan has ended: completed, failed or cancelled. A retry reopens a failed plan. */
export function isOver({ status }: Pick<PlanState, "status">): boolean {
  return status !== "pending" && status !== "running";
}

/** The state of one step. */
export interface StepState {
  readonly stepId: string;
  readonly index: number;
  readonly dependsOn: readonly string[];
  readonly status: StepStatus;
  readonly attempt: number;
  readonly owner: string | undefined;
  readonly waitReason: WaitReason | undefined;
  readonly rowCount: number | undefined;
  readonly executedAtMs: number | undefined;
  readonly error: StepError | undefined;
}

/**
 * The result of a transition: the plan without its steps, the changed steps, and the new events.
 */
export interface PlanChange {
  readonly plan: Omit<PlanState, "steps">;
  readonly steps: readonly StepState[];
  readonly events: readonly PlanEvent[];
}

/** How an attempt ended. Times in ms since the epoch. */
export type StepOutcome =
  | {
      readonly kind: "completed";
      readonly rowCount: number;
      readonly durationMs: number;
      readonly context: StepContext;
    }
  | {
      readonly kind: "failed";
      readonly error: StepError;
      readonly durationMs: number;
      readonly context: StepContext;
    }
  /** The attempt failed but will be retried; the step is `pending` meanwhile. */
  | { readonly kind: "retried"; readonly error: StepError; readonly durationMs: number }
  /** Interrupted by a cancel, with proof that nothing took effect. */
  | { readonly kind: "cancelled"; readonly durationMs: number }
  /**
   * The owner died or released the step, with proof that nothing took effect; the step may be
   * claimed again.
   */
  | { readonly kind: "released" };

/** The context of an attempt for the LLM, beside its row count. */
export interface StepContext {
  readonly toolOutputJson: string;
  /** Absent when the JSON alone is complete. */
  readonly outputMetadata?: OutputMetadata;
  readonly schemaAdditions: readonly SchemaTableDelta[];
  readonly augmentationHints: readonly string[];
}

/** Whether the plan's own row differs; its steps and events are not compared. */
export function planDiffers(was: PlanState, is: PlanState): boolean {
  return (
    was.status !== is.status ||
    was.startedAtMs !== is.startedAtMs ||
    was.finishedAtMs !== is.finishedAtMs ||
    was.deadlineMs !== is.deadlineMs ||
    was.cancelReason !== is.cancelReason ||
    was.failure !== is.failure
  );
}
