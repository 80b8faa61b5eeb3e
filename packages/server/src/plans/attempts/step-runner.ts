import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import type { Log } from "@steward/kernel/log.js";
import type { StorageGate } from "@steward/kernel/storage-gate.js";
import type { ExplainedStatementPolicy, ToolCallGate } from "../../governance/index.js";
import { originOf } from "../../kernel/origin.js";
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
  PlanRef,
  SchemaJournal,
  StatementFailureReason,
  StepRef,
} from "../ports.js";
import type { ClaimRefusal } from "../transitions.js";
import { refusalError } from "./claim-refusal.js";
import { attemptBytes, type AttemptEnd } from "./attempt-end.js";
import { AttemptRunner, type AttemptRunnerParts } from "./attempt-runner.js";
import { InFlightSteps, type InFlightStep } from "./in-flight-steps.js";
import { Recovery } from "./recovery.js";
import { retryDelayMs } from "./retry.js";
import { SchemaSteps } from "./schema-steps.js";
import { POLICY_REFUSALS, StepDecisions } from "./step-decisions.js";
import { announcedCall, type AskedStep, type GrantedStep, StepGate } from "./step-gate.js";
import { StoredOutputs } from "./stored-outputs.js";
import { StandingApprovals } from "./standing-approvals.js";
import { WholePlanRequests } from "./whole-plan-requests.js";
import { callerGone, untilPlanNews, whileCallerWaits } from "./waiting.js";

