import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { RecordedOperation } from "../../../kernel/recorded-operation.js";
import { postingOf, rollupsOf } from "../../../usage/index.js";
import type { Price, UsageEvent, UsageRecording } from "../../../usage/ports.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import { PRICE, pricesOf } from "../../cold/price-book.js";
import type { Database } from "../database.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import { settled } from "../settled.js";
import { rowsOn } from "../sql-store.js";
import { tellUnreadable } from "../tool-calls/tool-call-feed.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";
import { lockLedger } from "./usage-ledger.js";
import { addToTotals, insertEvents, isRecorded } from "./usage-writes.js";

/** Maximum number of plans whose tool calls one statement reads. */
const PLANS_MAX = 256;

/** Creates usage rows in PostgreSQL, from the logs of plans and from external events. */
export class PostgresUsageRecording implements UsageRecording {
  readonly #db: Database;
  readonly #thread: Pick<DerivationThread<DerivationCalls>, "call">;
  readonly #unread: UnreadPlans;
  /** Recorded, but not told of, because something failed afterwards. */
  #untold: readonly UsageEvent[] = [];

  constructor(
    db: Database,
    thread: Pick<DerivationThread<DerivationCalls>, "call">,
    unread: UnreadPlans,
  ) {
    this.#db = db;
    this.#thread = thread;
    this.#unread = unread;
  }

  async recordPending(limit: number, setAside?: SetAside): Promise<readonly UsageEvent[]> {
    const recorded = [...this.#untold];
    this.#untold = recorded;
    for (let isMore = true; isMore && recorded.length < limit;) {
      await this.#unread.begin();
      isMore = await this.#recordRound(recorded, limit, setAside);
    }
    this.#untold = [];
    return recorded;
  }

  recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
    operation?: RecordedOperation,
  ): Promise<readonly UsageEvent[]> {
    let added: readonly UsageEvent[] = [];
    const write = (): Promise<readonly UsageEvent[]> =>
      this.#db.effect(async (connection) => {
        await lockLedger(connection, orgId, "SHARE");
        const events = eventsAt(await rowsOn(connection, pricesOf(orgId), PRICE));
        const ids = await insertEvents(connection, orgId, events);
        added = events.filter(({ id }) => ids.has(id));
        await addToTotals(connection, rollupsOf(added.map(postingOf)));
        return added;
      }, operation);
    return settled(write, async () => ((await isRecorded(this.#db, added)) ? added : undefined));
  }

  /**
   * Records the calls of the plans that are unread now.
   * @param recorded gets the new rows, up to `limit` of them.
   * @returns whether more calls may wait.
   */
  async #recordRound(recorded: UsageEvent[], limit: number, setAside?: SetAside): Promise<boolean> {
    let isMore = false;
    while (recorded.length < limit) {
      const known = this.#unread.take(PLANS_MAX);
      const [first] = known;
      if (first === undefined) return isMore;
      const { orgId } = first;
      // A plan that cannot be read waits until a sweep finds it again.
      const tried = known.filter(({ planId }) => setAside?.isWaiting(planId) !== true);
      if (tried.length === 0) continue;
      const planIds = tried.map(({ planId }) => planId);
      const input = { plans: { orgId, planIds }, limit: limit - recorded.length };
      const { events, left, unreadable } = await this.#thread
        .call("recordUsage", input)
        .catch((error: unknown) => {
          for (const ref of tried) this.#unread.add(ref);
          throw error;
        });
      recorded.push(...events);
      for (const planId of left) this.#unread.add({ orgId, planId });
      tellUnreadable(setAside, tried, unreadable);
      isMore ||= left.length > 0;
    }
    return true;
  }
}
