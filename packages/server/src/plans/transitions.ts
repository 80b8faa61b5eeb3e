import { assert } from "../kernel/assert.js";
import { isoTime } from "../kernel/clock.js";
import { LEASE_MS, PLAN_EVENTS_MAX } from "../kernel/limits.js";
import { sortByDependency } from "./dag.js";
import type { PlanEvent, PlanEventType } from "./plan-events.js";
import type { PlanStatus, SchemaTableDelta, StepError, StepStatus, WaitReason } from "./plan.js";

/**
 * The state machine of a plan (Decision §3), as pure functions: a state and a command give a change
 * or a refusal. A store loads the state, lets these decide, and makes the change durable.
 */
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

/** Where one step stands. */
export interface StepState {
  readonly stepId: string;
  readonly index: number;
  readonly dependsOn: readonly string[];
  readonly status: StepStatus;
  readonly attempt: number;
  readonly owner: string | undefined;
  readonly leaseUntilMs: number | undefined;
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
  readonly schemaAdditions: readonly SchemaTableDelta[];
  readonly augmentationHints: readonly string[];
}

/** Why a step may not be claimed. */
export interface ClaimRefusal {
  readonly code:
    | "STEP_NOT_FOUND"
    | "STEP_DEPENDENCIES_NOT_MET"
    | "PLAN_NOT_ACTIVE"
    | "APPROVAL_REQUIRED"
    | "LIMIT_EXCEEDED";
  readonly message: string;
}

/** What a claim comes to. */
export type ClaimDecision =
  | { readonly kind: "claimed"; readonly step: StepState; readonly change: PlanChange }
  | { readonly kind: "running" }
  | { readonly kind: "finished"; readonly step: StepState }
  | { readonly kind: "refused"; readonly refusal: ClaimRefusal };

/** The first state of a plan and its first event. */
export function createPlan(
  start: Pick<PlanState, "orgId" | "planId" | "sessionId" | "createdAtMs" | "deadlineMs"> & {
    readonly name: string;
  },
  steps: readonly { readonly id: string; readonly dependsOn: readonly string[] }[],
): PlanState & { readonly events: readonly PlanEvent[] } {
  const { name, orgId, planId, sessionId, createdAtMs, deadlineMs } = start;
  const empty: PlanState = {
    orgId,
    planId,
    sessionId,
    createdAtMs,
    deadlineMs,
    status: "pending",
    startedAtMs: undefined,
    finishedAtMs: undefined,
    cancelReason: undefined,
    failure: undefined,
    lastSequence: 0,
    lastEventAtMs: createdAtMs,
    steps: steps.map((step, index) => ({
      stepId: step.id,
      index,
      dependsOn: step.dependsOn,
      status: "pending",
      attempt: 0,
      owner: undefined,
      leaseUntilMs: undefined,
      waitReason: undefined,
      rowCount: undefined,
      executedAtMs: undefined,
      error: undefined,
    })),
  };
  const draft = new Draft(empty, createdAtMs);
  draft.emit("PlanCreated", { session_id: sessionId, name, total_steps: steps.length });
  const change = draft.change();
  return { ...change.plan, steps: empty.steps, events: change.events };
}

/** Takes a step for an owner, or says why not (Decision §3, "ExecuteStep, by the step's state"). */
export function claimStep(
  state: PlanState,
  stepId: string,
  owner: string,
  nowMs: number,
): ClaimDecision {
  const step = state.steps.find((candidate) => candidate.stepId === stepId);
  if (step === undefined) {
    return refuse("STEP_NOT_FOUND", `Plan ${state.planId} has no step ${stepId}`);
  }
  switch (step.status) {
    case "completed":
    case "failed":
      return { kind: "finished", step };
    case "running":
      return { kind: "running" };
    case "skipped":
    case "cancelled":
      return refuse("PLAN_NOT_ACTIVE", `Step ${stepId} is ${step.status}: its plan is over`);
    case "pending":
      return claimPending(state, step, owner, nowMs);
  }
}

