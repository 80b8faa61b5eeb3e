import { type Caller, sessionFor } from "@steward/kernel/caller.js";
import type { OperationApprovals } from "../../approvals/index.js";
import { originOf, type Origin } from "../../kernel/origin.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import { isUuid, type Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import { type StorageGate, unlimitedStorage } from "@steward/kernel/storage-gate.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import type {
  ExplainedStatementPolicy,
  OutputPolicy,
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
import { StoredOutputs } from "../attempts/stored-outputs.js";
import { StepRunner } from "../attempts/step-runner.js";
import { callerGone, untilPlanNews } from "../attempts/waiting.js";
import type { PlanEngine } from "../engine/index.js";
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
import type { PlanDefinition, PlanRecord, PlanRevised, StepExecution } from "../plan.js";
import type {
  IsRevokedKey,
  PlanRef,
  SchemaJournal,
  ToolCallPricing,
  StepAdvisor,
  ToolRegistry,
} from "../ports.js";
import { pauseIfLong, readAhead } from "../preparation/read-ahead.js";
import { writtenBy } from "../authors.js";
import { requireDataSources } from "../data-source-use.js";
import { permitSteps } from "../attempts/permit-steps.js";
import type { OperatorTimeLimits } from "../attempts/time-limit.js";
import { PlanChecker } from "./plan-checker.js";
import { PlanReviser } from "./plan-reviser.js";
import { preparePlan } from "../preparation/prepare.js";
import { createdOrRepeated, type KeyedRequest } from "./repeated-request.js";
import { ShownResults } from "./shown-results.js";
import { StepReader } from "./step-reader.js";
import { keyOfAnother, VisiblePlans } from "./visible-plans.js";
import { definitionBytes } from "./stored-size.js";

/** Dependencies and settings of a durable orchestrator. */
export interface DurableOrchestratorOptions extends OperatorTimeLimits {
  readonly engine: PlanEngine;
  readonly approvals: ApprovalIndex;
  /** Absent: only the statements of plans are approved. */
  readonly operations?: OperationApprovals | undefined;
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
  /** Decides what readings of plans and approvals leave out, which refuses nobody anything. */
  readonly readPolicy: OutputPolicy;
  /** Whether a caller has the right `plans:read_all` now: to the plans of others. */
  readonly mayReadAll: (caller: Caller) => Promise<boolean>;
  /** Whether a caller has the right to an action, alone or with an approval. */
  readonly mayDo: (caller: Caller, action: string) => Promise<boolean>;
  readonly isRevoked: IsRevokedKey;
  readonly pricing: ToolCallPricing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** How long a step may wait for its turn at its data source, in ms. */
  readonly stepWaitMs: number;
  /** Time from a plan's creation to its deadline, in ms. */
  readonly planDeadlineMs: number;
  /** How long an approval is valid, from its request on, in ms. */
  readonly approvalValidMs: number;
}

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
  readonly #outputs: StoredOutputs;
  readonly #results: ShownResults;
  readonly #visible: VisiblePlans;
  readonly #runner: StepRunner;
  readonly #reviser: PlanReviser;
  readonly #checker: PlanChecker;
  readonly #steps: StepReader;
  readonly #desk: ApprovalDesk;

  constructor(options: DurableOrchestratorOptions) {
    this.#options = options;
    this.#engine = options.engine;
    this.#storage = options.storage ?? unlimitedStorage;
    this.#outputs = new StoredOutputs(options);
    const shownOutputs = new StoredOutputs({ ...options, policy: options.readPolicy });
    this.#results = new ShownResults({ ...options, outputs: shownOutputs });
    this.#visible = new VisiblePlans(options);
    this.#reviser = new PlanReviser(options, this.#outputs);
    this.#checker = new PlanChecker(options);
    this.#steps = new StepReader({ ...options, checker: this.#checker, outputs: this.#outputs });
    this.#desk = new ApprovalDesk({ ...options, outputs: shownOutputs, visible: this.#visible });
    this.#runner = new StepRunner({ ...options, storage: this.#storage });
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
    if (!(await this.#visible.isVisible(record, ctx))) throw keyOfAnother();
    this.#options.telemetry.count("steward_plans_created_total");
    return this.#results.inPlan(record, ctx);
  }

  async #createPlan(
    session: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
    keyed: KeyedRequest,
  ): Promise<PlanRecord> {
    const { clock, ids, tools, access, reader, planDeadlineMs } = this.#options;
    const read = await readAhead(definition, tools, reader, ctx.orgId);
    const steps = writtenBy(ctx, preparePlan(session, definition, { ...this.#options, read }));
    requireDataSources(steps, access, ctx);
    await permitSteps(ctx, steps, this.#options);
    await pauseIfLong(steps);
    this.#storage.admit(ctx.orgId, "plans", definitionBytes(steps));
    const nowMs = clock.nowMs();
    const ref = { orgId: ctx.orgId, planId: ids.orderedUuid() };
    const origin = await this.#originOf(ctx);
    const record = await this.#engine.createPlan({
      ref,
      origin,
      sessionId: session,
      name: definition.name,
      description: definition.description,
      onFailure: definition.onFailure,
      keepOpen: definition.keepOpen,
      steps,
      createdAtMs: nowMs,
      deadlineMs: nowMs + planDeadlineMs,
      ...keyed,
    });
    // Otherwise the plan was created before, under the same idempotency key.
    if (record.planId === ref.planId) this.#visible.submitted(ref, origin.caller);
    return record;
  }

  checkPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanCheck> {
    return this.#checker.checkPlan(sessionFor(ctx, sessionId), definition, ctx);
  }

  async getStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepDetail | undefined> {
    const ref = { orgId: ctx.orgId, planId, stepId };
    return (await this.#visible.isVisible(ref, ctx)) ? this.#steps.getStep(ref, ctx) : undefined;
  }

  async getPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord | undefined> {
    const ref = { orgId: ctx.orgId, planId };
    if (!(await this.#visible.isVisible(ref, ctx))) return undefined;
    const plan = await this.#engine.findPlan(ref);
    return plan && this.#results.inPlan(plan, ctx);
  }

  async executeStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    const ref = { orgId: ctx.orgId, planId, stepId };
    const seen = this.#visible.require(planId, ctx);
    if (seen !== undefined) await seen;
    const execution = await this.#runner.execute(ref, ctx);
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
    await this.#visible.require(planId, ctx);
    const state = await this.#engine.cancelPlan(
      ref,
      reason ?? "cancelled by the caller",
      await this.#originOf(ctx),
    );
    this.#runner.abort(ref);
    if (state.status === "cancelled") return;
    await this.#untilOver(ref, ctx.signal);
  }

  async retryPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord> {
    const { clock, planDeadlineMs } = this.#options;
    const ref = { orgId: ctx.orgId, planId };
    await this.#visible.require(planId, ctx);
    const origin = await this.#originOf(ctx);
    const plan = await this.#engine.retryPlan(ref, clock.nowMs() + planDeadlineMs, origin);
    return this.#results.inPlan(plan, ctx);
  }

  async appendSteps(
    planId: string,
    steps: StepsToAppend,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    await this.#visible.require(planId, ctx);
    return this.#reviser.appendSteps(planId, steps, ctx);
  }

  async reviseStep(
    planId: string,
    stepId: string,
    revision: StepRevision,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    await this.#visible.require(planId, ctx);
    return this.#reviser.reviseStep(planId, stepId, revision, ctx);
  }

  async forkPlan(planId: string, fork: PlanFork, ctx: QueryRuntimeContext): Promise<PlanRevised> {
    await this.#visible.require(planId, ctx);
    return this.#reviser.forkPlan(planId, fork, ctx);
  }

  async finishPlan(planId: string, ctx: QueryRuntimeContext): Promise<void> {
    await this.#visible.require(planId, ctx);
    return this.#reviser.finishPlan(planId, ctx);
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

  revokeApproval(approvalId: string, ctx: QueryRuntimeContext): Promise<StoredApproval> {
    return this.#desk.revokeApproval(approvalId, ctx);
  }

  async listPlans(
    filter: PlanFilter,
    page: PageRequest,
    ctx: QueryRuntimeContext,
  ): Promise<PlanPage> {
    if (page.cursor !== undefined && !isUuid(page.cursor)) throw strangeCursor();
    const own = await this.#visible.condition(ctx);
    return this.#engine.listPlans(ctx.orgId, { ...filter, ...own }, page);
  }

  async readEvents(
    planId: string,
    afterSequence: number,
    limit: number,
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]> {
    const ref = { orgId: ctx.orgId, planId };
    await this.#visible.require(planId, ctx);
    const events = await this.#engine.readEvents(ref, afterSequence, limit);
    return this.#results.inEvents(ref, events, ctx);
  }

  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    return this.#engine.onPlanEvents(planId, wake);
  }

  /** Accepts no new steps and waits for those in progress, as {@link StepRunner} does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#runner[Symbol.asyncDispose]();
  }

  /** The origin of a change that the policies in force have permitted. */
  async #originOf(ctx: QueryRuntimeContext): Promise<Origin> {
    return originOf(ctx, await this.#options.policy.versionFor(ctx));
  }

  async #untilOver(ref: PlanRef, signal: AbortSignal): Promise<void> {
    for (;;) {
      const plan = await this.#engine.findPlan(ref);
      if (plan === undefined || (plan.status !== "running" && plan.status !== "pending")) return;
      if (signal.aborted) throw callerGone("cancellation");
      await untilPlanNews(this.#engine, ref, signal);
    }
  }
}

/** The cursor of a page is the UUID of a plan. */
function strangeCursor(): AppError {
  const reason = "it is not the next_cursor of an earlier page";
  return new AppError("INVALID_ARGUMENT", `cursor: ${reason}`, {
    details: [{ field: "cursor", reason }],
  });
}
