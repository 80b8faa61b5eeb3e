import { assert } from "@steward/kernel/assert.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { ToolCallBatch, ToolCallFeed } from "../../../kernel/tool-call.js";
import type { PlanRef } from "../../../plans/ports.js";
import { WAITING_COUNTED_MAX } from "../../waiting-calls.js";
import { acknowledge, readUnreadOf, type CallConsumer, type UnreadCalls } from "./unread-calls.js";
import type { Database } from "../database.js";
import type { UnreadPlans } from "./unread-plans.js";

/** Plans whose calls a batch is taken from. A plan has a few calls, so that hardly more are read than taken. */
export const PLANS_MAX = 64;

/** What a batch is made of. */
interface Taken {
  readonly refs: readonly PlanRef[];
  readonly batch?: ToolCallBatch;
  readonly parts: readonly UnreadCalls[];
}

/** What reading the logs of plans has found. */
export interface ReadPlans {
  /** Plans that were not read to their ends. */
  readonly left: readonly PlanRef[];
  /** Why a plan's log cannot be read further, by the plan's id. */
  readonly unreadable: ReadonlyMap<string, Error>;
}

/**
 * One consumer's positions in the logs of the plans. A single cursor over all calls would lose
 * calls: of two concurrent transactions, the one with the lower number may commit later, after the
 * cursor has passed it. Each plan's log has one writer and no gaps, so a position in it is safe. It
 * moves only from where it was when the batch was read, so of two processes only one processes a
 * batch. A plan's log waits where a call cannot be read, until a sweep finds the plan again; the other
 * plans go on.
 */
export class PostgresToolCallFeed implements ToolCallFeed {
  readonly #db: Database;
  readonly #consumer: CallConsumer;
  readonly #unread: UnreadPlans;
  /** The batch that was taken last, until it is acknowledged. */
  #taken: Taken | undefined;

  constructor(db: Database, consumer: CallConsumer, unread: UnreadPlans) {
    this.#db = db;
    this.#consumer = consumer;
    this.#unread = unread;
  }

  async take(limit: number, setAside?: SetAside): Promise<ToolCallBatch> {
    const read = (
      plans: readonly PlanRef[],
    ): Promise<ReadPlans & { parts: readonly UnreadCalls[] }> =>
      readUnreadOf(this.#db, this.#consumer, plans, limit);
    const { parts, isCut } = await this.takeWith(read, setAside);
    const batch = { calls: parts.flatMap((part) => part.calls), isCut };
    this.#taken = { refs: this.#taken?.refs ?? [], batch, parts };
    return batch;
  }

  async done(taken: ToolCallBatch): Promise<void> {
    assert(
      this.#taken?.batch === taken,
      "a batch is done once, and is the one that was taken last",
    );
    const { parts } = this.#taken;
    if (parts.length > 0) {
      await this.#db.transaction((connection) => acknowledge(connection, this.#consumer, parts));
    }
    this.forget();
  }

  /**
   * Takes a batch from plans with calls that were not processed yet. Those of a batch that was taken before and
   * is not forgotten are among them.
   * @param read reads the plans' logs, here or in a thread.
   */
  async takeWith<Read extends ReadPlans>(
    read: (plans: readonly PlanRef[]) => Promise<Read>,
    setAside?: SetAside,
  ): Promise<Read & { readonly isCut: boolean }> {
    for (const ref of this.#taken?.refs ?? []) this.#unread.add(ref);
    this.forget();
    await this.#unread.begin();
    const known = this.#unread.takeAny(PLANS_MAX);
    // A plan that cannot be read waits until a sweep finds it again.
    const tried = known.filter(({ planId }) => setAside?.isWaiting(planId) !== true);
    try {
      const found = await read(tried);
      for (const ref of found.left) this.#unread.add(ref);
      tellUnreadable(setAside, tried, found.unreadable);
      const refs = tried.filter(({ planId }) => !found.unreadable.has(planId));
      this.#taken = { refs, parts: [] };
      return { ...found, isCut: found.left.length > 0 || known.length === PLANS_MAX };
    } catch (error) {
      for (const ref of tried) this.#unread.add(ref);
      throw error;
    }
  }

  /** The batch that was taken last is acknowledged. */
  forget(): void {
    this.#taken = undefined;
  }

  async waiting(orgId?: string): Promise<number> {
    const ofOrganization = orgId === undefined ? "" : "AND p.org_id = $2 AND c.org_id = $2";
    const [row] = await this.#db.query<{ readonly count: number }>(
      `SELECT count(*) FROM (
         SELECT 1 FROM plans AS p JOIN plan_changes AS c USING (org_id, plan_id)
         WHERE NOT p.is_settled AND c.sequence > p.${this.#consumer}_through AND c.call IS NOT NULL
           ${ofOrganization}
         LIMIT $1) AS waiting`,
      [WAITING_COUNTED_MAX, ...(orgId === undefined ? [] : [orgId])],
    );
    return row?.count ?? 0;
  }

  onNews(wake: () => void): Unsubscribe {
    return this.#unread.onNews(wake);
  }
}

/** Tells a consumer's loop which of the plans that it has tried cannot be read. */
export function tellUnreadable(
  setAside: SetAside | undefined,
  tried: readonly PlanRef[],
  unreadable: ReadonlyMap<string, Error>,
): void {
  for (const { planId } of tried) {
    const error = unreadable.get(planId);
    if (error === undefined) setAside?.succeeded(planId);
    else setAside?.failed(planId, error);
  }
}
