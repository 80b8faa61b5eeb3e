import type { PartyNames } from "@steward/kernel/caller.js";
import type { ResolvedName } from "../approvals/index.js";
import type {
  ApprovalFilter,
  ApprovalPage,
  ApprovalPageRequest,
  StoredApproval,
} from "../approvals/ports.js";
import type { Unsubscribe } from "../kernel/event-bus.js";
import type { PlanCheck, StepDetail } from "./plan-check.js";
import type { PlanEvent } from "./plan-events.js";
import type { StatementEstimate, StatementPreview } from "./ports.js";
import type {
  PlanDefinition,
  PlanRecord,
  PlanRevised,
  PlanStatus,
  StepChanges,
  StepDefinition,
  StepExecution,
} from "./plan.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";

/** The caller and its time limit: the `ctx` of execute_step (Contract §4.3, Decision §2). */
export interface QueryRuntimeContext extends OperationCaller {
  /** Correlates the log lines of one request. */
  readonly requestId: string;
  /** The time after which the caller no longer waits, in ms since the epoch. */
  readonly deadlineMs?: number;
  /**
   * Aborted when the caller has disconnected or its deadline has passed.
   */
  readonly signal: AbortSignal;
  /**
   * Whether an abort of `signal` also stops the step's attempt, unless another caller wants its result;
   * absent: a started step continues.
   */
  readonly stopsStep?: boolean;
  /**
   * Counts the request against its organization's quota until this work has settled too, even if
   * the caller leaves earlier.
   */
  readonly counts?: (work: Promise<unknown>) => void;
  /**
   * What the names in the request stood for when persons approved it; the operation acts on these ids, or refuses.
   * Absent: it runs without an approval.
   */
  readonly resolved?: readonly ResolvedName[];
  /** Same key and same body: the first answer again (Decision §4). createPlan and {@link PlanRevisions} look at it. */
  readonly idempotencyKey?: string;
}

/**
 * The four operations that every orchestrator provides (Contract §4.3). Each rejects with an
 * AppError on failure. When a custom orchestrator throws any other error, its text is passed on, so
 * the text must not contain a secret: an error of `executeStep` is reported as a step that ran and
 * failed, an error of the other operations as `INTERNAL`. The last argument of each operation names
 * the caller. An implementation for several organizations must separate them by `ctx.orgId`, and
 * treat another organization's plan as unknown.
 */
export interface Orchestrator {
  /** Validates and stores a plan; resolves when it is durable, with status `pending`. */
  createPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRecord>;

  /** The committed plan, or `undefined` when it is unknown. */
  getPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord | undefined>;

  /**
   * Runs a step, joins its attempt in progress, or returns the stored result of a finished one. A
   * step that ran and failed is a result, not an error; a step that may not run is an error.
   */
  executeStep(planId: string, stepId: string, ctx: QueryRuntimeContext): Promise<StepExecution>;

  /**
   * Resolves when no step of the plan runs any more and the plan's end is durable. Repeating the
   * call is harmless.
   */
  cancelPlan(planId: string, ctx: QueryRuntimeContext, reason?: string): Promise<void>;
}

/** Conditions for a listing of plans (Decision §9). */
export interface PlanFilter {
  readonly status?: PlanStatus;
  readonly sessionId?: string;
  /** In the name, description, session or id; ASCII letters match in either case. */
  readonly text?: string;
}

/** Conditions with which a store lists plans. */
export interface StoredPlanFilter extends PlanFilter {
  /** Only plans of this submitter: the members of `ownNames`. */
  readonly submitter?: Partial<PartyNames> | undefined;
}

/** One page of a listing. */
export interface PageRequest {
  /** 1 to `PLANS_PAGE_MAX`. */
  readonly limit: number;
  /** Opaque; `nextCursor` of the previous page. */
  readonly cursor?: string;
}

/** A listed plan: everything but its steps. */
export type PlanSummary = Omit<PlanRecord, "steps">;

/** A page of plans, newest first. */
export interface PlanPage {
  readonly plans: readonly PlanSummary[];
  readonly nextCursor?: string;
}

