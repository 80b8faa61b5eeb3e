import { EventEmitter } from "node:events";
import { assert } from "../../kernel/assert.js";
import type { Clock } from "../../kernel/clock.js";
import { AppError } from "../../kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import { LEASE_MS } from "../../kernel/limits.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { isReadIntent } from "../../governance/index.js";
import type {
  PageRequest,
  PlanEvent,
  PlanFilter,
  PlanPage,
  PlanRecord,
  PreparedStep,
  StepExecution,
} from "../../plans/index.js";
import type {
  AbandonedStep,
  AttemptRef,
  ClaimResult,
  FinishResult,
  NewPlan,
  PlanRef,
  PlanStore,
  StepOutput,
  StepRef,
} from "../../plans/ports.js";
import { executionOf, newPlanRecord, outputOf } from "../../plans/execution.js";
import {
  cancelPlan,
  claimStep,
  createPlan,
  expirePlan,
  finishStep,
  retryPlan,
  type PlanState,
  type StepOutcome,
  type StepState,
} from "../../plans/transitions.js";
import type { CommitWriter } from "./commit-writer.js";
import { WriteConflict } from "./commit-writer.js";
import type { Write } from "./commit-protocol.js";
import { OpenPlan } from "./open-plan.js";
import { planNotFound, type PlanQueries } from "./plan-queries.js";
import { read } from "./connection.js";
import { writeEvent, writeLease, writeNewPlan, writeToolCall } from "./plan-writes.js";

/** Plans kept open at once; idle ones make room first. */
const OPEN_PLANS_MAX = 2000;
/** How long the claim of a read stays in memory before it is written, in ms. */
const CLAIM_WRITTEN_AFTER_MS = 50;
/** Plans failed for their deadline in one sweep. */
const OVERDUE_PLANS_MAX = 100;

/**
 * Plans in SQLite. One process owns the store, so it decides on its own copy of each open plan and
 * writes behind the decision; what it answers is durable all the same, because every method waits
 * for its commit. A read claimed here and finished soon costs one commit in all (Decision §3).
 */
export class SqlitePlanStore implements PlanStore {
  readonly #writer: CommitWriter;
  readonly #queries: PlanQueries;
  readonly #clock: Clock;
  readonly #onToolCall: () => void;
  readonly #open = new Map<string, OpenPlan>();
  readonly #wakes = new EventEmitter().setMaxListeners(0);
  /** What is to be done when an attempt claimed in memory ends, or its claim is written. */
  readonly #claimedInMemory = new Map<string, () => void>();

  /** @param onToolCall called after each commit that recorded a tool call. */
  constructor(writer: CommitWriter, queries: PlanQueries, clock: Clock, onToolCall: () => void) {
    this.#writer = writer;
    this.#queries = queries;
    this.#clock = clock;
    this.#onToolCall = onToolCall;
  }

  async createPlan(plan: NewPlan): Promise<PlanRecord> {
    const earlier = this.#sameRequest(plan);
    if (earlier !== undefined) return earlier;
    const { events, ...state } = createPlan(
      { ...plan.ref, ...plan, createdAtMs: plan.createdAtMs },
      plan.steps,
    );
    const unit = [
      ...writeNewPlan(plan, state),
      ...events.map((event) => writeEvent(plan.ref, event)),
    ];
    try {
      await this.#writer.commit(unit);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      const winner = this.#sameRequest(plan);
      assert(winner !== undefined, "only an idempotency key can be in a new plan's way");
      return winner;
    }
    this.#keepOpen(new OpenPlan(plan.ref, state, plan.steps));
    return newPlanRecord(plan, state);
  }

