import { assert } from "../../kernel/assert.js";
import type { Clock } from "../../kernel/clock.js";
import { LEASE_MS } from "../../kernel/limits.js";
import {
  PlanConflict,
  type AppendSource,
  type EarlierRequest,
  type LoadedPlan,
  type PlanLog,
  type PlanUnit,
} from "../../plans/engine/index.js";
import type { PlanEvent } from "../../plans/index.js";
import type { AttemptRef, NewPlan, PlanRef } from "../../plans/ports.js";
import type { PlanState, StepContext } from "../../plans/transitions.js";
import type { Write } from "./commit-protocol.js";
import { WriteConflict, type CommitWriter } from "./commit-writer.js";
import { read } from "./connection.js";
import type { PlanQueries } from "./plan-queries.js";
import {
  writeEvent,
  writeLease,
  writeNewPlan,
  writePlan,
  writeStep,
  writeToolCall,
} from "./plan-writes.js";

/** What a log is built on. */
export interface SqlitePlanLogOptions {
  readonly writer: CommitWriter;
  readonly queries: PlanQueries;
  readonly clock: Clock;
  /** Called after each commit that recorded a tool call. */
  readonly onToolCall: () => void;
}

/** The log of plans in SQLite. One process owns it. */
export class SqlitePlanLog implements PlanLog {
  readonly #writer: CommitWriter;
  readonly #queries: PlanQueries;
  readonly #clock: Clock;
  readonly #onToolCall: () => void;

  constructor({ writer, queries, clock, onToolCall }: SqlitePlanLogOptions) {
    this.#writer = writer;
    this.#queries = queries;
    this.#clock = clock;
    this.#onToolCall = onToolCall;
  }

  async create(
    plan: NewPlan,
    state: PlanState,
    events: readonly PlanEvent[],
  ): Promise<EarlierRequest | undefined> {
    const earlier = this.#earlier(plan);
    if (earlier !== undefined) return earlier;
    try {
      await this.#writer.commit([
        ...writeNewPlan(plan, state),
        ...events.map((event) => writeEvent(plan.ref, event)),
      ]);
      return undefined;
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      const winner = this.#earlier(plan);
      assert(winner !== undefined, "only an idempotency key can be in a new plan's way");
      return winner;
    }
  }

  load(ref: PlanRef): Promise<LoadedPlan | undefined> {
    return read(() => this.#queries.load(ref));
  }

  async append(source: AppendSource): Promise<void> {
    const unit = source.takeUnit();
    try {
      await this.#writer.commit(writesOf(unit));
    } catch (error) {
      throw error instanceof WriteConflict ? new PlanConflict() : error;
    }
    if (unit.entries.some(({ end }) => end?.toolCall !== undefined)) this.#onToolCall();
  }

  readResult(ref: PlanRef, stepIndex: number): Promise<StepContext> {
    return read(() => {
      const context = this.#queries.context(ref, stepIndex);
      assert(context !== undefined, "a step that has ended has left its result");
      return context;
    });
  }

  async renewLease(attempt: AttemptRef, stepIndex: number): Promise<boolean> {
    const untilMs = this.#clock.nowMs() + LEASE_MS;
    try {
      await this.#writer.commit([writeLease(attempt, stepIndex, untilMs)]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  announce(): () => void {
    return this.#writer.announce();
  }

  #earlier({ ref, idempotency }: NewPlan): EarlierRequest | undefined {
    return idempotency && this.#queries.byIdempotencyKey(ref.orgId, idempotency.key);
  }
}

function writesOf({ ref, entries, plan }: PlanUnit): readonly Write[] {
  const ends = entries.flatMap(({ end }) => end ?? []);
  const contexts = new Map(ends.map(({ step, context }) => [step.index, context]));
  const steps = new Map(entries.flatMap((entry) => entry.steps).map((step) => [step.index, step]));
  return [
    ...(plan === undefined ? [] : [writePlan(plan)]),
    ...[...steps.values()].map((step) => writeStep(ref, step, contexts.get(step.index))),
    ...entries.flatMap(({ events }) => events).map((event) => writeEvent(ref, event)),
    ...ends.flatMap(({ toolCall }) => (toolCall === undefined ? [] : [writeToolCall(toolCall)])),
  ];
}
