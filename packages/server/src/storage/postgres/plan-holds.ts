import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { PlanRef } from "../../plans/ports.js";
import type { Database } from "./database.js";
import type { NodeLease } from "./node-lease.js";
import type { OpenPlan } from "./open-plan.js";
import type { PlanCache } from "./plan-cache.js";
import type { Signals } from "./signals.js";

/** How often a plan that another node holds is looked at, in ms. */
const POLL_MS = 50;
/** How long another node is waited for before the caller is told to come back, in ms. */
const HOLD_MS_MAX = 15_000;

/** What holds are built on. */
export interface PlanHoldsOptions {
  readonly db: Database;
  readonly node: NodeLease;
  readonly signals: Signals;
  readonly plans: PlanCache;
  /** Writes what is known of a plan, claims of reads too. */
  readonly write: (plan: OpenPlan) => Promise<unknown>;
  readonly changed: (ref: PlanRef) => void;
  readonly onPlanEvents: (planId: string, wake: () => void) => Unsubscribe;
}

/** Who holds which plan: asking another node for one, and letting go of one when asked. */
export class PlanHolds {
  readonly #db: Database;
  readonly #node: NodeLease;
  readonly #signals: Signals;
  readonly #plans: PlanCache;
  readonly #write: PlanHoldsOptions["write"];
  readonly #changed: PlanHoldsOptions["changed"];
  readonly #onPlanEvents: PlanHoldsOptions["onPlanEvents"];

  constructor(options: PlanHoldsOptions) {
    this.#db = options.db;
    this.#node = options.node;
    this.#signals = options.signals;
    this.#plans = options.plans;
    this.#write = options.write;
    this.#changed = options.changed;
    this.#onPlanEvents = options.onPlanEvents;
  }

  /**
   * The plan, once it may be decided on here.
   * @throws AppError `PLAN_NOT_FOUND`; `STORE_UNAVAILABLE` when its holder does not let go.
   */
  async opened(ref: PlanRef): Promise<OpenPlan> {
    const giveUpAt = performance.now() + HOLD_MS_MAX;
    for (;;) {
      const access = await this.#plans.current(ref);
      if (access.kind === "open") return access.plan;
      if (performance.now() > giveUpAt) throw heldTooLong(ref);
      await this.want(access.nodeId, ref);
      await this.#untilNews(ref);
    }
  }

  async #untilNews(ref: PlanRef): Promise<void> {
    const news = new AbortController();
    const unsubscribe = this.#onPlanEvents(ref.planId, () => {
      news.abort();
    });
    await delay(POLL_MS, undefined, { signal: news.signal }).catch(() => undefined);
    unsubscribe();
  }

  /** Asks the holder to let go: by a signal, and in writing should that be lost. */
  async want(nodeId: string, ref: PlanRef): Promise<void> {
    this.#signals.wanted(nodeId, ref);
    await this.#db.query(
      `UPDATE plans SET is_wanted = true
       WHERE org_id = $1 AND plan_id = $2 AND holder = $3 AND NOT is_wanted`,
      [ref.orgId, ref.planId, nodeId],
    );
  }

  /** Lets go of the plans that others have asked for in writing. */
  async letGoOfWanted(): Promise<void> {
    const rows = await this.#db.query<{ readonly org_id: string; readonly plan_id: string }>(
      `SELECT org_id, plan_id FROM plans WHERE is_wanted AND holder = $1`,
      [this.#node.nodeId],
    );
    for (const row of rows) await this.letGo({ orgId: row.org_id, planId: row.plan_id });
  }

  /** Makes what is known of a plan durable, claims of reads too, and lets others decide on it. */
  letGo(ref: PlanRef): Promise<void> {
    return this.#plans.releasing(ref, async (plan) => {
      if (plan !== undefined) await this.#write(plan);
      await this.#db.query(
        `UPDATE plans SET holder = NULL, is_wanted = false
         WHERE org_id = $1 AND plan_id = $2 AND holder = $3`,
        [ref.orgId, ref.planId, this.#node.nodeId],
      );
      this.#changed(ref);
    });
  }
}

function heldTooLong(ref: PlanRef): AppError {
  return new AppError(
    "STORE_UNAVAILABLE",
    `Plan ${ref.planId} is being worked on by another server, which does not let go of it now`,
    { retryAfterMs: 1000 },
  );
}