function claimPending(
  state: PlanState,
  step: StepState,
  owner: string,
  nowMs: number,
): ClaimDecision {
  const over = whyNotActive(state, nowMs);
  if (over !== undefined) return refuse("PLAN_NOT_ACTIVE", over);
  if (step.waitReason === "awaiting_approval") {
    return refuse("APPROVAL_REQUIRED", `Step ${step.stepId} waits for a person's approval`);
  }
  const missing = unmetDependencies(state, step);
  if (missing.length > 0) {
    return refuse(
      "STEP_DEPENDENCIES_NOT_MET",
      `Step ${step.stepId} depends on steps that are not completed: ${missing.join(", ")}`,
    );
  }
  if (state.lastSequence + eventsToFinish(state) > PLAN_EVENTS_MAX) {
    return refuse("LIMIT_EXCEEDED", `The plan's log is full: ${String(PLAN_EVENTS_MAX)} events`);
  }
  const draft = new Draft(state, nowMs);
  // Not "when pending": a plan that missed its deadline before any step ran may have been retried.
  if (state.startedAtMs === undefined) {
    draft.patch({ status: "running", startedAtMs: draft.nowMs });
    draft.emit("PlanStarted", { session_id: state.sessionId, total_steps: state.steps.length });
  }
  const claimed: StepState = {
    ...step,
    status: "running",
    attempt: step.attempt + 1,
    owner,
    leaseUntilMs: nowMs + LEASE_MS,
    waitReason: undefined,
    error: undefined,
  };
  draft.replaceStep(claimed);
  draft.emit("PlanStepStarted", {
    step_id: step.stepId,
    step_index: step.index,
    attempt: claimed.attempt,
  });
  return { kind: "claimed", step: claimed, change: draft.change() };
}

/** The steps that must complete before this one and have not, in its own order. */
function unmetDependencies(state: PlanState, step: StepState): readonly string[] {
  if (step.dependsOn.length === 0) return [];
  const wanted = new Set(step.dependsOn);
  for (const other of state.steps) {
    if (other.status === "completed" && wanted.delete(other.stepId) && wanted.size === 0) break;
  }
  return [...wanted];
}

function whyNotActive(state: PlanState, nowMs: number): string | undefined {
  if (state.status !== "pending" && state.status !== "running") {
    return `Plan ${state.planId} is ${state.status}`;
  }
  if (state.cancelReason !== undefined) return `Plan ${state.planId} is being cancelled`;
  if (state.failure !== undefined) return `Plan ${state.planId} has failed`;
  if (nowMs > state.deadlineMs) {
    return `Plan ${state.planId} is past its deadline, ${isoTime(state.deadlineMs)}`;
  }
  return undefined;
}

/**
 * Room the log must keep so that the plan can always be ended properly: a step's attempt may end
 * without completing it, and the step be skipped then; the plan may be cancelled, and ends.
 */
function eventsToFinish(state: PlanState): number {
  return 2 * state.steps.length + 8;
}

/** Ends an attempt. @returns `undefined` when the attempt is not the running one: it was fenced. */
export function finishStep(
  state: PlanState,
  stepId: string,
  attempt: number,
  outcome: StepOutcome,
  nowMs: number,
): PlanChange | undefined {
  const step = state.steps.find((candidate) => candidate.stepId === stepId);
  if (step?.status !== "running" || step.attempt !== attempt) return undefined;
  const draft = new Draft(state, nowMs);
  endAttempt(draft, step, outcome);
  settlePlan(draft);
  return draft.change();
}

