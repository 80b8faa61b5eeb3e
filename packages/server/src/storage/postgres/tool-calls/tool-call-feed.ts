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

/** The plans of a batch, and the parts of their logs that were read. */
interface Taken {
  readonly refs: readonly PlanRef[];
  readonly parts: readonly UnreadCalls[];
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
  readonly #taken = new Map<ToolCallBatch, Taken>();

  constructor(db: Database, consumer: CallConsumer, unread: UnreadPlans) {
    this.#db = db;
    this.#consumer = consumer;
    this.#unread = unread;
  }

  async take(limit: number, setAside?: SetAside): Promise<ToolCallBatch> {
    for (const taken of [...this.#taken.keys()]) this.release(taken);
    await this.#unread.begin();
    const known = this.#unread.takeAny(PLANS_MAX);
    // A plan that cannot be read waits until a sweep finds it again.
    const tried = known.filter(({ planId }) => setAside?.isWaiting(planId) !== true);
    try {
      const read = await readUnreadOf(this.#db, this.#consumer, tried, limit);
      for (const ref of read.left) this.#unread.add(ref);
      tellUnreadable(setAside, tried, read.unreadable);
      const calls = read.parts.flatMap((part) => part.calls);
      const batch = { calls, isCut: read.left.length > 0 || known.length === PLANS_MAX };
      const refs = tried.filter(({ planId }) => !read.unreadable.has(planId));
      this.#taken.set(batch, { refs, parts: read.parts });
      return batch;
    } catch (error) {
      for (const ref of tried) this.#unread.add(ref);
      throw error;
    }
  }

  async done(taken: ToolCallBatch): Promise<void> {
    const parts = this.partsOf(taken);
    if (parts.length > 0) {
      await this.#db.transaction((connection) => acknowledge(connection, this.#consumer, parts));
    }
    this.forget(taken);
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

  /** The parts of plan logs in a batch, for a consumer that acknowledges them itself. */
  partsOf(batch: ToolCallBatch): readonly UnreadCalls[] {
    const taken = this.#taken.get(batch);
    assert(taken !== undefined, "a batch is done once, by the feed that it was taken from");
    return taken.parts;
  }

  /** Removes a batch that was acknowledged. */
  forget(batch: ToolCallBatch): void {
    this.#taken.delete(batch);
  }

  /**
   * Makes the plans of a batch unread again, because it was not processed, or by another process.
   */
  release(batch: ToolCallBatch): void {
    for (const ref of this.#taken.get(batch)?.refs ?? []) this.#unread.add(ref);
    this.#taken.delete(batch);
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
