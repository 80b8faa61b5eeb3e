import type { PlanRef } from "../../plans/ports.js";
import type { Database } from "./database.js";
import type { NodeLease } from "./node-lease.js";
import { OpenPlan, type LoadedPlan } from "./open-plan.js";
import { planNotFound, type PlanQueries } from "./plan-queries.js";

/** Plans kept open at once; idle ones make room first. */
const OPEN_PLANS_MAX = 2000;

/** A plan that may be decided on here, or the node that must let go of it first. */
export type Access =
  | { readonly kind: "open"; readonly plan: OpenPlan }
  | { readonly kind: "held elsewhere"; readonly nodeId: string };

/**
 * The plans this node works on. A plan that the node holds is decided on from memory: nobody else
 * claims its steps, for as long as the node's lease holds. One that is shared is read anew for each
 * decision.
 */
export class PlanCache {
  readonly #db: Database;
  readonly #node: NodeLease;
  readonly #queries: PlanQueries;
  readonly #open = new Map<string, OpenPlan>();
  readonly #loading = new Map<string, Promise<Access>>();
  readonly #releasing = new Set<string>();

  constructor(db: Database, node: NodeLease, queries: PlanQueries) {
    this.#db = db;
    this.#node = node;
    this.#queries = queries;
  }

  /** A plan that was just created, held by this node. */
  add(plan: OpenPlan): void {
    this.#makeRoom();
    this.#open.set(keyOf(plan.ref), plan);
  }

  /** The plan as this node last knew it, if it is open here. */
  peek(ref: PlanRef): OpenPlan | undefined {
    const plan = this.#open.get(keyOf(ref));
    return plan?.broken === true ? undefined : plan;
  }

  /** Every plan open here. */
  plans(): Iterable<OpenPlan> {
    return this.#open.values();
  }

  /** Closes a plan with which nothing is to be done soon. */
  close(plan: OpenPlan): void {
    const key = keyOf(plan.ref);
    if (this.#open.get(key) === plan) this.#open.delete(key);
  }

  /** Decides on the plan from its rows from now on, while `release` lets others do so too. */
  async releasing(
    ref: PlanRef,
    release: (plan: OpenPlan | undefined) => Promise<void>,
  ): Promise<void> {
    const key = keyOf(ref);
    if (this.#releasing.has(key)) return;
    this.#releasing.add(key);
    try {
      const plan = this.peek(ref);
      if (plan !== undefined) plan.heldBy = undefined;
      await release(plan);
    } finally {
      this.#releasing.delete(key);
    }
  }

  /** Whether the plan can be decided on from memory. */
  isHeld(plan: OpenPlan): boolean {
    return !plan.broken && plan.heldBy === this.#node.nodeId && this.#node.holds;
  }

  /**
   * The plan as it is now: from memory when this node holds it, else from its rows. A plan whose
   * holder is gone is nobody's.
   * @throws AppError `PLAN_NOT_FOUND`.
   */
  current(ref: PlanRef): Promise<Access> {
    const plan = this.#open.get(keyOf(ref));
    if (plan !== undefined && this.isHeld(plan)) return Promise.resolve({ kind: "open", plan });
    return this.#loadOnce(ref);
  }

  /** Whoever asks while the plan is being read gets what is read then. */
  #loadOnce(ref: PlanRef): Promise<Access> {
    const key = keyOf(ref);
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = this.#load(ref).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return loading;
  }

  async #load(ref: PlanRef): Promise<Access> {
    const former = this.peek(ref);
    await former?.settled();
    let loaded = await this.#queries.load(ref);
    if (loaded === undefined) throw planNotFound(ref);
    if (loaded.holder !== undefined && loaded.holder !== this.#node.nodeId) {
      const { holder } = loaded;
      if (await this.#node.isAlive(holder)) return { kind: "held elsewhere", nodeId: holder };
      await this.#release(ref, holder);
      loaded = await this.#queries.load(ref);
      if (loaded === undefined) throw planNotFound(ref);
    }
    return { kind: "open", plan: this.#keep(ref, loaded, former) };
  }

  #keep(ref: PlanRef, loaded: LoadedPlan, former: OpenPlan | undefined): OpenPlan {
    const isUnchanged =
      former !== undefined &&
      !former.broken &&
      this.#open.get(keyOf(ref)) === former &&
      former.state.lastSequence >= loaded.state.lastSequence;
    const plan = isUnchanged
      ? former
      : new OpenPlan({ orgId: ref.orgId, planId: ref.planId }, loaded);
    if (!isUnchanged) this.add(plan);
    const isOurs = loaded.holder === this.#node.nodeId && !this.#releasing.has(keyOf(ref));
    plan.heldBy = isOurs ? this.#node.nodeId : undefined;
    return plan;
  }

  /**
   * A node that is gone holds nothing. It may still have a write under way, so the plan is shared: until
   * this node has written to it, and so taken the sequence of any other, it is read anew for each decision.
   */
  async #release(ref: PlanRef, former: string): Promise<void> {
    await this.#db.query(
      `UPDATE plans SET holder = NULL, is_wanted = false
       WHERE org_id = $1 AND plan_id = $2 AND holder = $3`,
      [ref.orgId, ref.planId, former],
    );
  }

  #makeRoom(): void {
    if (this.#open.size < OPEN_PLANS_MAX) return;
    for (const [key, plan] of this.#open) {
      if (!plan.idle) continue;
      this.#open.delete(key);
      return;
    }
  }
}

/** Names a plan, or one of its steps. */
export function keyOf(ref: PlanRef, stepId = ""): string {
  return `${ref.orgId}/${ref.planId}/${stepId}`;
}
