import { LEASE_MS } from "../../../plans/limits.js";
import type { Telemetry } from "../../../kernel/telemetry.js";
import {
  planNotFound,
  type AppendSource,
  type EarlierRequest,
  type LoadedPlan,
  type PlanLog,
  type PlanUnit,
  type StoredResult,
} from "../../../plans/engine/index.js";
import type { NewPlanEvent } from "../../../plans/index.js";
import type { AttemptRef, NewPlan, PlanRef } from "../../../plans/ports.js";
import type { PlanState } from "../../../plans/transitions.js";
import { AppendWriter } from "./append-writer.js";
import type { Connection, Database } from "../database.js";
import {
  eventsJson,
  forkedStepsJson,
  forkSources,
  originsJson,
  preparedStepsJson,
} from "../../plan-changes/index.js";
import type { NodeLease } from "../node-lease.js";
import type { PlanQueries } from "./plan-queries.js";
import { settled } from "../settled.js";
import type { WebhookOutbox } from "../../../webhooks/index.js";

/** Dependencies of a log. */
export interface PostgresPlanLogOptions {
  readonly db: Database;
  readonly node: NodeLease;
  readonly queries: PlanQueries;
  readonly telemetry: Telemetry;
  /** Called with each committed unit. */
  readonly onWritten: (unit: PlanUnit) => void;
  readonly outbox: WebhookOutbox;
  /** Called with each plan that was created. */
  readonly onCreated: (ref: PlanRef) => void;
}

export class PostgresPlanLog implements PlanLog {
  readonly #db: Database;
  readonly #queries: PlanQueries;
  readonly #writer: AppendWriter;
  readonly #onCreated: (ref: PlanRef) => void;

  constructor(options: PostgresPlanLogOptions) {
    const { db, node, queries, telemetry, onWritten, onCreated, outbox } = options;
    this.#onCreated = onCreated;
    this.#db = db;
    this.#queries = queries;
    this.#writer = new AppendWriter(db, node, telemetry, onWritten, outbox);
  }

  async create(
    plan: NewPlan,
    state: PlanState,
    events: readonly NewPlanEvent[],
    owner: string | undefined,
  ): Promise<EarlierRequest | undefined> {
    const earlier = await this.#earlier(plan);
    if (earlier !== undefined) return earlier;
    const isNew = await this.#insert(plan, state, events, owner);
    if (!isNew) return this.#earlier(plan);
    this.#onCreated(plan.ref);
    return undefined;
  }

  load(ref: PlanRef): Promise<LoadedPlan | undefined> {
    return this.#queries.load(ref);
  }

  append(source: AppendSource): Promise<void> {
    return this.#writer.append(source);
  }

  readResult(ref: PlanRef, sequence: number): Promise<StoredResult> {
    return this.#queries.result(ref, sequence);
  }

  async renewLease(attempt: AttemptRef, stepIndex: number, owner: string): Promise<boolean> {
    const rows = await this.#db.query(
      `UPDATE step_leases SET lease_until_ms = steward_now_ms() + $6
       WHERE org_id = $1 AND plan_id = $2 AND step_index = $3 AND attempt = $4 AND owner = $5
       RETURNING attempt`,
      [attempt.orgId, attempt.planId, stepIndex, attempt.attempt, owner, LEASE_MS],
    );
    return rows.length > 0;
  }

  /** A no-op: a statement is sent at once, and units that arrive meanwhile share the next one. */
  announce(): () => void {
    return () => undefined;
  }

  #earlier({ ref, idempotency }: NewPlan): Promise<EarlierRequest | undefined> {
    return idempotency === undefined
      ? Promise.resolve(undefined)
      : this.#queries.earlierRequest(ref.orgId, idempotency.key);
  }

  /** @returns false when the idempotency key was used before. */
  #insert(
    plan: NewPlan,
    state: PlanState,
    events: readonly NewPlanEvent[],
    owner: string | undefined,
  ): Promise<boolean> {
    return settled(
      () => this.#insertOnce(plan, state, events, owner),
      async () => ((await this.load(plan.ref)) === undefined ? undefined : true),
    );
  }

  /** A fork takes a second statement, for the steps that it takes over. */
  #insertOnce(
    plan: NewPlan,
    state: PlanState,
    events: readonly NewPlanEvent[],
    owner: string | undefined,
  ): Promise<boolean> {
    const steps = forkedStepsJson(plan, state);
    if (steps === null) return insertPlan(this.#db, plan, events, owner);
    return this.#db.transaction(async (connection) => {
      const isNew = await insertPlan(connection, plan, events, owner);
      const { orgId, planId } = plan.ref;
      if (!isNew) return false;
      await insertFork(connection, plan);
      await connection.query(
        "UPDATE plan_changes SET steps = $3 WHERE org_id = $1 AND plan_id = $2 AND sequence = 1",
        [orgId, planId, steps],
      );
      return true;
    });
  }
}

/**
 * Records the plans whose results a fork refers to.
 * @throws AppError `PLAN_NOT_FOUND` when one of them was deleted meanwhile.
 */
async function insertFork(connection: Connection, plan: NewPlan): Promise<void> {
  const { orgId, planId } = plan.ref;
  const sources = forkSources(plan);
  // From here on they cannot be deleted; their own transitions do not wait for this lock.
  const locked = await connection.query(
    `SELECT FROM plans WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])
     ORDER BY plan_id FOR KEY SHARE`,
    [orgId, sources],
  );
  if (locked.length < sources.length) {
    throw planNotFound({ orgId, planId: plan.fork?.planId ?? planId });
  }
  await connection.query(
    `INSERT INTO plan_forks (org_id, plan_id, fork_id)
     SELECT $1, source, $2 FROM unnest($3::uuid[]) AS s (source)`,
    [orgId, planId, sources],
  );
}

/** @returns false when the idempotency key was used before. */
async function insertPlan(
  db: Pick<Connection, "query">,
  plan: NewPlan,
  events: readonly NewPlanEvent[],
  owner: string | undefined,
): Promise<boolean> {
  const { ref, idempotency } = plan;
  const [row] = await db.query<{ readonly created: boolean }>(
    `SELECT steward_create_plan($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
         $12, $13, $14, $15) AS created`,
    [
      ref.orgId,
      ref.planId,
      plan.sessionId,
      plan.createdAtMs,
      plan.deadlineMs,
      owner ?? null,
      plan.name,
      plan.description,
      preparedStepsJson(plan.steps),
      eventsJson(events),
      idempotency?.key ?? null,
      idempotency?.requestHash ?? null,
      plan.onFailure ?? null,
      originsJson([{ count: events.length, origin: plan.origin }]),
      plan.keepOpen ?? false,
    ],
  );
  return row?.created === true;
}
