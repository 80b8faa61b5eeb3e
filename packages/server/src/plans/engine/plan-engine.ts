import { assert } from "@steward/kernel/assert.js";
import type { PartyNames } from "@steward/kernel/caller.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { Timers } from "@steward/kernel/concurrency/timers.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { Origin } from "../../kernel/origin.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { WantedDecision } from "../../approvals/index.js";
import { newPlanRecord, planRecordOf } from "../execution.js";
import type { PageRequest, PlanPage, StoredPlanFilter } from "../orchestrator.js";
import type { PlanEvent } from "../plan-events.js";
import type { PlanChange, PlanState, StepOutcome } from "../plan-state.js";
import type { PlanRecord, PlanRevised } from "../plan.js";
import type {
  AbandonedStep,
  AttemptRef,
  ClaimRequest,
  ClaimResult,
  FinishResult,
  NewPlan,
  PlanRef,
  StepRef,
} from "../ports.js";
import {
  cancelPlan,
  createPlan,
  decideApproval,
  finishPlan,
  retryPlan,
  revisePlan,
  type PlanRevision,
} from "../transitions.js";
import { CancelRequests } from "./cancel-requests.js";
import { Claims } from "./claims.js";
import { OpenPlan } from "./open-plan.js";
import { OpenPlans } from "./open-plans.js";
import { Ownership } from "./ownership.js";
import {
  type DueStep,
  type EarlierRequest,
  type EngineNode,
  type LoadedPlan,
  type PlanHandover,
  type PlanLog,
  type PlanReads,
} from "./plan-log.js";
import { attemptEnd, PlanWriter } from "./plan-writer.js";
import { planNotFound } from "./refusals.js";
import { PlanSources, storedStep, takenResults } from "./step-results.js";
import type { StoredStep } from "./step-results.js";
import { StepTransitions } from "./step-transitions.js";
import { Sweeps } from "./sweeps.js";

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
  readonly #writer: PlanWriter;
  readonly #steps: StepTransitions;
  readonly #cancels: CancelRequests;
  readonly #stopListening: Unsubscribe;

  constructor(parts: PlanEngineParts) {
    const { log, reads, node, handover, timers } = parts;
    this.#claims = new Claims(timers);
    this.#log = log;
    this.#reads = reads;
    this.#node = node;
    this.#plans = new OpenPlans(parts);
    this.#writer = new PlanWriter(this.#plans, handover);
    this.#sweeps = new Sweeps(node, this.#plans, this.#claims);
    this.#ownership = new Ownership({
      node,
      handover,
      timers,
      plans: this.#plans,
      writer: this.#writer,
    });
    this.#steps = new StepTransitions({
      ...{ log, node, handover },
      ...{ plans: this.#plans, ownership: this.#ownership, claims: this.#claims },
      writer: this.#writer,
    });
    this.#cancels = new CancelRequests(this.#plans, this.#claims);
    this.#stopListening = handover.listen({
      changed: (ref) => {
        this.#writer.wake(ref);
        void this.#cancels.notify((running) => running.planId === ref.planId);
      },
      requested: (ref) => {
        this.#ownership.release(ref).catch(() => undefined);
      },
      missed: () => {
        this.#writer.wakeAll();
      },
    });
    node.onBeat(() => {
      void this.#cancels.notify(() => true);
      this.#ownership.releaseRequested().catch(() => undefined);
    });
  }

  /**
   * @returns the plan; for an idempotency key that was used before with the same request, the first
   * plan.
   * @throws AppError `IDEMPOTENCY_CONFLICT` when the key was used for another request.
   */
  async createPlan(plan: NewPlan): Promise<PlanRecord> {
    const { orgId, planId } = plan.ref;
    const { events, ...state } = createPlan({ orgId, planId, ...plan }, plan.steps);
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

  /** See {@link PlanReads.submitterOf}. */
  submitterOf(ref: PlanRef): Promise<PartyNames | undefined> {
    return this.#reads.submitterOf(ref);
  }

  /** Newest first. */
  listPlans(orgId: string, filter: StoredPlanFilter, page: PageRequest): Promise<PlanPage> {
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
   */
  claimStep(ref: StepRef, owner: string, request: ClaimRequest = {}): Promise<ClaimResult> {
    return this.#steps.claimStep(ref, owner, request);
  }

  /** Extends the lease of a claim. @returns false when the claim was lost. */
  renewLease(attempt: AttemptRef, owner: string): Promise<boolean> {
    return this.#steps.renewLease(attempt, owner);
  }

  /**
   * Ends an attempt, with its tool call. Ending an attempt that is not the running one changes
   * nothing.
   */
  finishStep(
    attempt: AttemptRef,
    outcome: StepOutcome,
    toolCall: ToolCallRecord | undefined,
    origin?: Origin,
  ): Promise<FinishResult> {
    return this.#steps.finishStep(attempt, outcome, toolCall, origin);
  }

  /**
   * Forbids new claims, and ends the plan at once when nothing runs. Repeating the call is
   * harmless.
   * @returns the plan's state after the call.
   * @throws AppError `PLAN_NOT_ACTIVE` when it has completed or failed.
   */
  cancelPlan(ref: PlanRef, reason: string, origin?: Origin): Promise<PlanState> {
    return this.#changed(ref, (state) => cancelPlan(state, reason, this.#node.nowMs()), origin);
  }

  /**
   * Completes a plan that stays open. Repeating the call changes nothing.
   * @throws AppError `PLAN_NOT_ACTIVE` unless all of its steps have completed.
   */
  async finishPlan(ref: PlanRef, origin?: Origin): Promise<void> {
    await this.#changed(ref, (state) => finishPlan(state, this.#node.nowMs()), origin);
  }

  /**
   * @param deadlineMs the plan's new deadline, ms since the epoch.
   * @throws AppError `PLAN_NOT_ACTIVE` unless the plan has failed.
   */
  async retryPlan(ref: PlanRef, deadlineMs: number, origin?: Origin): Promise<PlanRecord> {
    await this.#changed(ref, (state) => retryPlan(state, this.#node.nowMs(), deadlineMs), origin);
    const record = await this.findPlan(ref);
    assert(record !== undefined, "a plan that was committed can be read");
    return record;
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

  /** Where the values in the stored outputs of a plan's steps come from. */
  sourcesIn(loaded: LoadedPlan): PlanSources {
    return new PlanSources(this.#log, loaded);
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
      if (!(await this.#writer.tryWrite(plan))) continue;
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
      if (await this.#writer.tryWrite(plan, end)) return;
    }
  }

  /** Registers `wake`, which is called after each commit that added events to the plan. */
  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    return this.#writer.onPlanEvents(planId, wake);
  }

  /**
   * Registers `listener`, which is called when another node requests the cancel of a plan whose
   * steps run here. The steps must then stop. It may be called more than once.
   */
  onCancelRequested(listener: (ref: PlanRef) => void): Unsubscribe {
    return this.#cancels.on(listener);
  }

  /**
   * Ends the plans whose deadline has passed, ends approvals whose time has passed, and settles
   * running steps whose owner is dead, at most `limit` of each. A plan or step that fails, such as
   * one that cannot be read, is set aside, and the others go on.
   */
  async sweep(
    limit: number,
    setAside: SetAside,
    settle: (step: AbandonedStep) => Promise<void>,
  ): Promise<void> {
    const due = await this.#reads.findDue(limit, setAside.waiting());
    const idOf = ({ planId }: PlanRef): string => planId;
    await setAside.each(due.overdue, idOf, async (ref) => {
      const plan = await this.#sweeps.overdue(ref);
      if (plan !== undefined) await this.#writer.tryWrite(plan);
    });
    await setAside.each(due.expired, idOf, async (ref) => {
      const plan = await this.#sweeps.withExpiredApprovals(ref);
      if (plan !== undefined) await this.#writer.tryWrite(plan);
    });
    const ofStep = ({ planId, stepId }: StepRef): string => `${planId}/${stepId}`;
    await setAside.each(this.#claims.unsettled(), ofStep, async (attempt) => {
      const step = await this.#sweeps.unsettledStep(attempt);
      if (step !== undefined) await settle(step);
    });
    const byKey = ({ key }: DueStep): string => key;
    await setAside.each(due.abandoned, byKey, async (step) => settle(step.read()));
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

  /**
   * Makes a transition durable. @param decide `undefined`: the plan is already as wanted.
   * @returns the plan's state after the call.
   */
  async #changed(
    ref: PlanRef,
    decide: (
      state: PlanState,
    ) => PlanChange | { readonly refused: string; readonly limit?: true } | undefined,
    origin: Origin | undefined,
  ): Promise<PlanState> {
    for (;;) {
      const plan = await this.#ownership.acquired(ref);
      const change = decide(plan.state);
      if (change === undefined) {
        await plan.settled();
        if (plan.broken) continue;
        return plan.state;
      }
      if ("refused" in change) {
        const code = change.limit === true ? "LIMIT_EXCEEDED" : "PLAN_NOT_ACTIVE";
        throw new AppError(code, change.refused);
      }
      plan.change(change, origin);
      if (await this.#writer.tryWrite(plan)) return plan.state;
    }
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
}
