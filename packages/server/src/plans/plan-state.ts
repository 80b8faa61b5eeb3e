import type { PlanEvent } from "./plan-events.js";
import type { OutputMetadata } from "./statements/step-output.js";
import type { PlanStatus, SchemaTableDelta, StepError, StepStatus, WaitReason } from "./plan.js";

/** A plan as the state machine sees it (Decision §3): what a store must keep of it. */
export interface PlanState {
  readonly orgId: string;
  readonly planId: string;
  readonly sessionId: string;
  readonly status: PlanStatus;
  readonly createdAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  /** After this time no step starts and the plan fails. */
  readonly deadlineMs: number;
  /** Set while a cancel waits for running statements to settle. */
  readonly cancelReason: string | undefined;
  /** Set while a failed plan waits for running statements to settle. */
  readonly failure: PlanFailure | undefined;
  /** Sequence of the newest event. */
  readonly lastSequence: number;
  /** Time of the newest event. */
  readonly lastEventAtMs: number;
  /** In the order submitted. */
  readonly steps: readonly StepState[];
}

/** Why a plan fails. */
export interface PlanFailure {
  /** Absent when no step is to blame. */
  readonly failedStepId: string | undefined;
  readonly reason: string;
}

/** Whether the plan has come to its end: completed, failed or cancelled. A retry has a failed one go on. */
export function isOver({ status }: Pick<PlanState, "status">): boolean {
  return status !== "pending" && status !== "running";
}

/** Where one step stands. */
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

/** What changes: the plan without its steps, the steps that differ, the events that tell of it. */
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
  /** Failed, but will be tried again: the step waits as `pending` meanwhile. */
  | { readonly kind: "retried"; readonly error: StepError; readonly durationMs: number }
  /** Interrupted by a cancel, with proof that nothing took effect. */
  | { readonly kind: "cancelled"; readonly durationMs: number }
  /** Its owner died, with proof that nothing took effect: it may be claimed again. */
  | { readonly kind: "released" };

/** What an attempt leaves for the LLM, beside its row count. */
export interface StepContext {
  readonly toolOutputJson: string;
  /** Absent when the JSON tells all there is to know. */
  readonly outputMetadata?: OutputMetadata;
  readonly schemaAdditions: readonly SchemaTableDelta[];
  readonly augmentationHints: readonly string[];
}

/** Whether anything of the plan itself differs, its steps and events aside. */
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
