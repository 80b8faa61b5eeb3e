import { setTimeout as delay } from "node:timers/promises";
import { assert } from "../../kernel/assert.js";
import { AppError } from "../../kernel/errors.js";
import type { PlanRecord } from "../../plans/index.js";
import type { NewPlan } from "../../plans/ports.js";
import { ConnectionLost, sqlStateOf, UNIQUE_VIOLATION, type Database } from "./database.js";
import type { PlanQueries } from "./plan-queries.js";
import { summaryJson } from "./plan-rows.js";

/** How long a plan's insert is tried again when the connection is lost, in ms. */
const INSERT_MS_MAX = 5000;
/** Pause before it is tried again, in ms. */
const AGAIN_MS = 50;

/** Makes new plans durable: once for each idempotency key. */
export class PlanCreation {
  readonly #db: Database;
  readonly #queries: PlanQueries;

  constructor(db: Database, queries: PlanQueries) {
    this.#db = db;
    this.#queries = queries;
  }

  /**
   * Stores a plan with its first events. @param holder the node that holds it from the start.
   * @returns the plan that was made under its idempotency key before; `undefined` when it is new.
   * @throws AppError `IDEMPOTENCY_CONFLICT` when the key was used for another request.
   */
  async create(
    plan: NewPlan,
    events: string,
    holder: string | undefined,
  ): Promise<PlanRecord | undefined> {
    const earlier = await this.#sameRequest(plan);
    if (earlier !== undefined) return earlier;
    if (await this.#insert(plan, events, holder)) return undefined;
    const winner = await this.#sameRequest(plan);
    assert(winner !== undefined, "only an idempotency key can be in a new plan's way");
    return winner;
  }

  /** @returns false when the idempotency key was used before. */
  async #insert(plan: NewPlan, events: string, holder: string | undefined): Promise<boolean> {
    const giveUpAt = performance.now() + INSERT_MS_MAX;
    for (;;) {
      try {
        return await this.#insertOnce(plan, events, holder);
      } catch (error) {
        // The plan's id is its own: it can only be there because the answer to its insert was lost.
        if (sqlStateOf(error) === UNIQUE_VIOLATION) return true;
        if (!(error instanceof ConnectionLost) || performance.now() > giveUpAt) throw error;
        await delay(AGAIN_MS);
      }
    }
  }

  async #insertOnce(plan: NewPlan, events: string, holder: string | undefined): Promise<boolean> {
    const { ref, idempotency } = plan;
    const [row] = await this.#db.query<{ readonly created: boolean }>(
      `SELECT steward_create_plan($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS created`,
      [
        ref.orgId,
        ref.planId,
        plan.sessionId,
        plan.createdAtMs,
        plan.deadlineMs,
        holder ?? null,
        summaryJson(plan),
        JSON.stringify(plan.steps),
        events,
        idempotency?.key ?? null,
        idempotency?.requestHash ?? null,
      ],
    );
    return row?.created === true;
  }

  async #sameRequest(plan: NewPlan): Promise<PlanRecord | undefined> {
    const { idempotency } = plan;
    if (idempotency === undefined) return undefined;
    const earlier = await this.#queries.byIdempotencyKey(plan.ref.orgId, idempotency.key);
    if (earlier === undefined) return undefined;
    if (earlier.requestHash !== idempotency.requestHash) {
      throw new AppError(
        "IDEMPOTENCY_CONFLICT",
        `The idempotency-key was used for another request, which made plan ${earlier.planId}`,
      );
    }
    return this.#queries.record({ orgId: plan.ref.orgId, planId: earlier.planId });
  }
}