  findPlan(ref: PlanRef): Promise<PlanRecord | undefined> {
    return read(() => this.#queries.record(ref));
  }

  listPlans(orgId: string, filter: PlanFilter, page: PageRequest): Promise<PlanPage> {
    return read(() => this.#queries.list(orgId, filter, page));
  }

  async claimStep(ref: StepRef, owner: string): Promise<ClaimResult> {
    for (;;) {
      const plan = this.#plan(ref);
      const prepared = stepOf(plan, ref.stepId);
      // Nobody is told of an end before it is durable. From here to the decision nothing else happens.
      const ending = plan.ends.of([ref.stepId, ...(prepared?.dependsOn ?? [])]);
      if (ending !== undefined) {
        await ending;
        continue;
      }
      const decision = claimStep(plan.state, ref.stepId, owner, this.#clock.nowMs());
      if (decision.kind === "running" || decision.kind === "refused") return decision;
      if (decision.kind === "finished") {
        return { kind: "finished", execution: this.#stored(ref, decision.step) };
      }
      assert(prepared !== undefined, "a step that was claimed is a step of the plan");
      plan.change(decision.change);
      if (isReadIntent(prepared.intent)) this.#keepClaimInMemory(plan, ref);
      else await this.#commit(plan);
      return {
        kind: "claimed",
        attempt: decision.step.attempt,
        step: prepared,
        sessionId: plan.state.sessionId,
        deadlineMs: plan.state.deadlineMs,
        outputs: this.#outputs(plan, prepared),
      };
    }
  }

  async renewLease(attempt: AttemptRef, owner: string): Promise<boolean> {
    const plan = this.#plan(attempt);
    const step = plan.state.steps.find((candidate) => candidate.stepId === attempt.stepId);
    const held =
      step?.status === "running" && step.attempt === attempt.attempt && step.owner === owner;
    if (!held) return false;
    const renewed = { ...step, leaseUntilMs: this.#clock.nowMs() + LEASE_MS };
    try {
      await this.#writer.commit([writeLease(attempt, renewed)]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  async finishStep(
    attempt: AttemptRef,
    outcome: StepOutcome,
    toolCall: ToolCallRecord | undefined,
  ): Promise<FinishResult> {
    const plan = this.#plan(attempt);
    const change = finishStep(
      plan.state,
      attempt.stepId,
      attempt.attempt,
      outcome,
      this.#clock.nowMs(),
    );
    const claimWritten = this.#claimedInMemory.get(keyOf(attempt, attempt.stepId));
    if (change === undefined) {
      claimWritten?.();
      // What says so must be durable: the attempt's marker may go then.
      await plan.ends.of([attempt.stepId]);
      return { kind: "fenced" };
    }
    plan.change(change);
    const step = change.steps.find((candidate) => candidate.stepId === attempt.stepId);
    assert(step !== undefined, "ending an attempt changes its step");
    const more: Write[] = [];
    const context = "context" in outcome ? outcome.context : undefined;
    if (context !== undefined) plan.leave(step.index, context);
    if (toolCall !== undefined) more.push(writeToolCall(toolCall));
    const committed = this.#commit(plan, more, attempt.stepId);
    claimWritten?.();
    await committed;
    if (toolCall !== undefined) this.#onToolCall();
    if (context !== undefined) plan.outputs.keep(step.stepId, outputOf(context));
    const execution = executionOf(attempt.planId, step, context);
    return execution === undefined
      ? { kind: "pending" }
      : { kind: "ended", execution: { ...execution, replayed: false } };
  }

  async cancelPlan(ref: PlanRef, reason: string): Promise<PlanState> {
    const plan = this.#plan(ref);
    const change = cancelPlan(plan.state, reason, this.#clock.nowMs());
    if (change !== undefined) {
      if ("refused" in change) throw new AppError("PLAN_NOT_ACTIVE", change.refused);
      plan.change(change);
      await this.#commit(plan);
    }
    return plan.state;
  }

  async retryPlan(ref: PlanRef, deadlineMs: number): Promise<PlanRecord> {
    const plan = this.#plan(ref);
    const change = retryPlan(plan.state, this.#clock.nowMs(), deadlineMs);
    if ("refused" in change) {
      throw new AppError(
        change.limit === true ? "LIMIT_EXCEEDED" : "PLAN_NOT_ACTIVE",
        change.refused,
      );
    }
    plan.change(change);
    await this.#commit(plan);
    return this.#record(ref);
  }

  readEvents(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]> {
    return read(() => this.#queries.events(ref, afterSequence, limit));
  }

  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    this.#wakes.on(planId, wake);
    return () => this.#wakes.off(planId, wake);
  }

  /** Nobody else has the store: whoever cancels stops the steps himself. */
  onCancelRequested(): Unsubscribe {
    return () => undefined;
  }

  abandonedSteps(limit: number): Promise<readonly AbandonedStep[]> {
    return read(() => this.#queries.abandoned(this.#clock.nowMs(), limit));
  }

  async expirePlans(): Promise<number> {
    const overdue = this.#queries.overdue(this.#clock.nowMs(), OVERDUE_PLANS_MAX);
    let expired = 0;
    for (const ref of overdue) {
      const plan = this.#plan(ref);
      const change = expirePlan(plan.state, this.#clock.nowMs());
      if (change === undefined) continue;
      plan.change(change);
      await this.#commit(plan);
      expired += 1;
    }
    return expired;
  }

  /** Claims that were only in memory are gone with the process: nothing to do for them. */
  [Symbol.asyncDispose](): Promise<void> {
    for (const done of this.#claimedInMemory.values()) done();
    return Promise.resolve();
  }

  #record(ref: PlanRef): PlanRecord {
    const record = this.#queries.record(ref);
    assert(record !== undefined, "a plan that was committed can be read");
    return record;
  }

  #sameRequest(plan: NewPlan): PlanRecord | undefined {
    const { idempotency } = plan;
    if (idempotency === undefined) return undefined;
    const earlier = this.#queries.byIdempotencyKey(plan.ref.orgId, idempotency.key);
    if (earlier === undefined) return undefined;
    if (earlier.requestHash !== idempotency.requestHash) {
      throw new AppError(
        "IDEMPOTENCY_CONFLICT",
        `The idempotency-key was used for another request, which made plan ${earlier.planId}`,
      );
    }
    return this.#record({ orgId: plan.ref.orgId, planId: earlier.planId });
  }

  /** @throws AppError `PLAN_NOT_FOUND`. */
  #plan(ref: PlanRef): OpenPlan {
    const key = keyOf(ref);
    const open = this.#open.get(key);
    if (open !== undefined && !open.broken) return open;
    const loaded = this.#queries.state(ref);
    if (loaded === undefined) throw planNotFound(ref);
    return this.#keepOpen(
      new OpenPlan({ orgId: ref.orgId, planId: ref.planId }, loaded.state, loaded.prepared),
    );
  }

  #keepOpen(plan: OpenPlan): OpenPlan {
    if (this.#open.size >= OPEN_PLANS_MAX) {
      for (const [key, candidate] of this.#open) {
        if (!candidate.idle) continue;
        this.#open.delete(key);
        break;
      }
    }
    this.#open.set(keyOf(plan.ref), plan);
    return plan;
  }

  async #commit(plan: OpenPlan, more: readonly Write[] = [], endsStep?: string): Promise<void> {
    await plan.commit(this.#writer, more, endsStep);
    this.#wakes.emit(plan.ref.planId);
    const over = plan.state.status !== "pending" && plan.state.status !== "running";
    if (over && plan.idle) this.#open.delete(keyOf(plan.ref));
  }

  /**
   * Lets the claim of a read ride along with its end, which is announced to the writer; when the end
   * does not come soon, the claim is written on its own.
   */
  #keepClaimInMemory(plan: OpenPlan, ref: StepRef): void {
    const key = keyOf(ref, ref.stepId);
    const withdraw = this.#writer.announce();
    const timer = setTimeout(() => {
      done();
      // A failure shows again, and is answered for, when the attempt ends.
      this.#commit(plan).catch(() => undefined);
    }, CLAIM_WRITTEN_AFTER_MS);
    const done = (): void => {
      clearTimeout(timer);
      withdraw();
      this.#claimedInMemory.delete(key);
    };
    this.#claimedInMemory.set(key, done);
  }

  #stored(ref: PlanRef, step: StepState): StepExecution {
    const execution = executionOf(ref.planId, step, this.#queries.context(ref, step.index));
    assert(execution !== undefined, "a finished step has a result");
    return { ...execution, replayed: true };
  }

  #storedOutput(plan: OpenPlan, stepId: string): StepOutput {
    const step = stepOf(plan, stepId);
    assert(step !== undefined, "a placeholder names a step of its plan");
    const context = this.#queries.context(plan.ref, step.index);
    assert(context !== undefined, "a step is claimed after the steps it refers to have completed");
    return outputOf(context);
  }

  #outputs(plan: OpenPlan, step: PreparedStep): ReadonlyMap<string, StepOutput> {
    const outputs = new Map<string, StepOutput>();
    for (const { stepId } of step.statement.binds) {
      if (outputs.has(stepId)) continue;
      outputs.set(stepId, plan.outputs.find(stepId) ?? this.#storedOutput(plan, stepId));
    }
    return outputs;
  }
}

function stepOf(plan: OpenPlan, stepId: string): PreparedStep | undefined {
  return plan.prepared.find((step) => step.id === stepId);
}

function keyOf(ref: PlanRef, stepId = ""): string {
  return `${ref.orgId}/${ref.planId}/${stepId}`;
}
