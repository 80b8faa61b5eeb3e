import { AppError } from "@steward/kernel/errors.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import type { Log } from "@steward/kernel/log.js";
import type { StorageGate } from "@steward/kernel/storage-gate.js";
import type {
  AnnouncedToolCall,
  ExplainedStatementPolicy,
  ToolCallGate,
} from "../../governance/index.js";
import { originOf } from "../../kernel/origin.js";
import { requireApprovedRevision } from "../../approvals/index.js";
import type { ApprovalIndex } from "../../approvals/ports.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { withHints } from "../context-update.js";
import type { PlanEngine } from "../engine/index.js";
import { LEASE_RENEW_MS } from "../limits.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { StepOutcome } from "../plan-state.js";
import type { StepExecution } from "../plan.js";
import type {
  AttemptRef,
  AwaitedApproval,
  ClaimableStep,
  ClaimResult,
  IsRevokedKey,
  PlanRef,
  SchemaJournal,
  StatementFailureReason,
  StepRef,
} from "../ports.js";
import { outdatedApprovalOf } from "./claim-refusal.js";
import { attemptBytes, type AttemptEnd } from "./attempt-end.js";
import { AttemptRunner, type AttemptRunnerParts } from "./attempt-runner.js";
import { InFlightSteps, type InFlightStep, type RunningStep } from "./in-flight-steps.js";
import { Recovery } from "./recovery.js";
import { RunningGrants } from "./running-grants.js";
import { SchemaSteps } from "./schema-steps.js";
import { POLICY_REFUSALS, StepDecisions } from "./step-decisions.js";
import { announcedCall, type AskedStep, StepGate } from "./step-gate.js";
import { StepGrants } from "./step-grants.js";
import { StoredOutputs } from "./stored-outputs.js";
import { StandingApprovals } from "./standing-approvals.js";
import type { OperatorTimeLimits } from "./time-limit.js";
import { WholePlanRequests } from "./whole-plan-requests.js";
import { callerGone, pause, retryDelayMs, stopped, untilPlanNews } from "./waiting.js";

/** Dependencies and settings of a step runner. */
export interface StepRunnerParts extends Omit<AttemptRunnerParts, "schemas">, OperatorTimeLimits {
  readonly engine: PlanEngine;
  readonly schemas: SchemaJournal;
  readonly gate: ToolCallGate;
  readonly storage: StorageGate;
  readonly isRevoked: IsRevokedKey;
  readonly policy: ExplainedStatementPolicy;
  readonly approvals: ApprovalIndex;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** How long a step may wait for its turn at its data source, in ms. */
  readonly stepWaitMs: number;
}

type Claimed = ClaimResult & { readonly kind: "claimed" };

/**
 * Runs steps to their ends: claims a step, runs its attempts, records each end, and repeats an attempt
 * that may be retried. All requests for a step that runs in this process share one result.
 */
export class StepRunner implements AsyncDisposable {
  readonly #parts: StepRunnerParts;
  readonly #engine: PlanEngine;
  readonly #owner: string;
  readonly #decisions: StepDecisions;
  readonly #grants: StepGrants;
  readonly #running: RunningGrants;
  readonly #runner: AttemptRunner;
  readonly #recovery: Recovery;
  readonly #wholePlans: WholePlanRequests;
  readonly #standingApprovals: StandingApprovals;
  readonly #outputs: StoredOutputs;
  readonly #inFlight = new InFlightSteps();
  readonly #renewal: NodeJS.Timeout;
  readonly #unwatchCancels: Unsubscribe;
  #closing = false;

