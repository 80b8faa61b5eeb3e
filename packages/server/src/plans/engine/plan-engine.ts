import { assert } from "@steward/kernel/assert.js";
import type { Timers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { Origin } from "../../kernel/origin.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { isReadIntent } from "../../governance/index.js";
import type { WantedDecision } from "../../approvals/index.js";
import { executionOf, newPlanRecord, outputOf, planRecordOf } from "../execution.js";
import type { PageRequest, PlanFilter, PlanPage } from "../orchestrator.js";
import type { PlanEvent } from "../plan-events.js";
import {
  isOver,
  type PlanState,
  type StepContext,
  type StepOutcome,
  type StepState,
} from "../plan-state.js";
import type { PlanRecord, PlanRevised } from "../plan.js";
import type {
  AbandonedStep,
  AttemptRef,
  ClaimResult,
  FinishResult,
  NewPlan,
  PlanRef,
  StepRef,
} from "../ports.js";
import {
  cancelPlan,
  claimStep,
  createPlan,
  decideApproval,
  finishStep,
  retryPlan,
  revisePlan,
  type PlanRevision,
} from "../transitions.js";
import { Claims, type Claim } from "./claims.js";
import { OpenPlan } from "./open-plan.js";
import { OpenPlans } from "./open-plans.js";
import { Ownership } from "./ownership.js";
import {
  PlanConflict,
  type AttemptEnd,
  type EarlierRequest,
  type EngineNode,
  type LoadedPlan,
  type PlanHandover,
  type PlanLog,
  type PlanReads,
} from "./plan-log.js";
import { planNotFound } from "./refusals.js";
import {
  outputsFor,
  storedExecution,
  takenResults,
  storedStep,
  type StoredStep,
} from "./step-results.js";
import { Sweeps } from "./sweeps.js";
import { Wakes } from "./wakes.js";

/** How an attempt ended, and who asked for it. */
interface FinishedAttempt {
  readonly outcome: StepOutcome;
  readonly toolCall: ToolCallRecord | undefined;
  readonly origin: Origin | undefined;
}

/** Dependencies of the engine. */
export interface PlanEngineParts {
  readonly log: PlanLog;
  readonly reads: PlanReads;
  readonly node: EngineNode;
  readonly handover: PlanHandover;
  readonly timers: Timers;
}

/**
 * Plans on a durable log. Every method is one transition: it reads the plan, lets the pure
 * functions of `transitions.ts` decide, and resolves when the decision is durable.
 *
 * A node that owns a plan decides on its copy in memory and keeps a read's claim in memory too, so
 * that a read step costs only one append. A plan without an owner is read from the log for each
 * decision, and every claim is durable before its step runs. In both cases an entry is appended
 * only if its sequence number is free: a node that loses a race reads the plan again and repeats
 * its decision.
 *
 * The origin of a transition, who asked for it, is stored with its events; it is absent when the
 * service itself decides.
 *
 * Errors of every method: `PLAN_NOT_FOUND` for unknown plans and those of other organizations,
 * `STORE_UNAVAILABLE` when the log cannot be reached.
 */
export class PlanEngine implements AsyncDisposable {
  readonly #log: PlanLog;
  readonly #reads: PlanReads;
  readonly #node: EngineNode;
  readonly #plans: OpenPlans;
  readonly #ownership: Ownership;
  readonly #claims: Claims;
  readonly #sweeps: Sweeps;
  readonly #wakes = new Wakes();
  readonly #cancelListeners = new Set<(ref: PlanRef) => void>();
  readonly #handover: PlanHandover;
  readonly #stopListening: Unsubscribe;

  constructor(parts: PlanEngineParts) {
    const { log, reads, node, handover, timers } = parts;
    this.#claims = new Claims(timers);
    this.#log = log;
    this.#reads = reads;
    this.#node = node;
    this.#handover = handover;
    this.#plans = new OpenPlans(parts);
    this.#sweeps = new Sweeps(node, this.#plans, this.#claims);
    this.#ownership = new Ownership({
      node,
      handover,
      timers,
      plans: this.#plans,
      write: (plan) => this.#tryWrite(plan),
      changed: (ref) => {
        this.#changed(ref);
      },
      onPlanEvents: (planId, wake) => this.onPlanEvents(planId, wake),
    });
    this.#stopListening = handover.listen({
      changed: (ref) => {
        this.#wakes.wake(ref.planId);
        void this.#lookForCancels((running) => running.planId === ref.planId);
      },
      requested: (ref) => {
        this.#ownership.release(ref).catch(() => undefined);
      },
      missed: () => {
        this.#wakes.wakeAll();
      },
    });
    node.onBeat(() => {
      void this.#lookForCancels(() => true);
      this.#ownership.releaseRequested().catch(() => undefined);
    });
  }

  /**
   * @returns the plan; for an idempotency key that was used before with the same request, the first
   * plan.
   * @throws AppError `IDEMPOTENCY_CONFLICT` when the key was used for another request.
   */
  async createPlan(plan: NewPlan): Promise<PlanRecord> {
    const { events, ...state } = createPlan({ ...plan.ref, ...plan }, plan.steps);
    const { nodeId, hasLease } = this.#node;
    const owner = hasLease ? nodeId : undefined;
    const earlier = await this.#log.create(plan, state, events, owner);
    if (earlier !== undefined) return this.#sameRequest(plan, earlier);
    const loaded = { state, prepared: plan.steps, results: takenResults(plan), owner };
    this.#plans.add(new OpenPlan(this.#log, plan.ref, loaded));
    return newPlanRecord(plan, state);
  }

  /**
   * The plan that the same request created before under its idempotency key; `undefined` when none
   * did, or when another request used the key.
   */
  async earlierPlan(
    orgId: string,
    request: NonNullable<NewPlan["idempotency"]>,
  ): Promise<PlanRecord | undefined> {
    const earlier = await this.#reads.earlierRequest(orgId, request.key);
    if (earlier?.requestHash !== request.requestHash) return undefined;
    return this.findPlan({ orgId, planId: earlier.planId });
  }

  /** The committed plan; `undefined` when unknown. */
  async findPlan(ref: PlanRef): Promise<PlanRecord | undefined> {
    const loaded = await this.#log.load(ref);
    return loaded && planRecordOf(loaded);
  }

  /** A committed step; `undefined` when the plan or the step is unknown. */
  async findStep(ref: StepRef): Promise<StoredStep | undefined> {
    const loaded = await this.#log.load(ref);
    return loaded && storedStep(this.#log, ref, loaded);
  }

  /** Newest first. */
  listPlans(orgId: string, filter: PlanFilter, page: PageRequest): Promise<PlanPage> {
    return this.#reads.list(orgId, filter, page);
  }

  /** @throws AppError `CURSOR_OUT_OF_RANGE` when the cursor is beyond the log. */
  readEvents(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]> {
    return this.#reads.events(ref, afterSequence, limit);
  }

  /**
   * Claims a step for `owner` and increments its attempt number. The claim of a write is durable
   * when this resolves. The claim of a read may stay in memory for a while, because running a read
   * twice is harmless; a claim that uses an approval is always durable.
   * @param outdatedApproval see {@link claimStep}.
   */
  async claimStep(
    ref: StepRef,
    owner: string,
    origin?: Origin,
    outdatedApproval?: string,
  ): Promise<ClaimResult> {
    for (;;) {
      const access = await this.#plans.current(ref);
      if (access.kind === "owned elsewhere") {
        await this.#handover.request(access.nodeId, ref);
        return { kind: "running" };
      }
      const { plan } = access;
      const prepared = plan.step(ref.stepId);
      // An end is never reported before it is durable. From here to the decision nothing else may
      // happen.
      const ending = plan.ends.of([ref.stepId, ...(prepared?.dependsOn ?? [])]);
      if (ending !== undefined) {
        await ending;
        continue;
      }
      if (plan.broken) continue;
      const nowMs = this.#node.nowMs();
      const decision = claimStep(plan.state, ref.stepId, owner, nowMs, outdatedApproval);
      if (decision.kind === "running" || decision.kind === "refused") return decision;
      if (decision.kind === "finished") {
        return {
          kind: "finished",
          execution: await storedExecution(this.#log, plan, decision.step),
        };
      }
      assert(prepared !== undefined, "a step that was claimed is a step of the plan");
      const attempt = { ...ref, attempt: decision.step.attempt };
      const { approval } = decision.step;
      const isApproved = approval?.usedBy === attempt.attempt;
      const isInMemory = !isApproved && isReadIntent(prepared.intent) && this.#plans.isOwned(plan);
      if (!isInMemory) this.#ownIfUndisputed(plan);
      plan.change(decision.change, origin);
      if (isInMemory) this.#claimInMemory(plan, attempt, owner);
      else if (!(await this.#tryClaim(plan, attempt, owner))) continue;
      return {
        kind: "claimed",
        attempt: attempt.attempt,
        step: prepared,
        sessionId: plan.sessionId,
        deadlineMs: plan.state.deadlineMs,
        outputs: await outputsFor(this.#log, plan, prepared),
        approval: isApproved ? approval : undefined,
      };
    }
  }

  /** Extends the lease of a claim. @returns false when the claim was lost. */
  async renewLease(attempt: AttemptRef, owner: string): Promise<boolean> {
    const claim = this.#claims.find(attempt);
    if (claim?.owner !== owner || claim.attempt.attempt !== attempt.attempt) return false;
    const access = await this.#plans.current(attempt);
    const step = access.kind === "open" ? access.plan.step(attempt.stepId) : undefined;
    return step !== undefined && this.#log.renewLease(attempt, step.index, owner);
  }

  /**
   * Ends an attempt, with its tool call. Ending an attempt that is not the running one changes
   * nothing.
   */
  async finishStep(
    attempt: AttemptRef,
    outcome: StepOutcome,
    toolCall: ToolCallRecord | undefined,
    origin?: Origin,
  ): Promise<FinishResult> {
    const found = this.#claims.find(attempt);
    const claim = found?.attempt.attempt === attempt.attempt ? found : undefined;
    try {
      const result = await this.#finish(attempt, claim, { outcome, toolCall, origin });
      this.#claims.markSettled(attempt);
      return result;
    } catch (error) {
      // It is unknown whether the end was written; the attempt is settled as soon as the log can be
      // reached.
      this.#claims.markUnsettled(attempt);
      throw error;
    } finally {
      if (claim !== undefined) this.#claims.remove(attempt);
    }
  }

  /**
   * Forbids new claims, and ends the plan at once when nothing runs. Repeating the call is
   * harmless.
   * @returns the plan's state after the call.
   * @throws AppError `PLAN_NOT_ACTIVE` when it has completed or failed.
   */
  async cancelPlan(ref: PlanRef, reason: string, origin?: Origin): Promise<PlanState> {
    for (;;) {
      const plan = await this.#ownership.acquired(ref);
      const change = cancelPlan(plan.state, reason, this.#node.nowMs());
      if (change === undefined) {
        await plan.settled();
        if (plan.broken) continue;
        return plan.state;
      }
      if ("refused" in change) throw new AppError("PLAN_NOT_ACTIVE", change.refused);
      plan.change(change, origin);
      if (await this.#tryWrite(plan)) return plan.state;
    }
  }

  /**
   * @param deadlineMs the plan's new deadline, ms since the epoch.
   * @throws AppError `PLAN_NOT_ACTIVE` unless the plan has failed.
   */
  async retryPlan(ref: PlanRef, deadlineMs: number, origin?: Origin): Promise<PlanRecord> {
    for (;;) {
      const plan = await this.#ownership.acquired(ref);
      const change = retryPlan(plan.state, this.#node.nowMs(), deadlineMs);
      if ("refused" in change) {
        const code = change.limit === true ? "LIMIT_EXCEEDED" : "PLAN_NOT_ACTIVE";
        throw new AppError(code, change.refused);
      }
      plan.change(change, origin);
      if (!(await this.#tryWrite(plan))) continue;
      const record = await this.findPlan(ref);
      assert(record !== undefined, "a plan that was committed can be read");
      return record;
    }
  }

  /**
   * The committed state of a plan, and the prepared definitions of its steps.
   * @throws AppError `PLAN_NOT_FOUND`.
   */
  async loadPlan(ref: PlanRef): Promise<LoadedPlan> {
    const loaded = await this.#log.load(ref);
    if (loaded === undefined) throw planNotFound(ref);
    return loaded;
  }

  /**
   * Appends or revises steps. Repeating a request under its idempotency key changes nothing.
   * @throws AppError with the code of the refusal; `REVISION_CONFLICT` when the plan's steps have changed since
   *   these were checked.
   */
  async revisePlan(ref: PlanRef, revision: PlanRevision, origin?: Origin): Promise<PlanRevised> {
    const { planId } = ref;
    for (;;) {
      const plan = await this.#ownership.acquired(ref);
      const decision = revisePlan(plan.state, revision, this.#node.nowMs());
      if (decision.kind === "refused") throw new AppError(decision.code, decision.message);
      if (decision.kind === "repeated") {
        await plan.settled();
        if (plan.broken) continue;
        return { planId, status: plan.state.status, revision: decision.revision };
      }
      plan.change(decision.change, origin);
      if (!(await this.#tryWrite(plan))) continue;
      const { status, revision: made } = decision.change.plan;
      return { planId, status, revision: made };
    }
  }

  /**
   * Records a person's decision about an approval. Repeating it changes nothing.
   * @throws AppError with the code of the refusal.
   */
  async decideApproval(
    ref: PlanRef,
    approvalId: string,
    wanted: WantedDecision,
    origin?: Origin,
  ): Promise<void> {
    for (;;) {
      const plan = await this.#ownership.acquired(ref);
      const decision = decideApproval(plan.state, approvalId, wanted, this.#node.nowMs());
      if (decision.kind === "refused") throw new AppError(decision.code, decision.message);
      if (decision.kind === "repeated") {
        await plan.settled();
        if (plan.broken) continue;
        return;
      }
      const { change, step, context } = decision;
      plan.change(change, origin);
      const end = context && attemptEnd(plan, step, context, undefined);
      if (await this.#tryWrite(plan, end)) return;
    }
  }

  /** Registers `wake`, which is called after each commit that added events to the plan. */
  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    return this.#wakes.on(planId, wake);
  }

  /**
   * Registers `listener`, which is called when another node requests the cancel of a plan whose
   * steps run here. The steps must then stop. It may be called more than once.
   */
  onCancelRequested(listener: (ref: PlanRef) => void): Unsubscribe {
    this.#cancelListeners.add(listener);
    return () => this.#cancelListeners.delete(listener);
  }

  /**
   * Fails the plans whose deadline has passed, ends approvals whose time has passed, and finds
   * running steps whose owner is dead.
   * @returns those steps, oldest first, at most `limit` of other nodes.
   */
  async sweep(limit: number): Promise<readonly AbandonedStep[]> {
    const { abandoned, overdue, expired } = await this.#reads.findDue(limit);
    for (const ref of overdue) {
      const plan = await this.#sweeps.overdue(ref);
      if (plan !== undefined) await this.#tryWrite(plan);
    }
    for (const ref of expired) {
      const plan = await this.#sweeps.withExpiredApprovals(ref);
      if (plan !== undefined) await this.#tryWrite(plan);
    }
    return [...(await this.#sweeps.unsettledSteps()), ...abandoned];
  }

  /**
   * Waits for pending writes. A claim that is only in memory ends with the process, which frees its
   * step.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    this.#claims.clear();
    await Promise.all([...this.#plans.all()].map((plan) => plan.settled()));
  }

  async #finish(
    attempt: AttemptRef,
    claim: Claim | undefined,
    { outcome, toolCall, origin }: FinishedAttempt,
  ): Promise<FinishResult> {
    for (;;) {
      const plan = await this.#ownership.acquired(attempt);
      const running = plan.state.steps.find((step) => step.stepId === attempt.stepId);
      const change =
        claim === undefined || running?.owner === claim.owner
          ? finishStep(plan.state, attempt.stepId, attempt.attempt, outcome, this.#node.nowMs())
          : undefined;
      if (change === undefined) {
        claim?.settle();
        // The marker of the attempt may be deleted after this, so the end must be durable first.
        await plan.settled();
        if (plan.broken) continue;
        return { kind: "fenced" };
      }
      plan.change(change, origin);
      const step = change.steps.find((candidate) => candidate.stepId === attempt.stepId);
      assert(step !== undefined, "ending an attempt changes its step");
      const context = "context" in outcome ? outcome.context : undefined;
      const written = this.#tryWrite(plan, attemptEnd(plan, step, context, toolCall));
      claim?.settle();
      if (!(await written)) continue;
      if (context !== undefined) plan.outputs.keep(step.stepId, outputOf(context));
      const execution = executionOf(attempt.planId, step, context, plan.step(step.stepId));
      return execution === undefined
        ? { kind: "pending" }
        : { kind: "ended", execution: { ...execution, replayed: false } };
    }
  }

  /**
   * Keeps the claim of a read in memory, and announces to the log that its end will follow soon.
   */
  #claimInMemory(plan: OpenPlan, attempt: AttemptRef, owner: string): void {
    this.#claims.add(attempt, owner, {
      write: () => this.#tryWrite(plan),
      done: this.#log.announce(),
    });
  }

  /** Writes a claim. @returns false when another node was faster. */
  async #tryClaim(plan: OpenPlan, attempt: AttemptRef, owner: string): Promise<boolean> {
    this.#claims.add(attempt, owner);
    let isWritten = false;
    try {
      isWritten = await this.#tryWrite(plan);
    } catch (error) {
      this.#claims.markUnsettled(attempt);
      throw error;
    } finally {
      if (!isWritten) this.#claims.remove(attempt);
    }
    return isWritten;
  }

  /**
   * This node becomes the owner of a plan without an owner if no other node has changed the plan
   * since.
   */
  #ownIfUndisputed(plan: OpenPlan): void {
    const { hasLease, nodeId } = this.#node;
    if (plan.owner !== undefined || !hasLease || this.#plans.isReleasing(plan.ref)) return;
    if (plan.isLatestWriter) plan.own(nodeId);
  }

  /**
   * Writes the changes. @returns false when another node was faster; the caller reloads the plan
   * and decides again.
   */
  async #tryWrite(plan: OpenPlan, end?: AttemptEnd): Promise<boolean> {
    try {
      await plan.write(end);
    } catch (error) {
      if (error instanceof PlanConflict) return false;
      throw error;
    }
    this.#changed(plan.ref);
    if (isOver(plan.state) && plan.idle) this.#plans.close(plan);
    return true;
  }

  #changed(ref: PlanRef): void {
    this.#wakes.wake(ref.planId);
    this.#handover.announceChange(ref);
  }

  async #sameRequest(plan: NewPlan, earlier: EarlierRequest): Promise<PlanRecord> {
    if (earlier.requestHash !== plan.idempotency?.requestHash) {
      throw new AppError(
        "IDEMPOTENCY_CONFLICT",
        `The idempotency-key was used for another request, which created plan ${earlier.planId}`,
      );
    }
    const record = await this.findPlan({ orgId: plan.ref.orgId, planId: earlier.planId });
    // A key is deleted together with its plan.
    return record ?? this.createPlan(plan);
  }

  /** Tells the listeners which plans with steps running here are to be cancelled. */
  async #lookForCancels(isMeant: (running: AttemptRef) => boolean): Promise<void> {
    const refs = new Map(
      this.#claims
        .running()
        .filter(isMeant)
        .map((each) => [each.planId, each]),
    );
    for (const ref of refs.values()) {
      try {
        const access = await this.#plans.current(ref);
        const isCancelled = access.kind === "open" && access.plan.state.cancelReason !== undefined;
        if (isCancelled) for (const listener of this.#cancelListeners) listener(access.plan.ref);
      } catch {
        // The next heartbeat tries again.
      }
    }
  }
}

function attemptEnd(
  plan: OpenPlan,
  { stepId }: StepState,
  context: StepContext | undefined,
  toolCall: ToolCallRecord | undefined,
): AttemptEnd {
  const step = plan.step(stepId);
  assert(step !== undefined, "an attempt is of a step of its plan");
  return { step, context, toolCall };
}
