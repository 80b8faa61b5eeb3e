import { sessionFor, sessionOr } from "@steward/kernel/caller.js";
import { setTimeout as delay } from "node:timers/promises";
import { originOf } from "../../kernel/origin.js";
import { isoTime, type Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import { isUuid, type Ids } from "@steward/kernel/ids.js";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import { LEASE_RENEW_MS } from "../limits.js";
import type { Log } from "@steward/kernel/log.js";
import { type StorageGate, unlimitedStorage } from "@steward/kernel/storage-gate.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import type {
  AnnouncedToolCall,
  ExplainedStatementPolicy,
  SqlAnalyzer,
  StatementReader,
  ToolCallGate,
} from "../../governance/index.js";
import type {
  ApprovalFilter,
  ApprovalIndex,
  ApprovalPage,
  ApprovalPageRequest,
  StoredApproval,
} from "../../approvals/ports.js";
import { ApprovalDesk } from "./approval-desk.js";
import { AttemptRunner, POLICY_REFUSALS, type AttemptEnd, type StepPermission } from "./attempt.js";
import { withHints } from "../context-update.js";
import { untilNews } from "../engine/until-news.js";
import type { PlanEngine } from "../engine/index.js";
import { InFlightSteps, type InFlightStep } from "./in-flight-steps.js";
import type {
  ApprovalChoice,
  ApprovalView,
  Orchestrator,
  PageRequest,
  PlanApprovals,
  PlanChecks,
  PlanFilter,
  StepDetails,
  PlanFork,
  PlanJournal,
  PlanPage,
  PlanRevisions,
  QueryRuntimeContext,
  StepRevision,
  StepsToAppend,
} from "../orchestrator.js";
import type { PlanCheck, StepDetail } from "../plan-check.js";
import type { PlanEvent } from "../plan-events.js";
import type {
  PlanDefinition,
  PlanRecord,
  PlanRevised,
  PreparedStep,
  StepExecution,
} from "../plan.js";
import type {
  StatementFailureReason,
  AttemptRef,
  ClaimResult,
  PlanRef,
  SchemaJournal,
  StepRef,
  ToolCallPricing,
  StepAdvisor,
  ToolRegistry,
} from "../ports.js";
import { pauseIfLong, readAhead } from "../preparation/read-ahead.js";
import { requireDataSources } from "../data-source-use.js";
import { permitSteps } from "./permit-steps.js";
import { PlanChecker } from "./plan-checker.js";
import { PlanReviser } from "./plan-reviser.js";
import { preparePlan } from "../preparation/prepare.js";
import { Recovery } from "./recovery.js";
import { createdOrRepeated, type KeyedRequest } from "./repeated-request.js";
import { retryDelayMs } from "./retry.js";
import { StepReader } from "./step-reader.js";
import { attemptBytes, definitionBytes } from "./stored-size.js";
import { SchemaSteps } from "./schema-steps.js";
import type { StepOutcome } from "../plan-state.js";
import type { ClaimRefusal } from "../transitions.js";

/** Dependencies and settings of a durable orchestrator. */
export interface DurableOrchestratorOptions {
  readonly engine: PlanEngine;
  readonly approvals: ApprovalIndex;
  readonly tools: ToolRegistry;
  /** Access to data sources, checked when a plan is submitted and when a step runs. */
  readonly access: DataSourceAccess;
  readonly schemas: SchemaJournal;
  readonly analyzer: SqlAnalyzer;
  /** Absent: only the data sources give hints. */
  readonly advisor?: StepAdvisor | undefined;
  readonly reader: StatementReader;
  readonly gate: ToolCallGate;
  /** Asked before anything is stored or runs; absent: no quota limits what is stored. */
  readonly storage?: StorageGate;
  readonly policy: ExplainedStatementPolicy;
  readonly pricing: ToolCallPricing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Time limit of one attempt, in ms. */
  readonly stepTimeoutMs: number;
  /** How long a step may wait for its turn at its data source, in ms. */
  readonly stepWaitMs: number;
  /** Time from a plan's creation to its deadline, in ms. */
  readonly planDeadlineMs: number;
  /** How long an approval is valid, from its request on, in ms. */
  readonly approvalValidMs: number;
}

type Claimed = ClaimResult & { readonly kind: "claimed" };

/** Interval for polling a step that another process runs, in case a wake-up is lost. */
const POLL_MS = 250;