  constructor(parts: StepRunnerParts) {
    const { engine, tools, log } = parts;
    this.#parts = parts;
    this.#engine = engine;
    this.#owner = parts.ids.uuid();
    this.#decisions = new StepDecisions(parts);
    const schemas = new SchemaSteps(parts.schemas, log);
    this.#runner = new AttemptRunner({ ...parts, schemas });
    this.#outputs = new StoredOutputs(parts);
    this.#wholePlans = new WholePlanRequests(parts);
    this.#standingApprovals = new StandingApprovals(parts);
    this.#grants = new StepGrants(parts, {
      decisions: this.#decisions,
      outputs: this.#outputs,
      standingApprovals: this.#standingApprovals,
    });
    this.#running = new RunningGrants(parts, this.#decisions, this.#grants);
    this.#recovery = new Recovery(engine, tools, this.#runner, log);
    this.#renewal = setInterval(() => {
      this.#renewLeases();
    }, LEASE_RENEW_MS).unref();
    this.#unwatchCancels = engine.onCancelRequested((ref) => {
      this.#inFlight.abort(ref);
    });
  }

  /** Runs a step, or waits for the attempt in progress. */
  execute(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepExecution> {
    const inFlight = this.#inFlight.find(ref);
    return inFlight === undefined
      ? this.#started(ref, ctx)
      : this.#joinedOrStarted(inFlight, ref, ctx);
  }

  /** Stops every step of a plan that runs in this process. */
  abort(plan: PlanRef): void {
    this.#inFlight.abort(plan);
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
    await this.#inFlight.drain(DRAIN_MS, (ref) => {
      this.#parts.log.warn(
        { ...ref },
        "a step outlasted the shutdown and is stopped; it can run again",
      );
    });
    this.#running[Symbol.dispose]();
  }

  /** The result of the attempt in progress, or of another one when its caller may not run the step. */
  async #joinedOrStarted(
    inFlight: InFlightStep,
    ref: StepRef,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    try {
      return await this.#shared(inFlight, ref, ctx);
    } catch (error) {
      // A policy's refusal of another caller says nothing about this one.
      const isRefused = error instanceof AppError && POLICY_REFUSALS.has(error.code);
      // Nor does the abort of a call whose step this caller was about to join.
      const isLeft = inFlight.running.isAbandoned && !ctx.signal.aborted;
      if (!isRefused && !isLeft) throw error;
    }
    await this.#grants.requireKeys(ctx);
    return this.#started(ref, ctx);
  }

  /** The result of an attempt that another caller began, if this caller may have it. */
  async #shared(
    inFlight: InFlightStep,
    ref: StepRef,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    const execution = await this.#inFlight.wait(inFlight, ctx);
    await this.#permitStored(ref, ctx);
    return execution;
  }

  /** Decides again, after a wait, whether the caller may have the output of a step. */
  async #permitStored(ref: StepRef, ctx: QueryRuntimeContext): Promise<void> {
    await this.#grants.requireKeys(ctx);
    const stored = await this.#engine.findStep(ref);
    await this.#outputs.permit(ctx, stored?.sources ?? []);
  }

  #started(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepExecution> {
    const underWay = this.#inFlight.find(ref);
    if (underWay !== undefined) return this.#shared(underWay, ref, ctx);
    // A caller that has disconnected holds no share of its organization's quota, so nothing may be
    // started for it.
    if (ctx.signal.aborted) return Promise.reject(callerGone("step"));
    const inFlight = this.#inFlight.start(ref, (started) => this.#runToEnd(ref, ctx, started));
    ctx.counts?.(inFlight.result);
    return this.#inFlight.wait(inFlight, ctx);
  }

  async #runToEnd(
    ref: StepRef,
    ctx: QueryRuntimeContext,
    inFlight: RunningStep,
  ): Promise<StepExecution> {
    let outdatedApproval: string | undefined;
    for (let hasWaited = false; ; hasWaited = true) {
      if (this.#closing || inFlight.isAbandoned) throw stopped(inFlight);
      if (hasWaited) await this.#grants.requireKeys(ctx);
      try {
        // The refusal comes before the claim, so that it stores nothing itself.
        this.#parts.storage.admit(ref.orgId, "plans", 0);
      } catch (refusal) {
        if (await this.#isPending(ref)) throw refusal;
      }
      const known = this.#parts.policy.versionFor(ctx);
      const origin = originOf(ctx, known instanceof Promise ? await known : known);
      const gate = new StepGate(this.#parts.gate);
      const asked: AskedStep = { ref, ctx, gate, signal: inFlight.signal };
      const claim = await this.#engine
        .claimStep(ref, this.#owner, {
          admit: (step) => this.#admit(step, asked),
          origin,
          outdatedApproval,
        })
        .catch((refusal: unknown) => {
          gate.release();
          throw refusal;
        });
      if (claim.kind !== "claimed") gate.release();
      switch (claim.kind) {
        case "awaiting":
          // The next claim says what it waits for.
          break;
        case "finished":
          await this.#outputs.permit(ctx, claim.sources);
          return claim.execution;
        case "refused":
          outdatedApproval = await outdatedApprovalOf(claim.refusal, this.#parts.policy, ctx);
          break;
        case "running":
          await untilPlanNews(this.#engine, ref, inFlight.signal);
          break;
        case "claimed": {
          const execution = await this.#attempt(claim, asked, inFlight);
          if (execution !== undefined) return execution;
        }
      }
    }
  }

  async #isPending({ stepId, ...ref }: StepRef): Promise<boolean> {
    const { prepared, state } = await this.#engine.loadPlan(ref);
    const index = prepared.findIndex(({ id }) => id === stepId);
    return state.steps[index]?.status === "pending";
  }

  /**
   * Decides before a claim: policies, budgets and approvals. A refusal stores nothing and is no
   * attempt. @returns the approval that the step has to wait for.
   */
  #admit(
    claimable: ClaimableStep,
    asked: AskedStep,
  ): AwaitedApproval | undefined | Promise<AwaitedApproval | undefined> {
    const { ref, ctx, gate } = asked;
    requireApprovedRevision(ctx, "step", claimable.step.revision);
    const admitted = whenKnown(this.#grants.grant(claimable, asked), (granted) => {
      asked.granted = granted;
      const call = (): AnnouncedToolCall =>
        announcedCall(ref, claimable, ctx, this.#parts.ids.uuid());
      return whenKnown(gate.admit(call), () =>
        whenKnown(
          this.#decisions.admit(granted, granted.ctx, asked),
          (awaited) => awaited && this.#withGrants(ref, awaited, ctx),
        ),
      );
    });
    if (!(admitted instanceof Promise)) return admitted;
    return admitted.catch((refusal: unknown) => {
      const { intent } = claimable.step;
      const code = refusal instanceof AppError ? refusal.code : "INTERNAL";
      this.#parts.telemetry.count("steward_step_refusals_total", { intent, code });
      throw refusal;
    });
  }

  /**
   * @returns `undefined` when another attempt follows, the step waits for an approval, or the claim
   * was lost.
   */
  async #attempt(
    claim: Claimed,
    asked: AskedStep,
    inFlight: RunningStep,
  ): Promise<StepExecution | undefined> {
    const { ref, ctx, gate } = asked;
    const attempt = { ...ref, attempt: claim.attempt };
    inFlight.attempt = attempt;
    let recorded = false;
    try {
      const still = this.#grants.stillGranted(claim, asked);
      const granted = still instanceof Promise ? await this.#orReleased(attempt, still) : still;
      using running = this.#running.begin({ claim, asked, granted }, inFlight.signal);
      const ran = await this.#runner.run(granted, gate.call, running);
      const end = this.#handedBack(running.endOf(ran), inFlight);
      const hinted = withHints(end.outcome, gate.warnings);
      const outcome =
        hinted.kind === "awaiting_approval" ? await this.#withGrants(ref, hinted, ctx) : hinted;
      const origin = originOf(ctx, end.policyVersion ?? granted.permission.grant.policyVersion);
      const finished = await this.#engine.finishStep(attempt, outcome, end.toolCall, origin);
      recorded = end.toolCall !== undefined && finished.kind !== "fenced";
      inFlight.attempt = undefined;
      this.#parts.storage.add(ref.orgId, "plans", attemptBytes(outcome));
      this.#tell(attempt, claim, ctx, outcome);
      if (outcome.kind === "released") throw end.refusal ?? stopped(inFlight);
      if (outcome.kind === "awaiting_approval") return undefined;
      if (finished.kind === "ended") {
        if (!(await running.isCurrent())) await this.#permitStored(ref, ctx);
        return finished.execution;
      }
      if (finished.kind === "pending") {
        await this.#untilRetry(attempt, claim, end.retriedAfter, inFlight.signal);
      }
      return undefined;
    } finally {
      if (!recorded) gate.release();
    }
  }

  /**
   * Looks for a standing approval that covers the statement. If there is none, it asks for the
   * approval of the whole plan too, where policies allow it.
   */
  async #withGrants(
    ref: StepRef,
    outcome: AwaitedApproval,
    ctx: QueryRuntimeContext,
  ): Promise<AwaitedApproval> {
    const standing = await this.#standingApprovals.of(ref.orgId, outcome.approval);
    if (standing !== undefined) return { ...outcome, standing };
    return { ...outcome, wholePlan: await this.#wholePlans.of(ref, outcome, ctx) };
  }

  /** Checks whether the step may run. If not, it releases the step and rethrows the reason. */
  async #orReleased<Answer>(attempt: AttemptRef, asked: Promise<Answer>): Promise<Answer> {
    try {
      return await asked;
    } catch (refusal) {
      await this.#engine.finishStep(attempt, { kind: "released" }, undefined);
      throw refusal;
    }
  }

  /** The end of an attempt, released if it was cancelled only because nobody waits for it or the server stops. */
  #handedBack(end: AttemptEnd, inFlight: RunningStep): AttemptEnd {
    const isHandedBack = this.#closing || inFlight.isAbandoned;
    const isReleased = end.outcome.kind === "cancelled" && isHandedBack;
    return isReleased ? { ...end, outcome: { kind: "released" } } : end;
  }

  /** Notifies all observers, including the data source, that an attempt has ended. */
  #tell(attempt: AttemptRef, claim: Claimed, ctx: QueryRuntimeContext, outcome: StepOutcome): void {
    const { tools, telemetry, log } = this.#parts;
    tools.target(claim.step.dataSource)?.forget(attempt);
    const labels = { intent: claim.step.intent, status: outcome.kind };
    telemetry.count("steward_step_attempts_total", labels);
    if ("durationMs" in outcome) {
      telemetry.observe("steward_step_duration_seconds", outcome.durationMs / 1000, labels);
    }
    log.debug(
      { requestId: ctx.requestId, outcome: outcome.kind, ...attempt },
      "step attempt ended",
    );
  }

  /** Waits before the next attempt of a step, and tells the operator why there is one. */
  async #untilRetry(
    attempt: AttemptRef,
    { tries, step: { intent, dataSource } }: Claimed,
    reason: StatementFailureReason = "unknown",
    signal: AbortSignal,
  ): Promise<void> {
    const { ids, telemetry, log } = this.#parts;
    const delayMs = Math.round(retryDelayMs(tries, ids.random()));
    telemetry.count("steward_step_retries_total", { intent, reason });
    log.warn({ ...attempt, dataSource, reason, delayMs }, "step attempt failed and is retried");
    await pause(delayMs, signal);
  }

  #renewLeases(): void {
    for (const attempt of this.#inFlight.attempts()) {
      this.#engine.renewLease(attempt, this.#owner).catch((error: unknown) => {
        this.#parts.log.warn({ err: error, ...attempt }, "a lease could not be renewed");
      });
    }
  }
}
