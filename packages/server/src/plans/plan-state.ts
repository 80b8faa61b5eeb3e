import type { Approval, ApprovalSubject } from "../approvals/index.js";
import type { NewPlanEvent } from "./plan-events.js";
import type { OutputMetadata } from "./statements/step-output.js";
import type {
  OnFailure,
  PlanStatus,
  PreparedStep,
  SchemaTableDelta,
  StepError,
  StepStatus,
  WaitReason,
} from "./plan.js";

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
  readonly onFailure: OnFailure;
  /** Whether it stays open for further steps once all its steps have completed (Decision §19). */
  readonly keepOpen: boolean;
  /** The plan that it was forked from. */
  readonly forkedFrom: string | undefined;
  /** 1 as submitted; each change of the steps adds one. */
  readonly revision: number;
  /** The changes that were asked for under an idempotency key. */
  readonly revisionRequests: readonly RevisionRequest[];
  /** User ids of the persons who wrote steps of the plan, or for whom agents did, each once. */
  readonly authors: readonly string[];
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

/** A change of a plan's steps that was made under an idempotency key, which is the plan's own. */
export interface RevisionRequest {
  readonly key: string;
  /** SHA-256 of the request, hex. */
  readonly requestHash: string;
  /** The plan's revision that the change made. */
  readonly revision: number;
}

/** The place of a step's result: a plan's log, and the sequence of the entry in it. */
export interface ResultRef {
  readonly planId: string;
  readonly sequence: number;
}

/** A completed step that a fork takes over from another plan. */
export interface TakenStep {
  readonly stepId: string;
  readonly attempt: number;
  readonly rowCount: number;
  readonly executedAtMs: number;
  readonly result: ResultRef;
}

/** The origin of a fork: the plan, and the results that the fork takes over. */
export interface ForkOrigin {
  readonly planId: string;
  /** The step that the fork runs again; absent: every completed step was taken over. */
  readonly stepId: string | undefined;
  readonly taken: readonly TakenStep[];
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

/** Whether a plan that stays open has nothing left to run, so that it waits for further steps. */
export function awaitsSteps(plan: PlanState): boolean {
  const isEnding = plan.cancelReason !== undefined || plan.failure !== undefined;
  return plan.keepOpen && !isOver(plan) && !isEnding && isAllCompleted(plan.steps);
}

/** Whether every step has completed. */
export function isAllCompleted(steps: readonly StepState[]): boolean {
  return steps.every(({ status }) => status === "completed");
}

/** The state of one step. */
export interface StepState {
  readonly stepId: string;
  readonly index: number;
  readonly dependsOn: readonly string[];
  readonly status: StepStatus;
  readonly attempt: number;
  /** Attempts that were released without having run, which use up no retry; absent: 0. */
  readonly uncounted?: number;
  readonly owner: string | undefined;
  readonly waitReason: WaitReason | undefined;
  readonly rowCount: number | undefined;
  readonly executedAtMs: number | undefined;
  readonly error: StepError | undefined;
  /** The newest approval that it needed. */
  readonly approval: Approval | undefined;
  /** The newest approval of the whole plan that was requested when this step needed one. */
  readonly planApproval: Approval | undefined;
}

/** A step that was never claimed. */
export function pendingStep(
  stepId: string,
  index: number,
  dependsOn: readonly string[],
): StepState {
  return {
    stepId,
    index,
    dependsOn,
    status: "pending",
    attempt: 0,
    owner: undefined,
    waitReason: undefined,
    rowCount: undefined,
    executedAtMs: undefined,
    error: undefined,
    approval: undefined,
    planApproval: undefined,
  };
}

/**
 * Room the log must keep so that the plan can always be ended properly: a step's attempt may end
 * without completing it, and the step be skipped then; the plan may be cancelled, and ends.
 */
export function eventsToFinish({ steps }: Pick<PlanState, "steps">): number {
  return 2 * steps.length + 8;
}

/**
 * The result of a transition: the plan after it, the steps that it changes, and the new events.
 */
export interface PlanChange {
  readonly plan: PlanState;
  readonly steps: readonly StepState[];
  /** Steps that the change appends or revises, as they will run. */
  readonly definitions: readonly PreparedStep[];
  readonly events: readonly NewPlanEvent[];
  /** The approvals that it makes or changes, in order. */
  readonly approvals: readonly ApprovalChange[];
}

/** A change of an approval that a store's index must show. */
export interface ApprovalChange {
  readonly stepId: string;
  readonly approval: Approval;
  /** The statement that it covers; present when the approval is new. */
  readonly subject?: ApprovalSubject;
}

/** The steps of a plan after a revision: appended steps are added and revised ones replaced. */
export function withDefinitions(
  prepared: readonly PreparedStep[],
  definitions: readonly PreparedStep[],
): readonly PreparedStep[] {
  const steps = prepared.slice();
  for (const definition of definitions) steps[definition.index] = definition;
  return steps;
}

/**
 * Adds to a list that mostly gets one element; `undefined` is an empty one. The engine makes room for
 * seventeen elements when it adds the first one to an empty array, and each step makes several lists.
 * @returns the same list, or a new one.
 */
export function withAdded<T>(list: T[] | undefined, element: T): T[] {
  if (list === undefined) return [element];
  list.push(element);
  return list;
}

/** Like {@link withAdded}, for a list of changed steps: it takes the place of an earlier state of the step. */
export function withStep(steps: StepState[] | undefined, step: StepState): StepState[] {
  const known = steps?.findIndex(({ index }) => index === step.index) ?? -1;
  if (steps === undefined || known === -1) return withAdded(steps, step);
  steps[known] = step;
  return steps;
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
  /** Persons must approve the statement before it may run; nothing took effect. */
  | {
      readonly kind: "awaiting_approval";
      readonly approval: Approval;
      readonly subject: ApprovalSubject;
      /** The request to approve the whole plan at once, where policies allow it. */
      readonly wholePlan?: WholePlanRequest | undefined;
      /** The standing approval that covers it. */
      readonly standing?: StandingGrant | undefined;
    }
  /**
   * The owner died or released the step, with proof that nothing took effect; the step may be
   * claimed again.
   */
  | { readonly kind: "released" };

/** The approval that stands for a step's statement when the step begins to wait. */
export interface StandingGrant {
  readonly approvalId: string;
  readonly decisions: Approval["decisions"];
  readonly untilMs: number;
}

/** A request to approve a plan at once, as its steps were at a revision. */
export interface WholePlanRequest {
  readonly revision: number;
  readonly approval: Approval & Required<Pick<Approval, "covers">>;
  readonly subject: ApprovalSubject;
}

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
