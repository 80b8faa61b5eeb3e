import { EventEmitter } from "node:events";
import { assert } from "../../kernel/assert.js";
import { AppError } from "../../kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import { LEASE_MS } from "../../kernel/limits.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { isReadIntent } from "../../governance/index.js";
import type {
  PageRequest,
  PlanEvent,
  PlanFilter,
  PlanPage,
  PlanRecord,
} from "../../plans/index.js";
import type {
  AbandonedStep,
  AttemptRef,
  ClaimResult,
  FinishResult,
  NewPlan,
  PlanRef,
  PlanStore,
  StepRef,
} from "../../plans/ports.js";
import { executionOf, newPlanRecord, outputOf } from "../../plans/execution.js";
import {
  cancelPlan,
  claimStep,
  createPlan,
  finishStep,
  retryPlan,
  type PlanState,
  type StepOutcome,
  type StepState,
} from "../../plans/transitions.js";
import type { PlacedCall } from "./call-feed.js";
import type { Database } from "./database.js";
import type { NodeLease } from "./node-lease.js";
import { OpenPlan, type AttemptEndRow, type PlanUnit } from "./open-plan.js";
import { OwnClaims, type OwnClaim } from "./own-claims.js";
import { PlanCache } from "./plan-cache.js";
import type { PlanQueries } from "./plan-queries.js";
import { PlanCreation } from "./plan-creation.js";
import { PlanHolds } from "./plan-holds.js";
import { outputsFor, storedExecution } from "./plan-results.js";
import { eventsJson } from "./event-codec.js";
import { PlanSweeps } from "./plan-sweeps.js";
import { PlanConflict, PlanWriter } from "./plan-writer.js";
import type { Signals } from "./signals.js";
import type { PostgresToolCallLog } from "./tool-call-log.js";

/**
 * Plans in PostgreSQL, shared by several nodes. A node that holds a plan decides on its own copy and
 * keeps the claim of a read in memory, so that a read step costs one write in all; a plan that nobody
 * holds is decided on from its rows, every claim durable. Either way a change is written only if its
 * sequence is free: whoever loses a race reads the plan anew and decides again.
 */
export class PostgresPlanStore implements PlanStore {
  readonly #db: Database;
  readonly #node: NodeLease;
  readonly #signals: Signals;
  readonly #queries: PlanQueries;
  readonly #creation: PlanCreation;
  readonly #plans: PlanCache;
  readonly #holds: PlanHolds;
  readonly #writer: PlanWriter;
  readonly #wakes = new EventEmitter().setMaxListeners(0);
  readonly #claims = new OwnClaims();
  readonly #sweeps: PlanSweeps;
  readonly #cancels = new Set<(ref: PlanRef) => void>();