/**
 * Operations that an orchestrator may offer beyond the four (Decisions §6 and §9). Without them,
 * the transports answer `UNIMPLEMENTED` for these operations, and everything else works.
 */
export interface PlanJournal {
  listPlans(filter: PlanFilter, page: PageRequest, ctx: QueryRuntimeContext): Promise<PlanPage>;

  /**
   * Reopens a failed plan; its completed steps keep their outputs. @returns the plan, which is
   * `running` again.
   */
  retryPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord>;

  /**
   * At most `limit` events with a greater sequence, in order; empty when there are none yet.
   * @throws AppError `PLAN_NOT_FOUND`; `CURSOR_OUT_OF_RANGE` when the cursor is beyond the log.
   */
  readEvents(
    planId: string,
    afterSequence: number,
    limit: number,
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]>;

  /**
   * Registers `wake`, which is called when the plan may have new events. It is only a hint: it may
   * come late, twice or not at all, so a reader must poll too.
   */
  onPlanEvents(planId: string, wake: () => void): Unsubscribe;
}

/** Steps to append to a plan. */
export interface StepsToAppend {
  readonly steps: readonly StepDefinition[];
  /** The plan's revision that the caller has read; absent: any revision. */
  readonly expectedRevision?: number | undefined;
}

/** The changes of a step's definition. */
export interface StepRevision {
  readonly changes: StepChanges;
  /** The plan's revision that the caller has read; absent: any revision. */
  readonly expectedRevision?: number | undefined;
}

/** How to fork a plan. */
export interface PlanFork {
  /** The step that the fork runs again, with those that depend on it; absent: none. */
  readonly stepId?: string | undefined;
  /** Steps to append to those of the plan. */
  readonly steps: readonly StepDefinition[];
}

/**
 * Revisions of running plans (Decision §19), which an orchestrator need not support. When a request
 * repeats the idempotency key of the context, it changes nothing and gets the first answer.
 * Errors of each method: `PLAN_NOT_FOUND`; `PLAN_NOT_ACTIVE` when the plan can no longer change;
 * `REVISION_CONFLICT` when its steps have changed since the caller read them; the errors of a
 * submission.
 */
export interface PlanRevisions {
  /** Appends steps to a plan that has not ended. They may depend on its existing steps. */
  appendSteps(planId: string, steps: StepsToAppend, ctx: QueryRuntimeContext): Promise<PlanRevised>;

  /**
   * Gives a step that has not run, or failed, another definition. A plan that failed runs on, as after a retry.
   * @throws AppError `STEP_NOT_FOUND`; `STEP_NOT_REVISABLE` while the step runs, and once it has completed.
   */
  reviseStep(
    planId: string,
    stepId: string,
    revision: StepRevision,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised>;

  /**
   * Makes a new plan of the steps of another, whatever its status. Completed steps keep their outputs and are not run
   * again, but for the step that is named and those that depend on it.
   * @returns the new plan.
   * @throws AppError `STEP_NOT_FOUND`; `INVALID_PLAN` when nothing would be left to run.
   */
  forkPlan(planId: string, fork: PlanFork, ctx: QueryRuntimeContext): Promise<PlanRevised>;

  /**
   * Completes a plan that stays open for further steps, and resolves when its end is durable. Repeating the call is
   * harmless.
   * @throws AppError `PLAN_NOT_ACTIVE` unless all of its steps have completed.
   */
  finishPlan(planId: string, ctx: QueryRuntimeContext): Promise<void>;
}

/** Telling what a plan would do (Decision §21), which an orchestrator may offer as well. */
export interface PlanChecks {
  /**
   * Checks a plan as {@link Orchestrator.createPlan} does, and tells for each step what it touches, what the
   * policies decide and what it costs. Nothing is stored and nothing runs. Errors: those of a submission.
   */
  checkPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanCheck>;
}

/** Reading single steps, which an orchestrator may offer as well. */
export interface StepDetails {
  /** A step as committed; `undefined` when the plan or the step is unknown. Nothing runs. */
  getStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepDetail | undefined>;
}

/** Whether single steps can be read. */
export function hasStepDetails(
  orchestrator: Orchestrator,
): orchestrator is Orchestrator & StepDetails {
  return typeof (orchestrator as Partial<StepDetails>).getStep === "function";
}

/** A person's decision about an approval. */
export interface ApprovalChoice {
  readonly decision: "approve" | "deny";
  /** The digest that the person has seen. */
  readonly digest: string;
  /** The reason of a denial reaches the LLM. */
  readonly reason?: string | undefined;
  /** How long the approval is to stand for later statements of its shape, in ms. */
  readonly standingMs?: number | undefined;
  /**
   * Rows that the statement may change at most; absent: as many as the person was shown, or would be shown
   * now. Required for a write that has no preview.
   */
  readonly rowsChangedMax?: number | undefined;
}

/** The preview of a waiting write, for callers who can decide about it. */
export interface ApprovalPreview {
  readonly write?: StatementPreview;
  /** Absent where the database's planner makes none. */
  readonly estimate?: StatementEstimate;
  /** Sentences about a run, known also where `write` is absent. */
  readonly notes?: readonly string[];
  /** Why `write` is absent. */
  readonly unavailable?: string;
}

/** An approval as one reader sees it. */
export interface ApprovalView extends StoredApproval {
  readonly preview?: ApprovalPreview;
}

/** Approvals that steps wait for (Decision §16), which an orchestrator need not support. */
export interface PlanApprovals {
  /** Newest first. @throws AppError `INVALID_ARGUMENT` for an invalid cursor. */
  listApprovals(
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    ctx: QueryRuntimeContext,
  ): Promise<ApprovalPage>;

