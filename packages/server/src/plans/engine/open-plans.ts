import type { PlanRef } from "../ports.js";
import { OpenPlan } from "./open-plan.js";
import type { EngineNode, LoadedPlan, PlanHandover, PlanLog } from "./plan-log.js";
import { planNotFound } from "./refusals.js";

/** Plans kept open at once; idle ones make room first. */
const OPEN_PLANS_MAX = 2000;

/** A plan that may be decided on here, or the node that must release it first. */
export type Access =
  | { readonly kind: "open"; readonly plan: OpenPlan }
  | { readonly kind: "owned elsewhere"; readonly nodeId: string };

/** What the open plans are kept with. */
export interface OpenPlansParts {
  readonly log: PlanLog;
  readonly node: EngineNode;
  readonly handover: PlanHandover;
}

/**
 * The plans this node works on. A plan that the node owns is decided on from memory: while the node's
 * lease is valid, nobody else decides on it. A plan that is shared is read again for each decision.
 */
export class OpenPlans {
  readonly #parts: OpenPlansParts;
  readonly #open = new Map<string, OpenPlan>();
  readonly #loading = new Map<string, Promise<Access>>();
  readonly #releasing = new Set<string>();
  /** Counts the beginnings and ends of releases: what was read beside one may name this node as the owner still. */
  #releases = 0;

  constructor(parts: OpenPlansParts) {
    this.#parts = parts;
  }

  /** Keeps a plan that was just created or read. */
  add(plan: OpenPlan): void {
    this.#makeRoom();
    this.#open.set(keyOf(plan.ref), plan);
  }

  /** Every plan open here. */
  all(): Iterable<OpenPlan> {
    return this.#open.values();
  }

  /** Closes a plan with which nothing is to be done soon. */
  close(plan: OpenPlan): void {
    const key = keyOf(plan.ref);
    if (this.#open.get(key) === plan) this.#open.delete(key);
  }

  /** Whether the plan can be decided on from memory. */
  isOwned(plan: OpenPlan): boolean {
    const { node } = this.#parts;
    return !plan.broken && plan.owner === node.nodeId && node.hasLease;
  }

  /**
   * The plan as it is now: from memory when this node owns it, else from the log. A plan whose owner is
   * gone becomes shared.
   * @throws AppError `PLAN_NOT_FOUND`.
   */
  current(ref: PlanRef): Promise<Access> {
    const plan = this.#open.get(keyOf(ref));
    if (plan !== undefined && this.isOwned(plan)) return Promise.resolve({ kind: "open", plan });
    return this.#loadOnce(ref);
  }

  /**
   * Has the plan decided on from the log from now on, while `release` makes it shared.
   * @param release is given the plan if it is open here; it is not called while a release is under way.
   */
  async releasing(
    ref: PlanRef,
    release: (plan: OpenPlan | undefined) => Promise<void>,
  ): Promise<void> {
    const key = keyOf(ref);
    if (this.#releasing.has(key)) return;
    this.#releasing.add(key);
    this.#releases += 1;
    try {
      const plan = this.#usable(ref);
      if (plan !== undefined) plan.owner = undefined;
      await release(plan);
    } finally {
      this.#releases += 1;
      this.#releasing.delete(key);
    }
  }

  /** Whoever asks while the plan is being read is given what is read then. */
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
    const { node, handover } = this.#parts;
    const former = this.#usable(ref);
    await former?.settled();
    const releases = this.#releases;
    let loaded = await this.#read(ref);
    const { owner } = loaded;
    if (owner !== undefined && owner !== node.nodeId) {
      if (await node.isAlive(owner)) return { kind: "owned elsewhere", nodeId: owner };
      // The former owner may still have an append under way. The plan is read again for each decision
      // until this node has written to it, and so taken the sequence that such an append needs.
      await handover.release(owner, ref);
      loaded = await this.#read(ref);
    }
    const isCurrent = releases === this.#releases && !this.#releasing.has(keyOf(ref));
    const plan = this.#keep(ref, loaded, former);
    plan.owner = loaded.owner === node.nodeId && isCurrent ? node.nodeId : undefined;
    return { kind: "open", plan };
  }

  async #read(ref: PlanRef): Promise<LoadedPlan> {
    const loaded = await this.#parts.log.load(ref);
    if (loaded === undefined) throw planNotFound(ref);
    return loaded;
  }

  #keep(ref: PlanRef, loaded: LoadedPlan, former: OpenPlan | undefined): OpenPlan {
    const isUnchanged =
      former !== undefined &&
      !former.broken &&
      this.#open.get(keyOf(ref)) === former &&
      former.state.lastSequence >= loaded.state.lastSequence;
    if (isUnchanged) return former;
    const plan = new OpenPlan(this.#parts.log, ref, loaded);
    this.add(plan);
    return plan;
  }

  #usable(ref: PlanRef): OpenPlan | undefined {
    const plan = this.#open.get(keyOf(ref));
    return plan?.broken === true ? undefined : plan;
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