  constructor(options: {
    readonly db: Database;
    readonly node: NodeLease;
    readonly signals: Signals;
    readonly queries: PlanQueries;
    readonly telemetry: Telemetry;
    readonly toolCalls: PostgresToolCallLog;
  }) {
    this.#db = options.db;
    this.#node = options.node;
    this.#signals = options.signals;
    this.#queries = options.queries;
    this.#plans = new PlanCache(options.db, options.node, options.queries);
    this.#writer = new PlanWriter(options.db, options.node, options.telemetry, (unit) => {
      this.#changed(unit.plan.ref);
      if (unit.state?.finishedAtMs !== undefined || callsOf(unit).length > 0) {
        options.toolCalls.recorded(unit.plan.ref, callsOf(unit));
      }
    });
    this.#creation = new PlanCreation(options.db, options.queries);
    this.#holds = new PlanHolds({
      ...options,
      plans: this.#plans,
      write: (plan) => this.#isWritten(plan),
      changed: (ref) => {
        this.#changed(ref);
      },
      onPlanEvents: (planId, wake) => this.onPlanEvents(planId, wake),
    });
    this.#sweeps = new PlanSweeps({
      ...options,
      plans: this.#plans,
      claims: this.#claims,
      write: (plan) => this.#isWritten(plan),
    });
    this.#signals.on("changed", (ref) => {
      this.#wakes.emit(ref.planId);
      this.#tellOfCancels(ref);
    });
    this.#signals.on("missed", () => {
      for (const planId of this.#wakes.eventNames()) this.#wakes.emit(planId);
    });
    this.#signals.on("wanted", (ref) => {
      this.#holds.letGo(ref).catch(() => undefined);
    });
    this.#node.onBeat(() => {
      this.#tellOfCancels();
      this.#holds.letGoOfWanted().catch(() => undefined);
    });
  }

  async createPlan(plan: NewPlan): Promise<PlanRecord> {
    const { events, ...state } = createPlan({ ...plan.ref, ...plan }, plan.steps);
    const { nodeId, holds } = this.#node;
    const holder = holds ? nodeId : undefined;
    const earlier = await this.#creation.create(plan, eventsJson(events), holder);
    if (earlier !== undefined) return earlier;
    const { ref, sessionId, steps: prepared } = plan;
    const loaded = { state, sessionId, prepared, results: new Map<number, number>(), holder };
    const open = new OpenPlan(ref, loaded);
    open.heldBy = holder;
    this.#plans.add(open);
    return newPlanRecord(plan, state);
  }

  findPlan(ref: PlanRef): Promise<PlanRecord | undefined> {
    return this.#queries.record(ref);
  }

  listPlans(orgId: string, filter: PlanFilter, page: PageRequest): Promise<PlanPage> {
    return this.#queries.list(orgId, filter, page);
  }

  async claimStep(ref: StepRef, owner: string): Promise<ClaimResult> {
    for (;;) {
      const access = await this.#plans.current(ref);
      if (access.kind === "held elsewhere") {
        await this.#holds.want(access.nodeId, ref);
        return { kind: "running" };
      }
      const { plan } = access;
      const prepared = plan.step(ref.stepId);
      // Nobody is told of an end before it is durable. From here to the decision nothing else happens.
      const ending = plan.ends.of([ref.stepId, ...(prepared?.dependsOn ?? [])]);
      if (ending !== undefined) {
        await ending;
        continue;
      }
      if (plan.broken) continue;
      const decision = claimStep(plan.state, ref.stepId, owner, this.#node.nowMs());
      if (decision.kind === "running" || decision.kind === "refused") return decision;
      if (decision.kind === "finished") {
        return {
          kind: "finished",
          execution: await storedExecution(this.#queries, plan, decision.step),
        };
      }
      assert(prepared !== undefined, "a step that was claimed is a step of the plan");
      const inMemory = isReadIntent(prepared.intent) && this.#plans.isHeld(plan);
      if (!inMemory && plan.ownSequence === plan.state.lastSequence) this.#take(plan);
      plan.change(decision.change);
      const { attempt } = decision.step;
      if (inMemory) this.#claims.keep({ ...ref, attempt }, owner, () => this.#isWritten(plan));
      else if (!(await this.#isClaimed(plan, { ...ref, attempt }, owner))) continue;
      return {
        kind: "claimed",
        attempt,
        step: prepared,
        sessionId: plan.sessionId,
        deadlineMs: plan.state.deadlineMs,
        outputs: await outputsFor(this.#queries, plan, prepared),
      };
    }
  }

  async renewLease(attempt: AttemptRef, owner: string): Promise<boolean> {
    const claim = this.#claims.find(attempt);
    if (claim?.owner !== owner || claim.attempt !== attempt.attempt) return false;
    const access = await this.#plans.current(attempt);
    const step = access.kind === "open" ? access.plan.step(attempt.stepId) : undefined;
    if (step === undefined) return false;
    const rows = await this.#db.query(
      `UPDATE step_leases SET lease_until_ms = steward_now_ms() + $6
       WHERE org_id = $1 AND plan_id = $2 AND step_index = $3 AND attempt = $4 AND owner = $5
       RETURNING attempt`,
      [attempt.orgId, attempt.planId, step.index, attempt.attempt, owner, LEASE_MS],
    );
    return rows.length > 0;
  }

  async finishStep(
    attempt: AttemptRef,
    outcome: StepOutcome,
    toolCall: ToolCallRecord | undefined,
  ): Promise<FinishResult> {
    const claim = this.#claims.find(attempt);
    try {
      const result = await this.#finish(attempt, claim, outcome, toolCall);
      this.#claims.adopt(attempt);
      return result;
    } catch (error) {
      // Whether it is written is not known: to be settled as soon as the store can be reached.
      this.#claims.orphan(attempt);
      throw error;
    } finally {
      if (claim?.attempt === attempt.attempt) this.#claims.drop(attempt);
    }
  }

  async cancelPlan(ref: PlanRef, reason: string): Promise<PlanState> {
    for (;;) {
      const plan = await this.#holds.opened(ref);
      const change = cancelPlan(plan.state, reason, this.#node.nowMs());
      if (change === undefined) {
        await plan.settled();
        if (plan.broken) continue;
        return plan.state;
      }
      if ("refused" in change) throw new AppError("PLAN_NOT_ACTIVE", change.refused);
      plan.change(change);
      if (await this.#isWritten(plan)) return plan.state;
    }
  }

  async retryPlan(ref: PlanRef, deadlineMs: number): Promise<PlanRecord> {
    for (;;) {
      const plan = await this.#holds.opened(ref);
      const change = retryPlan(plan.state, this.#node.nowMs(), deadlineMs);
      if ("refused" in change) {
        const code = change.limit === true ? "LIMIT_EXCEEDED" : "PLAN_NOT_ACTIVE";
        throw new AppError(code, change.refused);
      }
      plan.change(change);
      if (!(await this.#isWritten(plan))) continue;
      const record = await this.#queries.record(ref);
      assert(record !== undefined, "a plan that was committed can be read");
      return record;
    }
  }

  readEvents(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]> {
    return this.#queries.events(ref, afterSequence, limit);
  }

  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    this.#wakes.on(planId, wake);
    return () => this.#wakes.off(planId, wake);
  }

  onCancelRequested(listener: (ref: PlanRef) => void): Unsubscribe {
    this.#cancels.add(listener);
    return () => this.#cancels.delete(listener);
  }

  abandonedSteps(limit: number): Promise<readonly AbandonedStep[]> {
    return this.#sweeps.abandonedSteps(limit);
  }

  expirePlans(): Promise<number> {
    return this.#sweeps.expirePlans();
  }

  /** Claims that were only in memory are gone with the process: nothing to do for them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#claims.dropAll();
    await Promise.all([...this.#plans.plans()].map((plan) => plan.settled()));
  }

  async #finish(
    attempt: AttemptRef,
    claim: OwnClaim | undefined,
    outcome: StepOutcome,
    toolCall: ToolCallRecord | undefined,
  ): Promise<FinishResult> {
    for (;;) {
      const plan = await this.#holds.opened(attempt);
      const running = plan.state.steps.find((step) => step.stepId === attempt.stepId);
      const change =
        claim === undefined || running?.owner === claim.owner
          ? finishStep(plan.state, attempt.stepId, attempt.attempt, outcome, this.#node.nowMs())
          : undefined;
      claim?.forget();
      if (change === undefined) {
        // What says so must be durable: the attempt's marker may go then.
        await plan.settled();
        if (plan.broken) continue;
        return { kind: "fenced" };
      }
      plan.change(change);
      const step = change.steps.find((candidate) => candidate.stepId === attempt.stepId);
      assert(step !== undefined, "ending an attempt changes its step");
      const context = "context" in outcome ? outcome.context : undefined;
      if (!(await this.#isWritten(plan, attemptEnd(plan, step, context, toolCall)))) continue;
      if (context !== undefined) plan.outputs.keep(step.stepId, outputOf(context));
      this.#closeIfOver(plan);
      const execution = executionOf(attempt.planId, step, context);
      return execution === undefined
        ? { kind: "pending" }
        : { kind: "ended", execution: { ...execution, replayed: false } };
    }
  }

  /** Writes a claim. @returns false when another node was first. */
  async #isClaimed(plan: OpenPlan, attempt: AttemptRef, owner: string): Promise<boolean> {
    this.#claims.keep(attempt, owner);
    let isWritten = false;
    try {
      isWritten = await this.#isWritten(plan);
    } catch (error) {
      this.#claims.orphan(attempt);
      throw error;
    } finally {
      if (!isWritten) this.#claims.drop(attempt);
    }
    return isWritten;
  }

  /** Looks whether a plan with steps running here is to be cancelled; absent: any of them. */
  #tellOfCancels(ref?: PlanRef): void {
    const refs = this.#claims
      .plans()
      .filter(({ planId }) => ref === undefined || planId === ref.planId);
    if (refs.length === 0) return;
    this.#queries.cancelled(refs).then(
      (cancelled) => {
        for (const each of cancelled) for (const listener of this.#cancels) listener(each);
      },
      // The next heartbeat asks again.
      () => undefined,
    );
  }

  /** A shared plan that nobody else has touched since this node did becomes the node's own. */
  #take(plan: OpenPlan): void {
    if (plan.heldBy === undefined && this.#node.holds) plan.take(this.#node.nodeId);
  }

  /** Writes what was changed. @returns false when another node was first: load and decide again. */
  async #isWritten(plan: OpenPlan, end?: AttemptEndRow): Promise<boolean> {
    const written = plan.seal(end);
    this.#writer.submit(plan);
    try {
      await written;
      return true;
    } catch (error) {
      if (error instanceof PlanConflict) return false;
      throw error;
    }
  }

  #changed(ref: PlanRef): void {
    this.#wakes.emit(ref.planId);
    this.#signals.changed(ref);
  }

  #closeIfOver(plan: OpenPlan): void {
    const { status } = plan.state;
    if (status !== "pending" && status !== "running" && plan.idle) this.#plans.close(plan);
  }
}

function callsOf({ rows }: PlanUnit): readonly PlacedCall[] {
  return rows.flatMap(({ sequence, end }) =>
    end?.call === undefined ? [] : [{ sequence, record: end.call }],
  );
}

function attemptEnd(
  plan: OpenPlan,
  { stepId }: StepState,
  context: AttemptEndRow["context"],
  call: ToolCallRecord | undefined,
): AttemptEndRow {
  const step = plan.step(stepId);
  assert(step !== undefined, "an attempt is of a step of its plan");
  return { step, context, call };
}