/**
 * Runs plans so that no acknowledged change is lost and no step takes effect twice: every
 * transition is one atomic method of the {@link PlanEngine}, and every effect on a data source
 * carries its attempt's id. This class only calls them in the right order.
 */
export class DurableOrchestrator
  implements
    Orchestrator,
    PlanJournal,
    PlanRevisions,
    PlanChecks,
    StepDetails,
    PlanApprovals,
    AsyncDisposable
{
  readonly #options: DurableOrchestratorOptions;
  readonly #engine: PlanEngine;
  readonly #storage: StorageGate;
  readonly #owner: string;
  readonly #runner: AttemptRunner;
  readonly #recovery: Recovery;
  readonly #reviser: PlanReviser;
  readonly #checker: PlanChecker;
  readonly #steps: StepReader;
  readonly #desk: ApprovalDesk;
  readonly #inFlight = new InFlightSteps();
  readonly #renewal: NodeJS.Timeout;
  readonly #unwatchCancels: Unsubscribe;
  #closing = false;

  constructor(options: DurableOrchestratorOptions) {
    this.#options = options;
    this.#engine = options.engine;
    this.#storage = options.storage ?? unlimitedStorage;
    this.#reviser = new PlanReviser(options);
    this.#checker = new PlanChecker(options);
    this.#steps = new StepReader({ ...options, checker: this.#checker });
    this.#desk = new ApprovalDesk(options);
    this.#owner = options.ids.uuid();
    const { log } = options;
    const schemas = new SchemaSteps(options.schemas, log);
    this.#runner = new AttemptRunner({ ...options, schemas });
    this.#recovery = new Recovery(options.engine, options.tools, this.#runner, log);
    this.#renewal = setInterval(() => {
      this.#renewLeases();
    }, LEASE_RENEW_MS).unref();
    this.#unwatchCancels = options.engine.onCancelRequested((ref) => {
      this.#inFlight.abort(ref);
    });
  }

  async createPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRecord> {
    const session = sessionFor(ctx, sessionId);
    const request = { sessionId: session, definition };
    const record = await createdOrRepeated(this.#engine, ctx, request, (keyed) =>
      this.#createPlan(session, definition, ctx, keyed),
    );
    this.#options.telemetry.count("steward_plans_created_total");
    return record;
  }

  async #createPlan(
    session: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
    keyed: KeyedRequest,
  ): Promise<PlanRecord> {
    const { clock, ids, tools, access, analyzer, reader, planDeadlineMs } = this.#options;
    const read = await readAhead(definition, tools, { analyzer, reader });
    const steps = preparePlan(session, definition, tools, analyzer, read);
    requireDataSources(steps, access, ctx);
    await permitSteps(ctx, steps, this.#options);
    await pauseIfLong(steps);
    this.#storage.admit(ctx.orgId, definitionBytes(steps));
    const nowMs = clock.nowMs();
    return this.#engine.createPlan({
      ref: { orgId: ctx.orgId, planId: ids.orderedUuid() },
      origin: originOf(ctx),
      sessionId: session,
      name: definition.name,
      description: definition.description,
      onFailure: definition.onFailure,
      steps,
      createdAtMs: nowMs,
      deadlineMs: nowMs + planDeadlineMs,
      ...keyed,
    });
  }

  checkPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanCheck> {
    return this.#checker.checkPlan(sessionFor(ctx, sessionId), definition, ctx);
  }

  getStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepDetail | undefined> {
    return this.#steps.getStep({ orgId: ctx.orgId, planId, stepId }, ctx);
  }

  getPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord | undefined> {
    return this.#engine.findPlan({ orgId: ctx.orgId, planId });
  }

  async executeStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    const ref = { orgId: ctx.orgId, planId, stepId };
    const execution = (await this.#joined(ref, ctx)) ?? (await this.#started(ref, ctx));
    const { error } = execution.stepResult;
    if (error?.code !== "POLICY_DENIED") return execution;
    throw new AppError("POLICY_DENIED", error.message, {
      details: execution.llmContextUpdate.augmentationHints
        .filter((reason) => reason !== error.message)
        .map((reason) => ({ field: `steps.${stepId}`, reason })),
    });
  }

  async cancelPlan(planId: string, ctx: QueryRuntimeContext, reason?: string): Promise<void> {
    const ref = { orgId: ctx.orgId, planId };
    const state = await this.#engine.cancelPlan(
      ref,
      reason ?? "cancelled by the caller",
      originOf(ctx),
    );
    this.#inFlight.abort(ref);
    if (state.status === "cancelled") return;
    await this.#untilOver(ref, ctx.signal);
  }

  async retryPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord> {
    const { clock, planDeadlineMs } = this.#options;
    const ref = { orgId: ctx.orgId, planId };
    return this.#engine.retryPlan(ref, clock.nowMs() + planDeadlineMs, originOf(ctx));
  }

  appendSteps(
    planId: string,
    steps: StepsToAppend,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    return this.#reviser.appendSteps(planId, steps, ctx);
  }

  reviseStep(
    planId: string,
    stepId: string,
    revision: StepRevision,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    return this.#reviser.reviseStep(planId, stepId, revision, ctx);
  }

  forkPlan(planId: string, fork: PlanFork, ctx: QueryRuntimeContext): Promise<PlanRevised> {
    return this.#reviser.forkPlan(planId, fork, ctx);
  }

  listApprovals(
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    ctx: QueryRuntimeContext,
  ): Promise<ApprovalPage> {
    return this.#desk.listApprovals(filter, page, ctx);
  }

  getApproval(approvalId: string, ctx: QueryRuntimeContext): Promise<ApprovalView> {
    return this.#desk.getApproval(approvalId, ctx);
  }

  decideApproval(
    approvalId: string,
    choice: ApprovalChoice,
    ctx: QueryRuntimeContext,
  ): Promise<StoredApproval> {
    return this.#desk.decideApproval(approvalId, choice, ctx);
  }

  async listPlans(
    filter: PlanFilter,
    page: PageRequest,
    ctx: QueryRuntimeContext,
  ): Promise<PlanPage> {
    if (page.cursor !== undefined && !isUuid(page.cursor)) throw strangeCursor();
    return this.#engine.listPlans(ctx.orgId, filter, page);
  }

  async readEvents(
    planId: string,
    afterSequence: number,
    limit: number,
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]> {
    return this.#engine.readEvents({ orgId: ctx.orgId, planId }, afterSequence, limit);
  }

  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    return this.#engine.onPlanEvents(planId, wake);
  }

  /**
   * Accepts no new steps and waits for those in progress. Steps that still run after the drain time
   * are stopped and released, so that another process can claim them.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    clearInterval(this.#renewal);
    this.#unwatchCancels();
    await this.#recovery[Symbol.asyncDispose]();
    await this.#inFlight.drain(DRAIN_MS);
  }

  /**
   * The result of the attempt in progress; `undefined` when there is none, or when its caller may
   * not run the step.
   */
  async #joined(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepExecution | undefined> {
    const inFlight = this.#inFlight.find(ref);
    if (inFlight === undefined) return undefined;
    try {
      return await whileCallerWaits(inFlight.result, ctx.signal);
    } catch (error) {
      // A policy's refusal of another caller says nothing about this one.
      if (error instanceof AppError && POLICY_REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  #started(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepExecution> {
    const underWay = this.#inFlight.find(ref);
    if (underWay !== undefined) return whileCallerWaits(underWay.result, ctx.signal);
    // A caller that has disconnected holds no share of its organization's quota, so nothing may be
    // started for it.
    if (ctx.signal.aborted) return Promise.reject(callerGone());
    const inFlight = this.#inFlight.start(ref, (started) => this.#runToEnd(ref, ctx, started));
    ctx.counts?.(inFlight.result);
    return whileCallerWaits(inFlight.result, ctx.signal);
  }

  async #runToEnd(
    ref: StepRef,
    ctx: QueryRuntimeContext,
    inFlight: InFlightStep,
  ): Promise<StepExecution> {
    let outdatedApproval: string | undefined;
    for (;;) {
      if (this.#closing) throw shuttingDown();
      await this.#requireSpace(ref);
      const origin = originOf(ctx);
      const claim = await this.#engine.claimStep(ref, this.#owner, origin, outdatedApproval);
      switch (claim.kind) {
        case "finished":
          return claim.execution;
        case "refused":
          outdatedApproval = await this.#orOutdated(claim.refusal, ctx);
          break;
        case "running":
          await this.#untilNews(ref, inFlight.signal);
          break;
        case "claimed": {
          const execution = await this.#attempt(ref, claim, ctx, inFlight);
          if (execution !== undefined) return execution;
        }
      }
    }
  }

  /**
   * Refuses a step that would run while its organization has used up its quota of bytes. The refusal
   * comes before the claim, so that it stores nothing itself.
   */
  async #requireSpace({ stepId, ...ref }: StepRef): Promise<void> {
    try {
      this.#storage.admit(ref.orgId, 0);
    } catch (refusal) {
      const { prepared, state } = await this.#engine.loadPlan(ref);
      const index = prepared.findIndex(({ id }) => id === stepId);
      if (state.steps[index]?.status === "pending") throw refusal;
    }
  }

  /**
   * Rethrows the refusal of a claim, unless the step waits for an approval that policies have
   * demanded which are no longer in force.
   * @returns the id of that approval.
   */
  async #orOutdated(refusal: ClaimRefusal, ctx: QueryRuntimeContext): Promise<string> {
    const { approval } = refusal;
    if (approval !== undefined) {
      const version = await this.#options.policy.versionFor(ctx);
      if (version !== approval.policyVersion) return approval.approvalId;
    }
    throw refusalError(refusal);
  }

  /**
   * @returns `undefined` when another attempt follows, the step waits for an approval, or the claim
   * was lost.
   */
  async #attempt(
    ref: StepRef,
    claim: Claimed,
    ctx: QueryRuntimeContext,
    inFlight: InFlightStep,
  ): Promise<StepExecution | undefined> {
    const { ids, gate } = this.#options;
    const attempt = { ...ref, attempt: claim.attempt };
    inFlight.attempt = attempt;
    const grant = await this.#orReleased(attempt, () => this.#runner.permit(claim.step, ctx));
    const call = announcedCall(ref, claim, ctx, ids.uuid());
    const warnings = await this.#orReleased(attempt, () => gate.admit(call));
    let recorded = false;
    try {
      const end = await this.#run(attempt, { ...claim, ...grant }, call, ctx, inFlight);
      const outcome = withHints(end.outcome, warnings);
      const origin = originOf(ctx);
      const finished = await this.#engine.finishStep(attempt, outcome, end.toolCall, origin);
      recorded = end.toolCall !== undefined && finished.kind !== "fenced";
      inFlight.attempt = undefined;
      this.#storage.add(ref.orgId, attemptBytes(outcome));
      this.#tell(attempt, claim, ctx, outcome);
      if (outcome.kind === "released") throw end.refusal ?? shuttingDown();
      // The next claim says what it waits for.
      if (outcome.kind === "awaiting_approval") return undefined;
      if (finished.kind === "ended") return finished.execution;
      if (finished.kind === "pending") {
        await this.#untilRetry(attempt, claim.step, end.retriedAfter, inFlight.signal);
      }
      return undefined;
    } finally {
      if (!recorded) gate.release(call);
    }
  }

  /** Checks whether the step may run. If not, it releases the step and rethrows the reason. */
  async #orReleased<Answer>(attempt: AttemptRef, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (refusal) {
      await this.#engine.finishStep(attempt, { kind: "released" }, undefined);
      throw refusal;
    }
  }

  async #run(
    attempt: AttemptRef,
    claim: Claimed & StepPermission,
    { eventId, sessionId }: AnnouncedToolCall,
    ctx: QueryRuntimeContext,
    inFlight: InFlightStep,
  ): Promise<AttemptEnd> {
    const { clock, stepTimeoutMs, stepWaitMs } = this.#options;
    const leftMs = Math.max(claim.deadlineMs - clock.nowMs(), 1);
    const end = await this.#runner.run(
      {
        ref: attempt,
        step: claim.step,
        sessionId,
        eventId,
        outputs: claim.outputs,
        approval: claim.approval,
        needsApproval: claim.needsApproval,
        rowsChangedMax: claim.rowsChangedMax,
        waitMs: Math.min(stepWaitMs, leftMs),
        timeoutMs: Math.min(stepTimeoutMs, leftMs),
      },
      ctx,
      inFlight.signal,
    );
    const handedBack = end.outcome.kind === "cancelled" && this.#closing;
    return handedBack ? { ...end, outcome: { kind: "released" } } : end;
  }

  /** Notifies all observers, including the data source, that an attempt has ended. */
  #tell(attempt: AttemptRef, claim: Claimed, ctx: QueryRuntimeContext, outcome: StepOutcome): void {
    const { tools, telemetry, log } = this.#options;
    tools.target(claim.step.dataSource)?.forget(attempt);
    const labels = { intent: claim.step.intent, status: outcome.kind };
    telemetry.count("steward_step_attempts_total", labels);
    if ("durationMs" in outcome) {
      telemetry.observe("steward_step_duration_seconds", outcome.durationMs / 1000, labels);
    }
    log.debug(
      { ...attempt, requestId: ctx.requestId, outcome: outcome.kind },
      "step attempt ended",
    );
  }

  /** Waits before the next attempt of a step, and tells the operator why there is one. */
  async #untilRetry(
    attempt: AttemptRef,
    { intent, dataSource }: PreparedStep,
    reason: StatementFailureReason = "unknown",
    signal: AbortSignal,
  ): Promise<void> {
    const { ids, telemetry, log } = this.#options;
    const delayMs = Math.round(retryDelayMs(attempt.attempt, ids.random()));
    telemetry.count("steward_step_retries_total", { intent, reason });
    log.warn({ ...attempt, dataSource, reason, delayMs }, "step attempt failed and is retried");
    await pause(delayMs, signal);
  }

  #renewLeases(): void {
    for (const attempt of this.#inFlight.attempts()) {
      this.#engine.renewLease(attempt, this.#owner).catch((error: unknown) => {
        this.#options.log.warn({ err: error, ...attempt }, "a lease could not be renewed");
      });
    }
  }

  /**
   * Waits for a step of another process, until its plan changes or the polling interval has passed.
   */
  #untilNews(ref: PlanRef, signal: AbortSignal): Promise<void> {
    return untilNews({
      subscribe: (wake) => this.#engine.onPlanEvents(ref.planId, wake),
      timers: systemTimers,
      pollMs: POLL_MS,
      signal,
    });
  }

  async #untilOver(ref: PlanRef, signal: AbortSignal): Promise<void> {
    for (;;) {
      const plan = await this.#engine.findPlan(ref);
      if (plan === undefined || (plan.status !== "running" && plan.status !== "pending")) return;
      if (signal.aborted) throw callerGone();
      await this.#untilNews(ref, signal);
    }
  }
}

