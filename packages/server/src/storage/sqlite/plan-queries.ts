import type { AbandonedStep, PlanRef } from "../../plans/ports.js";
import {
  cursorOutOfRange,
  planNotFound,
  type DueWork,
  type LoadedPlan,
  type PlanReads,
} from "../../plans/engine/index.js";
import type { StepContext, StepState } from "../../plans/transitions.js";
import type {
  PageRequest,
  PlanEvent,
  PlanFilter,
  PlanPage,
  PreparedStep,
} from "../../plans/index.js";
import { assert } from "../../kernel/assert.js";
import type { Clock } from "../../kernel/clock.js";
import { read, type SqliteRow, type SqliteValue, type StatementCache } from "./connection.js";
import {
  number,
  planEventOf,
  planStateOf,
  planSummaryOf,
  preparedStepOf,
  preparedStepsOf,
  stepContextOf,
  stepStateOf,
  text,
} from "./plan-rows.js";
import { SOLE_NODE_ID } from "./sole-node.js";

/** Reads of the plan tables, as committed. Each is one short query on a read-only connection. */
export class PlanQueries implements PlanReads {
  readonly #db: StatementCache;
  readonly #clock: Clock;

  constructor(db: StatementCache, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** A plan, and what its steps run. */
  load(ref: PlanRef): LoadedPlan | undefined {
    const row = this.#plan(ref);
    if (row === undefined) return undefined;
    const { prepared, states } = this.#steps(ref);
    const ended = states.filter(({ executedAtMs }) => executedAtMs !== undefined);
    return {
      name: text(row["name"]),
      description: text(row["description"]),
      state: planStateOf(row, states, this.#newestEvent(ref)),
      prepared,
      results: new Map(ended.map(({ index }) => [index, index])),
      owner: SOLE_NODE_ID,
    };
  }

  /** What a step left for the LLM, once an attempt of it has ended. */
  context(ref: PlanRef, stepIndex: number): StepContext | undefined {
    const row = this.#db.get(
      `SELECT output, schema_additions, augmentation_hints, output_metadata FROM plan_steps
       WHERE org_id = ? AND plan_id = ? AND step_index = ? AND output IS NOT NULL`,
      ref.orgId,
      ref.planId,
      stepIndex,
    );
    return row === undefined ? undefined : stepContextOf(row);
  }

  /** The plan made under an idempotency key. */
  byIdempotencyKey(
    orgId: string,
    key: string,
  ): { readonly planId: string; readonly requestHash: string } | undefined {
    const row = this.#db.get(
      `SELECT plan_id, request_hash FROM idempotency_keys WHERE org_id = ? AND idempotency_key = ?`,
      orgId,
      key,
    );
    if (row === undefined) return undefined;
    return { planId: text(row["plan_id"]), requestHash: text(row["request_hash"]) };
  }

  /** Plan ids are ordered in time. */
  list(orgId: string, filter: PlanFilter, page: PageRequest): Promise<PlanPage> {
    return read(() => this.#list(orgId, filter, page));
  }

  events(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]> {
    return read(() => this.eventsNow(ref, afterSequence, limit));
  }

  findDue(limit: number): Promise<DueWork> {
    return read(() => {
      const nowMs = this.#clock.nowMs();
      return { abandoned: this.#abandoned(nowMs, limit), overdue: this.#overdue(nowMs, limit) };
    });
  }

  #list(orgId: string, filter: PlanFilter, page: PageRequest): PlanPage {
    const conditions = ["org_id = ?"];
    const params: SqliteValue[] = [orgId];
    const narrow = (condition: string, value: string | undefined): void => {
      if (value === undefined) return;
      conditions.push(condition);
      params.push(value);
    };
    narrow("status = ?", filter.status);
    narrow("session_id = ?", filter.sessionId);
    narrow("plan_id < ?", page.cursor);
    const rows = this.#db.all(
      `SELECT * FROM plans WHERE ${conditions.join(" AND ")} ORDER BY plan_id DESC LIMIT ?`,
      ...params,
      BigInt(page.limit + 1),
    );
    const plans = rows.slice(0, page.limit).map(planSummaryOf);
    const last = plans.at(-1);
    return rows.length > page.limit && last !== undefined
      ? { plans, nextCursor: last.planId }
      : { plans };
  }

