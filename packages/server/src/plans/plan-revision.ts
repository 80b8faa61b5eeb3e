import type { ErrorCode } from "@steward/protocol";
import { isoTime } from "@steward/kernel/clock.js";
import { authorsOf } from "./authors.js";
import { PLAN_EVENTS_MAX, PLAN_REVISIONS_MAX } from "./limits.js";
import { voidApproval } from "./approvals/step-approvals.js";
import { voidPlanApprovals } from "./approvals/whole-plan.js";
import { PlanDraft } from "./plan-draft.js";
import { revivePlan } from "./plan-ending.js";
import {
  eventsToFinish,
  isOver,
  pendingStep,
  type PlanChange,
  type PlanState,
  type RevisionRequest,
} from "./plan-state.js";
import type { PreparedStep } from "./plan.js";

/** A change of a plan's steps: it appends some, or gives one that has not completed another definition. */
export interface PlanRevision {
  readonly change:
    | { readonly kind: "append"; readonly steps: readonly PreparedStep[] }
    | { readonly kind: "revise"; readonly step: PreparedStep };
  /** The plan's revision that the steps were checked against. */
  readonly expectedRevision: number;
  /** Until when a failed plan may run on that is revised, ms since the epoch. */
  readonly deadlineMs: number;
  readonly request?: Omit<RevisionRequest, "revision"> | undefined;
}

/** Outcome of a revision. */
export type RevisionDecision =
  | { readonly kind: "changed"; readonly change: PlanChange }
  /** The same request was made before and created this revision. */
  | { readonly kind: "repeated"; readonly revision: number }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string };

/** Changes a plan's steps, or says why not (Decision §19). */
export function revisePlan(
  state: PlanState,
  revision: PlanRevision,
  nowMs: number,
): RevisionDecision {
  const earlier = earlierRevision(state, revision.request);
  if (earlier !== undefined) return earlier;
  const refusal =
    revision.change.kind === "append"
      ? whyNotAppend(state, nowMs)
      : whyNotRevise(state, revision.change.step.id, nowMs);
  if (refusal !== undefined) return refusal;
  if (state.revision !== revision.expectedRevision) {
    return refused("REVISION_CONFLICT", conflictText(state, revision.expectedRevision));
  }
  const change = revisedPlan(state, revision, nowMs);
  const revised = change.plan;
  if (revised.lastSequence + 3 * eventsToFinish(revised) > PLAN_EVENTS_MAX) {
    return refused(
      "LIMIT_EXCEEDED",
      `The plan's log is full (${String(PLAN_EVENTS_MAX)} events): submit the remaining steps as a new plan`,
    );
  }
  return { kind: "changed", change };
}

/**
 * Outcome of a request whose idempotency key was used before; `undefined` when it was not used
 * before.
 */
export function earlierRevision(
  { revisionRequests }: Pick<PlanState, "revisionRequests">,
  request: PlanRevision["request"],
): RevisionDecision | undefined {
  const earlier = revisionRequests.find(({ key }) => key === request?.key);
  if (earlier === undefined) return undefined;
  return earlier.requestHash === request?.requestHash
    ? { kind: "repeated", revision: earlier.revision }
    : refused(
        "IDEMPOTENCY_CONFLICT",
        `The idempotency-key was used for another change of this plan, which made revision ` +
          `${String(earlier.revision)}: repeat that request, or use a new key`,
      );
}

/** Said when a plan has changed since the caller read it. */
export function conflictText(
  { planId, revision }: Pick<PlanState, "planId" | "revision">,
  expected: number,
): string {
  return (
    `Plan ${planId} is at revision ${String(revision)}, not ${String(expected)}: read the plan, check ` +
    `that the change still fits, and send it with expected_revision ${String(revision)}`
  );
}

function revisedPlan(
  state: PlanState,
  { change, deadlineMs, request }: PlanRevision,
  nowMs: number,
): PlanChange {
  const draft = new PlanDraft(state, nowMs);
  const revision = state.revision + 1;
  if (state.status === "failed") revivePlan(draft, deadlineMs);
  const written = change.kind === "append" ? change.steps : [change.step];
  draft.patch({ revision, authors: authorsOf(written, state.authors) });
  voidPlanApprovals(draft);
  if (request !== undefined) {
    const revisionRequests = [...state.revisionRequests, { ...request, revision }];
    draft.patch({ revisionRequests });
  }
  for (const step of written) {
    if (change.kind === "append") appendStep(draft, { ...step, revision });
    else reviseStep(draft, { ...step, revision });
  }
  return draft.change();
}