/** Dependencies and settings of a step runner. */
export interface StepRunnerParts extends Omit<AttemptRunnerParts, "schemas"> {
  readonly engine: PlanEngine;
  readonly schemas: SchemaJournal;
  readonly gate: ToolCallGate;
  readonly storage: StorageGate;
  readonly policy: ExplainedStatementPolicy;
  readonly approvals: ApprovalIndex;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Time limit of one attempt, in ms. */
  readonly stepTimeoutMs: number;
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
    this.#recovery = new Recovery(engine, tools, this.#runner, log);
    this.#renewal = setInterval(() => {
      this.#renewLeases();
    }, LEASE_RENEW_MS).unref();
    this.#unwatchCancels = engine.onCancelRequested((ref) => {
      this.#inFlight.abort(ref);
    });
  }

  /** Runs a step, or waits for the attempt in progress. */
  async execute(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepExecution> {
    return (await this.#joined(ref, ctx)) ?? (await this.#started(ref, ctx));
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
      return await this.#shared(inFlight, ref, ctx);
    } catch (error) {
      // A policy's refusal of another caller says nothing about this one.
      if (error instanceof AppError && POLICY_REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  /** The result of an attempt that another caller began, if this caller may have it. */
  async #shared(
    { result }: InFlightStep,
    ref: StepRef,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    const execution = await whileCallerWaits(result, ctx.signal);
    const stored = await this.#engine.findStep(ref);
    await this.#outputs.permit(ctx, stored?.sources ?? []);
    return execution;
  }

  #started(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepExecution> {
    const underWay = this.#inFlight.find(ref);
    if (underWay !== undefined) return this.#shared(underWay, ref, ctx);
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
      const origin = originOf(ctx, await this.#parts.policy.versionFor(ctx));
      const gate = new StepGate(this.#parts.gate);
      const asked: AskedStep = { ref, ctx, gate, signal: inFlight.signal };
      const claim = await this.#engine
        .claimStep(ref, this.#owner, {
          ...{ origin, outdatedApproval },
          admit: (step) => this.#admit(step, asked),
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
          outdatedApproval = await this.#orOutdated(claim.refusal, ctx);
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

  /**
   * Refuses a step that would run while its organization has used up its quota of bytes. The refusal
   * comes before the claim, so that it stores nothing itself.
   */
  async #requireSpace({ stepId, ...ref }: StepRef): Promise<void> {
    try {
      this.#parts.storage.admit(ref.orgId, 0);
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
      const version = await this.#parts.policy.versionFor(ctx);
      if (version !== approval.policyVersion) return approval.approvalId;
    }
    throw refusalError(refusal);
  }

  /**
   * Decides before a claim: policies, budgets and approvals. A refusal stores nothing and is no
   * attempt. @returns the approval that the step has to wait for.
   */
  async #admit(claimable: ClaimableStep, asked: AskedStep): Promise<AwaitedApproval | undefined> {
    const { ref, ctx, gate, signal } = asked;
    const { step } = claimable;
    try {
      const granted = await this.#granted(claimable, asked);
      asked.granted = granted;
      await gate.admit(() => announcedCall(ref, claimable, ctx, this.#parts.ids.uuid()));
      const awaited = await this.#decisions.admit(granted, ctx, signal);
      return awaited && (await this.#withGrants(ref, awaited, ctx));
    } catch (refusal) {
      const code = refusal instanceof AppError ? refusal.code : "INTERNAL";
      this.#parts.telemetry.count("steward_step_refusals_total", { intent: step.intent, code });
      throw refusal;
    }
  }

  /** A step with the decision on what its text names. @throws AppError `POLICY_DENIED`. */
  async #granted(
    { boundSources: sources, ...claimable }: ClaimableStep,
    { ref, ctx }: AskedStep,
  ): Promise<GrantedStep> {
    const { clock, stepTimeoutMs, stepWaitMs } = this.#parts;
    const permission = await this.#decisions.permit(claimable.step, ctx);
    const boundSources = await this.#outputs.permit(ctx, sources);
    const approval = await this.#standingApprovals.unlessRevoked(ref.orgId, claimable.approval);
    const leftMs = Math.max(claimable.deadlineMs - clock.nowMs(), 1);
    return {
      ...claimable,
      ...permission,
      ...{ approval, boundSources },
      ref: { ...ref, attempt: claimable.attempt },
      waitMs: Math.min(stepWaitMs, leftMs),
      timeoutMs: Math.min(stepTimeoutMs, leftMs),
    };
  }

  /** Decides again when policies, or an approval that stands, may have changed since the question. */
  async #stillGranted(claim: Claimed, asked: AskedStep): Promise<GrantedStep> {
    const { granted, ctx } = asked;
    const version = await this.#parts.policy.versionFor(ctx);
    const isSame = granted?.policyVersion === version && claim.approval === granted.approval;
    return isSame && claim.approval?.underStanding !== true ? granted : this.#granted(claim, asked);
  }

  /**
   * @returns `undefined` when another attempt follows, the step waits for an approval, or the claim
   * was lost.
   */
  async #attempt(
    claim: Claimed,
    asked: AskedStep,
    inFlight: InFlightStep,
  ): Promise<StepExecution | undefined> {
    const { ref, ctx, gate } = asked;
    const attempt = { ...ref, attempt: claim.attempt };
    inFlight.attempt = attempt;
    let recorded = false;
    try {
      const granted = await this.#orReleased(attempt, () => this.#stillGranted(claim, asked));
      const end = await this.#run(granted, asked, inFlight);
      const outcome = await this.#withGrants(ref, withHints(end.outcome, gate.warnings), ctx);
      const origin = originOf(ctx, end.policyVersion ?? granted.policyVersion);
      const finished = await this.#engine.finishStep(attempt, outcome, end.toolCall, origin);
      recorded = end.toolCall !== undefined && finished.kind !== "fenced";
      inFlight.attempt = undefined;
      this.#parts.storage.add(ref.orgId, attemptBytes(outcome));
      this.#tell(attempt, claim, ctx, outcome);
      if (outcome.kind === "released") throw end.refusal ?? shuttingDown();
      // The next claim says what it waits for.
      if (outcome.kind === "awaiting_approval") return undefined;
      if (finished.kind === "ended") return finished.execution;
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
  async #withGrants<Outcome extends StepOutcome>(
    ref: StepRef,
    outcome: Outcome,
    ctx: QueryRuntimeContext,
  ): Promise<Outcome> {
    if (outcome.kind !== "awaiting_approval") return outcome;
    const standing = await this.#standingApprovals.of(ref.orgId, outcome.approval);
    if (standing !== undefined) return { ...outcome, standing };
    return { ...outcome, wholePlan: await this.#wholePlans.of(ref, outcome, ctx) };
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
    granted: GrantedStep,
    { ctx, gate }: AskedStep,
    { signal }: InFlightStep,
  ): Promise<AttemptEnd> {
    const { eventId, sessionId } = gate.call;
    const end = await this.#runner.run({ ...granted, eventId, sessionId }, ctx, signal);
    const handedBack = end.outcome.kind === "cancelled" && this.#closing;
    return handedBack ? { ...end, outcome: { kind: "released" } } : end;
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
      { ...attempt, requestId: ctx.requestId, outcome: outcome.kind },
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

/** Waits; an abort ends the wait early without an error. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

function shuttingDown(): AppError {
  return new AppError("STORE_UNAVAILABLE", "The server is shutting down; send the request again", {
    retryAfterMs: 1000,
  });
}