function endAttempt(draft: Draft, step: StepState, outcome: StepOutcome): void {
  const idle = { ...step, owner: undefined, leaseUntilMs: undefined };
  const ended = { ...idle, executedAtMs: draft.nowMs };
  switch (outcome.kind) {
    case "completed":
      draft.replaceStep({ ...ended, status: "completed", rowCount: outcome.rowCount });
      emitExecuted(draft, step, "completed", outcome.rowCount, outcome.durationMs);
      return;
    case "failed":
      draft.replaceStep({ ...ended, status: "failed", rowCount: 0, error: outcome.error });
      emitExecuted(draft, step, "failed", 0, outcome.durationMs, outcome.error);
      if (draft.plan.failure === undefined) {
        draft.patch({
          failure: { failedStepId: step.stepId, reason: outcome.error.message },
        });
      }
      return;
    case "retried":
      draft.replaceStep({
        ...ended,
        status: "pending",
        waitReason: "retry_backoff",
        error: outcome.error,
      });
      emitExecuted(draft, step, "failed", 0, outcome.durationMs, outcome.error);
      return;
    case "cancelled":
      assert(draft.isEnding, "only a plan that is ending has a step cancelled");
      draft.replaceStep({ ...ended, status: "cancelled" });
      draft.emit("PlanStepCancelled", {
        step_id: step.stepId,
        step_index: step.index,
        attempt: step.attempt,
        duration_ms: outcome.durationMs,
      });
      return;
    case "released":
      draft.replaceStep({ ...idle, status: "pending" });
      draft.emit("PlanStepLeaseExpired", {
        step_id: step.stepId,
        step_index: step.index,
        attempt: step.attempt,
      });
      return;
  }
}

function emitExecuted(
  draft: Draft,
  step: StepState,
  status: "completed" | "failed",
  rowCount: number,
  durationMs: number,
  error?: StepError,
): void {
  draft.emit("PlanStepExecuted", {
    step_id: step.stepId,
    step_index: step.index,
    status,
    attempt: step.attempt,
    row_count: rowCount,
    duration_ms: durationMs,
    ...(error === undefined ? {} : { error }),
  });
}

/** Ends the plan when nothing runs any more and an end is due. */
function settlePlan(draft: Draft): void {
  const steps = draft.steps;
  if (steps.some((step) => step.status === "running")) return;
  const { cancelReason, failure } = draft.plan;
  if (cancelReason !== undefined) {
    skipRest(draft);
    draft.patch({ status: "cancelled", finishedAtMs: draft.nowMs });
    draft.emit("PlanCancelled", { reason: cancelReason });
  } else if (failure !== undefined) {
    skipRest(draft);
    draft.patch({ status: "failed", finishedAtMs: draft.nowMs });
    draft.emit("PlanFailed", {
      ...(failure.failedStepId === undefined ? {} : { failed_step_id: failure.failedStepId }),
      reason: failure.reason,
    });
  } else if (steps.every((step) => step.status === "completed")) {
    draft.patch({ status: "completed", finishedAtMs: draft.nowMs });
    draft.emit("PlanCompleted", {
      session_id: draft.plan.sessionId,
      total_steps: steps.length,
      duration_ms: draft.nowMs - (draft.plan.startedAtMs ?? draft.nowMs),
    });
  }
}

/** Skips what never ran, in topological order (Decision §6). */
function skipRest(draft: Draft): void {
  const order = sortByDependency(draft.steps, ({ stepId }) => stepId);
  assert(order.kind === "sorted", "a plan with a cycle is never stored");
  for (const step of order.nodes) {
    if (step.status !== "pending") continue;
    draft.replaceStep({ ...step, status: "skipped", waitReason: undefined });
    draft.emit("PlanStepSkipped", { step_id: step.stepId, step_index: step.index });
  }
}

/**
 * Forbids new claims and, when nothing runs, ends the plan. @returns `undefined` when there is
 * nothing to do (cancelled, or being cancelled); a refusal when the plan has completed or failed.
 */
export function cancelPlan(
  state: PlanState,
  reason: string,
  nowMs: number,
): PlanChange | { readonly refused: string } | undefined {
  if (state.status === "cancelled" || state.cancelReason !== undefined) return undefined;
  if (state.status === "completed" || state.status === "failed") {
    return { refused: `Plan ${state.planId} is ${state.status} and cannot be cancelled` };
  }
  const draft = new Draft(state, nowMs);
  draft.patch({ cancelReason: reason });
  draft.emit("PlanCancelRequested", { reason });
  settlePlan(draft);
  return draft.change();
}