function appendStep(draft: PlanDraft, definition: PreparedStep): void {
  const index = draft.steps.length;
  const { id, dependsOn } = definition;
  draft.define({ ...definition, index }, pendingStep(id, index, dependsOn));
  draft.emit("PlanStepAppended", stepPayload(definition, index));
}

/**
 * The number of attempts continues, so that no attempt of the new definition has the number of an
 * earlier attempt.
 */
function reviseStep(draft: PlanDraft, definition: PreparedStep): void {
  const { id, dependsOn } = definition;
  const index = draft.steps.findIndex((step) => step.stepId === id);
  const former = draft.steps[index];
  const attempt = former?.attempt ?? 0;
  if (former !== undefined) voidApproval(draft, former);
  draft.define({ ...definition, index }, { ...pendingStep(id, index, dependsOn), attempt });
  draft.emit("PlanStepRevised", stepPayload(definition, index));
}

/**
 * The part of a step's new definition that the event contains. The event does not repeat the
 * statement.
 */
function stepPayload(definition: PreparedStep, index: number): object {
  const { id, revision, name, toolName, dataSource, dataSourceBy, intent, dependsOn } = definition;
  const { timeoutMs } = definition;
  return {
    step_id: id,
    step_index: index,
    revision,
    name,
    tool_name: toolName,
    ...(dataSourceBy === "step" ? { data_source: dataSource } : {}),
    intent,
    depends_on: dependsOn,
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  };
}

function whyNotAppend(state: PlanState, nowMs: number): RevisionDecision | undefined {
  const { planId, status } = state;
  if (status === "failed") {
    return refused(
      "PLAN_NOT_ACTIVE",
      `Plan ${planId} is failed: revise the step that failed, or retry the plan, and append then`,
    );
  }
  return whyNotChanged(state, nowMs);
}

function whyNotRevise(
  state: PlanState,
  stepId: string,
  nowMs: number,
): RevisionDecision | undefined {
  const step = state.steps.find((each) => each.stepId === stepId);
  if (step === undefined) {
    return refused("STEP_NOT_FOUND", `Plan ${state.planId} has no step ${stepId}`);
  }
  if (step.status === "running") {
    return refused(
      "STEP_NOT_REVISABLE",
      `Step ${stepId} is running: wait until it has ended, or cancel the plan`,
    );
  }
  if (step.status === "completed") {
    return refused(
      "STEP_NOT_REVISABLE",
      `Step ${stepId} is completed and keeps its output: append another step instead`,
    );
  }
  return state.status === "failed" ? whyTooOften(state) : whyNotChanged(state, nowMs);
}

function whyNotChanged(state: PlanState, nowMs: number): RevisionDecision | undefined {
  const { planId, status, cancelReason, failure, deadlineMs } = state;
  if (isOver(state)) {
    return refused(
      "PLAN_NOT_ACTIVE",
      `Plan ${planId} is ${status}: fork it with the steps, which keeps its results`,
    );
  }
  if (cancelReason !== undefined) {
    return refused("PLAN_NOT_ACTIVE", `Plan ${planId} is being cancelled: submit a new plan`);
  }
  if (failure !== undefined) {
    return refused(
      "PLAN_NOT_ACTIVE",
      `Plan ${planId} has failed and other steps still run: wait until the plan is failed, and ask again`,
    );
  }
  if (nowMs > deadlineMs) {
    return refused(
      "PLAN_NOT_ACTIVE",
      `Plan ${planId} is past its deadline, ${isoTime(deadlineMs)}: wait until the plan has ended, and ask again`,
    );
  }
  return whyTooOften(state);
}

function whyTooOften({ planId, revision }: PlanState): RevisionDecision | undefined {
  if (revision < PLAN_REVISIONS_MAX) return undefined;
  return refused(
    "LIMIT_EXCEEDED",
    `Plan ${planId} was changed ${String(PLAN_REVISIONS_MAX)} times, which is the limit: submit the remaining steps as a new plan`,
  );
}

function refused(code: ErrorCode, message: string): RevisionDecision {
  return { kind: "refused", code, message };
}