  /**
   * Computes the preview at each call; failing to do so is part of the answer. @throws AppError `NOT_FOUND`.
   */
  getApproval(approvalId: string, ctx: QueryRuntimeContext): Promise<ApprovalView>;

  /**
   * Records the caller's decision and resolves when it is durable. Repeating it changes nothing.
   * @throws AppError `NOT_FOUND`; `POLICY_DENIED` when the caller may not decide about it;
   * `APPROVAL_CONFLICT` for another digest, and when there is nothing left to decide.
   */
  decideApproval(
    approvalId: string,
    choice: ApprovalChoice,
    ctx: QueryRuntimeContext,
  ): Promise<StoredApproval>;

  /**
   * Ends a standing approval before its time. Steps that it let run stay as they are. Repeating it changes
   * nothing. @throws AppError `NOT_FOUND`; `POLICY_DENIED` for an agent; `APPROVAL_CONFLICT` when the
   * approval does not stand.
   */
  revokeApproval(approvalId: string, ctx: QueryRuntimeContext): Promise<StoredApproval>;
}

/** Whether the orchestrator supports approvals. */
export function hasApprovals(
  orchestrator: Orchestrator,
): orchestrator is Orchestrator & PlanApprovals {
  const offered = orchestrator as Partial<PlanApprovals>;
  return (
    typeof offered.listApprovals === "function" &&
    typeof offered.getApproval === "function" &&
    typeof offered.decideApproval === "function" &&
    typeof offered.revokeApproval === "function"
  );
}

/** Whether an orchestrator tells what plans would do. */
export function hasChecks(orchestrator: Orchestrator): orchestrator is Orchestrator & PlanChecks {
  return typeof (orchestrator as Partial<PlanChecks>).checkPlan === "function";
}

/** Whether the orchestrator supports revisions of plans. */
export function hasRevisions(
  orchestrator: Orchestrator,
): orchestrator is Orchestrator & PlanRevisions {
  const offered = orchestrator as Partial<PlanRevisions>;
  return (
    typeof offered.appendSteps === "function" &&
    typeof offered.reviseStep === "function" &&
    typeof offered.forkPlan === "function" &&
    typeof offered.finishPlan === "function"
  );
}

/** Whether an orchestrator also offers the journal. */
export function hasJournal(orchestrator: Orchestrator): orchestrator is Orchestrator & PlanJournal {
  const offered = orchestrator as Partial<PlanJournal>;
  return (
    typeof offered.listPlans === "function" &&
    typeof offered.retryPlan === "function" &&
    typeof offered.readEvents === "function" &&
    typeof offered.onPlanEvents === "function"
  );
}
