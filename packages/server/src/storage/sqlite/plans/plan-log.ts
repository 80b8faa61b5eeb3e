import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import { LEASE_MS } from "../../../plans/limits.js";
import {
  PlanConflict,
  planNotFound,
  type AppendSource,
  type EarlierRequest,
  type LoadedPlan,
  type PlanLog,
  type StoredResult,
} from "../../../plans/engine/index.js";
import type { NewPlanEvent } from "../../../plans/index.js";
import type { AttemptRef, NewPlan, PlanRef } from "../../../plans/ports.js";
import type { PlanState } from "../../../plans/transitions.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read } from "../connection.js";
import type { PlanQueries } from "./plan-queries.js";
import { newPlanWrites, renewedLeaseWrite, unitWrites } from "./plan-writes.js";
import type { SqliteToolCallLog } from "../tool-calls/tool-call-log.js";
import type { WebhookOutbox } from "../../../webhooks/index.js";
import { webhookNewsOf } from "../../plan-changes/index.js";
import { deliveryInsert } from "../../cold/webhook-store.js";
import { writeOf } from "../sql-store.js";

/** Dependencies of a log. */
export interface SqlitePlanLogOptions {
  readonly writer: CommitWriter;
  readonly queries: PlanQueries;
  readonly clock: Clock;
  /** Notified of the tool calls of each commit. */
  readonly toolCalls: Pick<SqliteToolCallLog, "recorded">;
  readonly outbox: WebhookOutbox;
}

/** The log of plans in SQLite, owned by one process. */
export class SqlitePlanLog implements PlanLog {
  readonly #writer: CommitWriter;
  readonly #queries: PlanQueries;
  readonly #clock: Clock;
  readonly #toolCalls: SqlitePlanLogOptions["toolCalls"];
  readonly #outbox: WebhookOutbox;

  constructor({ writer, queries, clock, toolCalls, outbox }: SqlitePlanLogOptions) {
    this.#writer = writer;
    this.#queries = queries;
    this.#clock = clock;
    this.#toolCalls = toolCalls;
    this.#outbox = outbox;
  }

  async create(
    plan: NewPlan,
    state: PlanState,
    events: readonly NewPlanEvent[],
  ): Promise<EarlierRequest | undefined> {
    const earlier = this.#earlier(plan);
    if (earlier !== undefined) return earlier;
    try {
      await this.#writer.commit(newPlanWrites(plan, state, events));
      return undefined;
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      const winner = this.#earlier(plan);
      if (winner !== undefined) return winner;
      assert(plan.fork !== undefined, "only an idempotency key can be in a new plan's way");
      throw planNotFound({ orgId: plan.ref.orgId, planId: plan.fork.planId });
    }
  }

  load(ref: PlanRef): Promise<LoadedPlan | undefined> {
    return this.#queries.load(ref);
  }

  async append(source: AppendSource): Promise<void> {
    const unit = source.takeUnit();
    const deliveries = this.#outbox.deliveriesOf(unit.ref.orgId, () => webhookNewsOf([unit]));
    const writes = unitWrites(unit, this.#clock.nowMs());
    for (const each of deliveries) writes.push(writeOf(deliveryInsert(each)));
    try {
      await this.#writer.commit(writes);
    } catch (error) {
      throw error instanceof WriteConflict ? new PlanConflict() : error;
    }
    this.#outbox.announce(deliveries);
    const calls = unit.entries.flatMap(({ end }) => end?.toolCall ?? []);
    if (calls.length > 0) this.#toolCalls.recorded(calls);
  }

  readResult(ref: PlanRef, sequence: number): Promise<StoredResult> {
    return read(() => this.#queries.result(ref, sequence));
  }

  async renewLease(attempt: AttemptRef, stepIndex: number): Promise<boolean> {
    const untilMs = this.#clock.nowMs() + LEASE_MS;
    try {
      await this.#writer.commit([renewedLeaseWrite(attempt, stepIndex, untilMs)]);
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
