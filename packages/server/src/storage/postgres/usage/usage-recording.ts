import { postingOf, PriceList, rollupsOf, usageEventOf } from "../../../usage/index.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { Price, UsageEvent, UsageRecording } from "../../../usage/ports.js";
import { byOrganization } from "../by-organization.js";
import { OutcomeUnknown, type Connection, type Database } from "../database.js";
import { acknowledge, type UnreadCalls } from "../tool-calls/unread-calls.js";
import { PostgresToolCallFeed } from "../tool-calls/tool-call-feed.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";
import { settled } from "../settled.js";
import { pricesOf } from "./price-book.js";
import { lockLedger } from "./usage-ledger.js";
import { addToTotals, insertEvents } from "./usage-writes.js";

/**
 * Creates usage rows in PostgreSQL. Several nodes record at once. When two nodes have read the same
 * calls, the first one to move the position in the plan's log creates the rows.
 */
export class PostgresUsageRecording implements UsageRecording {
  readonly #db: Database;
  readonly #toolCalls: PostgresToolCallFeed;
  /** Recorded, but not told of, because something failed afterwards. */
  #untold: readonly UsageEvent[] = [];

  constructor(db: Database, unread: UnreadPlans) {
    this.#db = db;
    this.#toolCalls = new PostgresToolCallFeed(db, "usage", unread);
  }

  async recordPending(limit: number, setAside?: SetAside): Promise<readonly UsageEvent[]> {
    const recorded = [...this.#untold];
    this.#untold = recorded;
    for (let isMore = true; isMore && recorded.length < limit;) {
      const taken = await this.#toolCalls.take(limit - recorded.length, setAside);
      isMore = taken.isCut;
      const byOrg = byOrganization(this.#toolCalls.partsOf(taken), ({ ref }) => ref.orgId);
      for (const parts of byOrg.values()) {
        const { events, isComplete } = await this.#recordParts(parts);
        recorded.push(...events);
        isMore ||= !isComplete;
      }
      // The node reads the plan again when another node has recorded the calls, because more calls
      // may follow them.
      if (isMore) this.#toolCalls.release(taken);
      else this.#toolCalls.forget(taken);
    }
    this.#untold = [];
    return recorded;
  }

  recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
  ): Promise<readonly UsageEvent[]> {
    let added: readonly UsageEvent[] = [];
    const write = (): Promise<readonly UsageEvent[]> =>
      this.#db.effect(async (connection) => {
        await lockLedger(connection, orgId, "SHARE");
        const events = eventsAt(await pricesOf(connection, orgId));
        const ids = await insertEvents(connection, orgId, events);
        added = events.filter(({ id }) => ids.has(id));
        await addToTotals(connection, rollupsOf(added.map(postingOf)));
        return added;
      });
    return settled(write, async () => ((await this.#isRecorded(added)) ? added : undefined));
  }

  /** @param parts of plans' logs of one organization. @returns whether all of them were left to this node. */
  async #recordParts(
    parts: readonly UnreadCalls[],
  ): Promise<{ readonly events: readonly UsageEvent[]; readonly isComplete: boolean }> {
    let events: readonly UsageEvent[] = [];
    try {
      const plans = await this.#db.transaction(async (connection) => {
        const acknowledged = await acknowledge(connection, "usage", parts);
        const own = parts.filter(({ ref }) => acknowledged.has(ref.planId));
        events = await recordOn(connection, own);
        return acknowledged;
      });
      return { events, isComplete: plans.size === parts.length };
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || !(await this.#isRecorded(events))) throw error;
      return { events, isComplete: false };
    }
  }

  /** After a commit whose answer was lost: all of a batch is there, or nothing. */
  async #isRecorded([first]: readonly UsageEvent[]): Promise<boolean> {
    if (first === undefined) return false;
    const rows = await this.#db.query(
      `SELECT FROM usage_events WHERE org_id = $1 AND occurred_at_ms = $2 AND id = $3`,
      [first.orgId, first.occurredAtMs, first.id],
    );
    return rows.length > 0;
  }
}

/** @param parts of plans' logs of one organization. @returns the rows of their calls. */
async function recordOn(
  connection: Connection,
  parts: readonly UnreadCalls[],
): Promise<readonly UsageEvent[]> {
  const orgId = parts[0]?.ref.orgId ?? "";
  const calls = parts.flatMap((part) => part.calls);
  if (calls.length === 0) return [];
  await lockLedger(connection, orgId, "SHARE");
  const prices = new PriceList(await pricesOf(connection, orgId));
  const events = calls.map((call) => usageEventOf(call, prices));
  await insertEvents(connection, orgId, events);
  await addToTotals(connection, rollupsOf(events.map(postingOf)));
  await connection.query(
    `DELETE FROM usage_reservations WHERE org_id = $1 AND call_id = ANY ($2::uuid[])`,
    [orgId, events.map(({ id }) => id)],
  );
  return events;
}