  /** As {@link events}. */
  eventsNow(ref: PlanRef, afterSequence: number, limit: number): readonly PlanEvent[] {
    const rows = this.#db.all(
      `SELECT sequence, event_type, payload, created_at_ms FROM plan_events
       WHERE org_id = ? AND plan_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
      ref.orgId,
      ref.planId,
      afterSequence,
      BigInt(limit),
    );
    if (rows.length === 0) this.#checkCursor(ref, afterSequence);
    return rows.map((row) => planEventOf(ref.planId, row));
  }

  /** Running steps whose lease ended before this time. */
  #abandoned(nowMs: number, limit: number): readonly AbandonedStep[] {
    const rows = this.#db.all(
      `SELECT s.org_id, s.plan_id, s.attempt, p.session_id,
         d.steps -> ('$[' || s.step_index || ']') AS prepared
       FROM plan_steps AS s JOIN plans AS p USING (org_id, plan_id)
         JOIN plan_definitions AS d USING (org_id, plan_id)
       WHERE s.status = 'running' AND s.lease_until_ms < ? ORDER BY s.lease_until_ms LIMIT ?`,
      nowMs,
      BigInt(limit),
    );
    return rows.map((row) => {
      const step = preparedStepOf(row);
      return {
        attempt: {
          orgId: text(row["org_id"]),
          planId: text(row["plan_id"]),
          stepId: step.id,
          attempt: number(row["attempt"]),
        },
        step,
        sessionId: text(row["session_id"]),
      };
    });
  }

  /** Active plans whose deadline has passed. */
  #overdue(nowMs: number, limit: number): readonly PlanRef[] {
    return this.#db
      .all(
        `SELECT org_id, plan_id FROM plans
         WHERE status IN ('pending', 'running') AND deadline_ms < ? LIMIT ?`,
        nowMs,
        BigInt(limit),
      )
      .map((row) => ({ orgId: text(row["org_id"]), planId: text(row["plan_id"]) }));
  }

  #plan(ref: PlanRef): SqliteRow | undefined {
    return this.#db.get(
      "SELECT * FROM plans WHERE org_id = ? AND plan_id = ?",
      ref.orgId,
      ref.planId,
    );
  }

  /** A plan's steps, and where each of them stands. */
  #steps(ref: PlanRef): {
    readonly prepared: readonly PreparedStep[];
    readonly states: readonly StepState[];
  } {
    const { orgId, planId } = ref;
    const definition = this.#db.get(
      "SELECT steps FROM plan_definitions WHERE org_id = ? AND plan_id = ?",
      orgId,
      planId,
    );
    assert(definition !== undefined, "a plan has its definition");
    // Outputs stay where they are: they stand behind these columns and may be large.
    const rows = this.#db.all(
      `SELECT step_index, status, attempt, owner, lease_until_ms, wait_reason, row_count,
         executed_at_ms, error
       FROM plan_steps WHERE org_id = ? AND plan_id = ?`,
      orgId,
      planId,
    );
    const claimed = new Map(rows.map((row) => [number(row["step_index"]), row]));
    const prepared = preparedStepsOf(definition);
    return { prepared, states: prepared.map((step) => stepStateOf(claimed.get(step.index), step)) };
  }

  #newestEvent(ref: PlanRef): { readonly sequence: number; readonly atMs: number } {
    const row = this.#db.get(
      `SELECT sequence, created_at_ms FROM plan_events WHERE org_id = ? AND plan_id = ?
       ORDER BY sequence DESC LIMIT 1`,
      ref.orgId,
      ref.planId,
    );
    return { sequence: number(row?.["sequence"]), atMs: number(row?.["created_at_ms"]) };
  }

  #checkCursor(ref: PlanRef, afterSequence: number): void {
    if (this.#plan(ref) === undefined) throw planNotFound(ref);
    const newest = this.#newestEvent(ref).sequence;
    if (afterSequence > newest) {
      throw cursorOutOfRange(afterSequence, newest);
    }
  }
}
