import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { Log } from "@steward/kernel/log.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { LogConsumer } from "./unread-calls.js";
import type { Database } from "../database.js";
import type { NodeLease } from "../node-lease.js";

/** Interval between searches of the store for unconsumed tool calls, in heartbeats. */
const SWEEP_BEATS = 30;
/** Maximum number of plans found in one sweep; later sweeps find the rest. */
const SWEEP_PLANS_MAX = 1000;

/**
 * Plans with tool calls, or changes, that a consumer of this node has not read yet. A node consumes
 * what it has written itself. A sweep finds the unread calls of dead nodes. Sweeps run at the
 * start, at the first heartbeat (by then the dead nodes' last writes are visible), when the set of
 * nodes changes, and periodically.
 */
export class UnreadPlans {
  readonly #db: Database;
  readonly #consumer: LogConsumer;
  readonly #node: NodeLease;
  /** Plans of the current round, by organization. */
  readonly #round = new Map<string, Set<string>>();
  /** Plans that have become unread since. */
  readonly #next = new Map<string, Set<string>>();
  readonly #foundListeners = new Set<(found: readonly PlanRef[]) => void>();
  readonly #newsListeners = new Set<() => void>();
  #swept: Promise<void>;
  #beats = 0;
  /** The other nodes as of the last heartbeat. */
  #others: string | undefined;
  #isDue = true;

  constructor(db: Database, consumer: LogConsumer, node: NodeLease, log: Log) {
    this.#db = db;
    this.#consumer = consumer;
    this.#node = node;
    this.#swept = Promise.resolve();
    node.onBeat(() => {
      this.#beats += 1;
      const others = node.others.toSorted().join();
      if (others === this.#others && this.#beats % SWEEP_BEATS !== 0) return;
      this.#others = others;
      this.#isDue = true;
      this.sweep().catch((error: unknown) => {
        log.warn({ err: error }, "the store could not be searched for tool calls");
      });
    });
  }

  /** Registers `listener`, which is called with the plans that a sweep has found. */
  onFound(listener: (found: readonly PlanRef[]) => void): void {
    this.#foundListeners.add(listener);
  }

  /** Registers `wake`, which is called when plans have become unread. */
  onNews(wake: () => void): Unsubscribe {
    this.#newsListeners.add(wake);
    return () => this.#newsListeners.delete(wake);
  }

  /** Adds a plan with tool calls that this node has just recorded. */
  recorded(ref: PlanRef): void {
    this.add(ref);
    this.#notify();
  }

  /** Adds a plan that is unread, or was not read completely. */
  add({ orgId, planId }: PlanRef): void {
    if (this.#round.get(orgId)?.has(planId) !== true) addTo(this.#next, orgId, [planId]);
  }

  /**
   * Starts a round over the plans that are unread now. Plans that become unread meanwhile wait for
   * the next round: a consumer that reads until nothing is left would otherwise keep running while
   * steps run, with only a few calls in each transaction.
   */
  async begin(): Promise<void> {
    await this.sweep();
    for (const [orgId, planIds] of this.#next) addTo(this.#round, orgId, planIds);
    this.#next.clear();
  }

  /**
   * Removes some plans of one organization from the round; the caller adds those again that it does
   * not read completely. An empty result means that the round has ended.
   */
  take(plansMax: number): readonly PlanRef[] {
    const [first] = this.#round;
    if (first === undefined) return [];
    const [orgId, plans] = first;
    const planIds = [...plans].slice(0, plansMax);
    for (const planId of planIds) plans.delete(planId);
    // Reads one organization after the other.
    this.#round.delete(orgId);
    if (plans.size > 0) this.#round.set(orgId, plans);
    return planIds.map((planId) => ({ orgId, planId }));
  }

  /** Like {@link take}, from as many organizations as needed. */
  takeAny(plansMax: number): readonly PlanRef[] {
    const refs: PlanRef[] = [];
    for (let some = this.take(plansMax); some.length > 0;) {
      refs.push(...some);
      some = this.take(plansMax - refs.length);
    }
    return refs;
  }

  /** Every plan that is known to have unread calls. */
  async all(): Promise<readonly PlanRef[]> {
    await this.sweep();
    return [...this.#round, ...this.#next].flatMap(([orgId, plans]) =>
      [...plans].map((planId) => ({ orgId, planId })),
    );
  }

  /**
   * Searches the store for unconsumed calls when a search is due. @returns when the search has
   * ended.
   */
  sweep(): Promise<void> {
    if (!this.#isDue) return this.#swept;
    this.#isDue = false;
    this.#swept = this.#sweep().catch((error: unknown) => {
      this.#isDue = true;
      throw error;
    });
    return this.#swept;
  }

  async #sweep(): Promise<void> {
    const calls = this.#consumer === "audit" ? "" : "AND c.call IS NOT NULL";
    const rows = await this.#db.query<{ readonly org_id: string; readonly plan_id: string }>(
      `SELECT p.org_id, p.plan_id FROM plans AS p
       WHERE NOT p.is_settled AND (p.owner_node IS NULL OR p.owner_node <> ALL ($1::uuid[]))
         AND (p.finished_at_ms IS NOT NULL OR EXISTS (SELECT FROM plan_changes AS c
           WHERE c.org_id = p.org_id AND c.plan_id = p.plan_id
             AND c.sequence > p.${this.#consumer}_through ${calls}))
       ORDER BY p.plan_id LIMIT $2`,
      [this.#node.others, SWEEP_PLANS_MAX],
    );
    const found = rows.map((row) => ({ orgId: row.org_id, planId: row.plan_id }));
    for (const ref of found) this.add(ref);
    if (found.length > 0) {
      for (const listener of this.#foundListeners) listener(found);
      this.#notify();
    }
    if (rows.length === SWEEP_PLANS_MAX) this.#isDue = true;
  }

  #notify(): void {
    for (const wake of this.#newsListeners) wake();
  }
}

function addTo(plans: Map<string, Set<string>>, orgId: string, planIds: Iterable<string>): void {
  const known = plans.get(orgId) ?? new Set();
  for (const planId of planIds) known.add(planId);
  plans.set(orgId, known);
}
