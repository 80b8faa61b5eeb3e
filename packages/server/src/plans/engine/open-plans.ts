import type { PlanRef } from "../ports.js";
import { OpenPlan } from "./open-plan.js";
import type { EngineNode, LoadedPlan, PlanHandover, PlanLog } from "./plan-log.js";
import { planNotFound } from "./refusals.js";

/** Maximum number of open plans; idle ones are closed first. */
const OPEN_PLANS_MAX = 2000;

/** A plan that this node may decide on, or the node that must release it first. */
export type PlanOrOwner =
  | { readonly kind: "open"; readonly plan: OpenPlan }
  | { readonly kind: "owned elsewhere"; readonly nodeId: string };

/** Dependencies of {@link OpenPlans}. */
export interface OpenPlansParts {
  readonly log: PlanLog;
  readonly node: EngineNode;
  readonly handover: PlanHandover;
}

/**
 * The plans that this node works on. This node decides on a plan that it owns from memory: while
 * its lease is valid, no other node decides on that plan. A plan without an owner is read again for
 * each decision.
 */
export class OpenPlans {
  readonly #parts: OpenPlansParts;
  readonly #open = new Map<string, OpenPlan>();
  readonly #loading = new Map<string, Promise<PlanOrOwner>>();
  readonly #releasing = new Set<string>();
  /**
   * Counts the starts and ends of releases. A read that overlaps with a release may still name this
   * node as the owner.
   */
  #releases = 0;

  constructor(parts: OpenPlansParts) {
    this.#parts = parts;
  }

  /** Adds a plan that was just created or read. */
  add(plan: OpenPlan): void {
    this.#makeRoom();
    this.#open.set(keyOf(plan.ref), plan);
  }

  /** All plans open on this node. */
  all(): Iterable<OpenPlan> {
    return this.#open.values();
  }

  /** Closes a plan that needs no more work for now. */
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
   * Whether the plan's ownership is being given up. Meanwhile this node must not become its owner
   * again.
   */
  isReleasing(ref: PlanRef): boolean {
    return this.#releasing.has(keyOf(ref));
  }

  /**
   * The current plan: from memory, and at once, when this node owns it, else from the log. A plan loses
   * its owner when the owner's lease has expired. It rejects with an AppError `PLAN_NOT_FOUND`.
   */
  current(ref: PlanRef): PlanOrOwner | Promise<PlanOrOwner> {
    const plan = this.#open.get(keyOf(ref));
    if (plan !== undefined && this.isOwned(plan)) return { kind: "open", plan };
    return this.#loadOnce(ref);
  }

  /**
   * From now on the plan is read from the log for each decision, while `release` gives up the
   * ownership.
   * @param release gets the plan if it is open here; it is not called while another release runs.
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
      plan?.disown();
      await release(plan);
    } finally {
      this.#releases += 1;
      this.#releasing.delete(key);
    }
  }

  /** Requests for a plan that is being read share that read. */
  #loadOnce(ref: PlanRef): Promise<PlanOrOwner> {
    const key = keyOf(ref);
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = this.#load(ref).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return loading;
  }

  async #load(ref: PlanRef): Promise<PlanOrOwner> {
    const { node, handover } = this.#parts;
    const former = this.#usable(ref);
    await former?.settled();
    const releases = this.#releases;
    let loaded = await this.#read(ref);
    const { owner } = loaded;
    if (owner !== undefined && owner !== node.nodeId) {
      if (await node.isAlive(owner)) return { kind: "owned elsewhere", nodeId: owner };
      // The former owner may still have an append in progress. This node reads the plan again for
      // each decision until it has written to the plan: then the sequence that the former owner's
      // append needs is taken.
      await handover.release(owner, ref);
      loaded = await this.#read(ref);
    }
    const isCurrent = releases === this.#releases && !this.isReleasing(ref);
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

/** The key of a plan or of one of its steps. */
export function keyOf(ref: PlanRef, stepId = ""): string {
  return `${ref.orgId}/${ref.planId}/${stepId}`;
}