/** The call as the usage gate sees it before it runs. */
function announcedCall(
  { orgId }: StepRef,
  { step, sessionId }: Claimed,
  ctx: QueryRuntimeContext,
  eventId: string,
): AnnouncedToolCall {
  return {
    eventId,
    orgId,
    sessionId: sessionOr(ctx, sessionId),
    toolName: step.toolName,
    intent: step.intent,
    ormModel: ctx.ormModel,
  };
}

/** Resolves with the result, or rejects when the caller leaves first. The step itself continues. */
async function whileCallerWaits<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw callerGone();
  let leave: (() => void) | undefined;
  const gone = new Promise<never>((_resolve, reject) => {
    leave = (): void => {
      reject(callerGone());
    };
    signal.addEventListener("abort", leave);
  });
  try {
    return await Promise.race([result, gone]);
  } finally {
    if (leave !== undefined) signal.removeEventListener("abort", leave);
  }
}

/** Waits; an abort ends the wait early without an error. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

function callerGone(): AppError {
  return new AppError(
    "DEADLINE_EXCEEDED",
    "The caller stopped waiting; the step continues, execute it again to get its result",
  );
}

/** The error of a refused claim; the details name the approval that the step waits for. */
function refusalError({ code, message, approval }: ClaimRefusal): AppError {
  if (approval === undefined) return new AppError(code, message);
  const { approvalId, digest, expiresAtMs } = approval;
  return new AppError(code, message, {
    details: [
      { field: "approval_id", reason: approvalId },
      { field: "digest", reason: digest },
      { field: "expires_at", reason: isoTime(expiresAtMs) },
    ],
  });
}

/** The cursor of a page is the UUID of a plan. */
function strangeCursor(): AppError {
  const reason = "it is not the next_cursor of an earlier page";
  return new AppError("INVALID_ARGUMENT", `cursor: ${reason}`, {
    details: [{ field: "cursor", reason }],
  });
}

function shuttingDown(): AppError {
  return new AppError("STORE_UNAVAILABLE", "The server is shutting down; send the request again", {
    retryAfterMs: 1000,
  });
}