/**
 * Has a failed plan run on: what completed stays, everything else is to be done again.
 * @param deadlineMs until when: its first time may be over, which may be why it failed.
 */
export function retryPlan(
  state: PlanState,
  nowMs: number,
  deadlineMs: number,
): PlanChange | { readonly refused: string; readonly limit?: true } {
  if (state.status !== "failed") {
    return {
      refused: `Plan ${state.planId} is ${state.status}; only a failed plan can be retried`,
    };
  }
  if (state.lastSequence + 3 * eventsToFinish(state) > PLAN_EVENTS_MAX) {
    return { refused: `The plan's log is full: ${String(PLAN_EVENTS_MAX)} events`, limit: true };
  }
  const draft = new Draft(state, nowMs);
  for (const step of state.steps) {
    if (step.status === "completed") continue;
    draft.replaceStep({
      ...step,
      status: "pending",
      rowCount: undefined,
      executedAtMs: undefined,
      error: undefined,
    });
  }
  draft.patch({
    status: "running",
    finishedAtMs: undefined,
    failure: undefined,
    deadlineMs,
  });
  draft.emit("PlanRetried", {
    step_ids: draft.steps.filter((step) => step.status === "pending").map((step) => step.stepId),
  });
  return draft.change();
}

/** Fails a plan whose deadline has passed. @returns `undefined` when there is nothing to do. */
export function expirePlan(state: PlanState, nowMs: number): PlanChange | undefined {
  const active = state.status === "pending" || state.status === "running";
  if (!active || state.failure !== undefined || state.cancelReason !== undefined) return undefined;
  if (nowMs <= state.deadlineMs) return undefined;
  const draft = new Draft(state, nowMs);
  const reason = `The plan did not finish by its deadline, ${isoTime(state.deadlineMs)}`;
  draft.patch({ failure: { failedStepId: undefined, reason } });
  settlePlan(draft);
  return draft.change();
}

/** The state after a change. */
export function applyChange(state: PlanState, change: PlanChange): PlanState {
  if (change.steps.length === 0) return { ...change.plan, steps: state.steps };
  const steps = state.steps.slice();
  for (const step of change.steps) steps[step.index] = step;
  return { ...change.plan, steps };
}

function refuse(code: ClaimRefusal["code"], message: string): ClaimDecision {
  return { kind: "refused", refusal: { code, message } };
}

/** A change in the making: collects what differs, numbers the events, never lets time go back. */
class Draft {
  readonly nowMs: number;
  plan: Omit<PlanState, "steps">;
  readonly #timestamp: string;
  #steps: StepState[];
  readonly #changed = new Map<number, StepState>();
  readonly #events: PlanEvent[] = [];

  constructor(state: PlanState, nowMs: number) {
    const { steps, ...plan } = state;
    this.nowMs = Math.max(nowMs, state.lastEventAtMs);
    this.plan = plan;
    this.#timestamp = isoTime(this.nowMs);
    this.#steps = steps.slice();
  }

  get steps(): readonly StepState[] {
    return this.#steps;
  }

  /** Nothing may start any more. */
  get isEnding(): boolean {
    return this.plan.cancelReason !== undefined || this.plan.failure !== undefined;
  }

  patch(part: Partial<Omit<PlanState, "steps">>): void {
    this.plan = { ...this.plan, ...part };
  }

  replaceStep(step: StepState): void {
    this.#steps[step.index] = step;
    this.#changed.set(step.index, step);
  }

  emit(eventType: PlanEventType, payload: object): void {
    const sequence = this.plan.lastSequence + 1;
    this.patch({ lastSequence: sequence, lastEventAtMs: this.nowMs });
    this.#events.push({
      planId: this.plan.planId,
      sequence,
      eventType,
      payloadJson: JSON.stringify(payload),
      timestamp: this.#timestamp,
    });
  }

  change(): PlanChange {
    return { plan: this.plan, steps: [...this.#changed.values()], events: this.#events };
  }
}
