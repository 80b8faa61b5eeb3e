import { postingOf, PriceList, rollupsOf, usageEventOf } from "../../../usage/index.js";
import type { Price, RecordedCall, UsageEvent, UsageRecording } from "../../../usage/ports.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StoreReads } from "../reads/store-reads.js";
import { type FeedConsumer, SqliteToolCallFeed } from "../tool-calls/tool-call-feed.js";
import type { SqliteToolCallLog } from "../tool-calls/tool-call-log.js";
import { readPrices, type SqlitePriceBook } from "./price-book.js";
import { addToTotals, writeEvents } from "./usage-writes.js";

/** The consumer whose cursor in the log of tool calls tells which of them have a usage row. */
const CONSUMER: FeedConsumer = { name: "usage", withOutputs: false };

/** Creates usage rows in SQLite, from the log of tool calls and from external events. */
export class SqliteUsageRecording implements UsageRecording {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #toolCalls: SqliteToolCallFeed;
  readonly #prices: SqlitePriceBook;

  constructor(
    writer: CommitWriter,
    db: StoreReads,
    calls: SqliteToolCallLog,
    prices: SqlitePriceBook,
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#toolCalls = new SqliteToolCallFeed(writer, db, calls, CONSUMER);
    this.#prices = prices;
  }

  async recordPending(limit: number, setAside?: SetAside): Promise<readonly UsageEvent[]> {
    const taken = await this.#toolCalls.take(limit, setAside);
    if (taken.calls.length > 0) {
      const events = await this.#priced(taken.calls);
      await this.#writer.commit([
        ...this.#toolCalls.doneWrites(taken),
        writeEvents(events),
        ...addToTotals(rollupsOf(events.map(postingOf))),
      ]);
      return events;
    }
    await this.#toolCalls.done(taken);
    // All calls of the batch were set aside; more may follow them.
    return taken.isCut ? this.recordPending(limit, setAside) : [];
  }

  async recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
  ): Promise<readonly UsageEvent[]> {
    const added = this.#withoutKnown(eventsAt(await this.#prices.list(orgId)));
    if (added.length === 0) return [];
    await this.#writer.commitEffect([
      writeEvents(added),
      ...addToTotals(rollupsOf(added.map(postingOf))),
    ]);
    return added;
  }

  /** The usage rows of tool calls, each priced by its own organization's list. */
  async #priced(calls: readonly RecordedCall[]): Promise<readonly UsageEvent[]> {
    const lists = new Map<string, PriceList>();
    const events: UsageEvent[] = [];
    for (const call of calls) {
      const { orgId } = call;
      const list = lists.get(orgId) ?? new PriceList(await readPrices(this.#db, orgId));
      lists.set(orgId, list);
      events.push(usageEventOf(call, list));
    }
    return events;
  }

  /** The events that are not stored yet, each of them once. */
  #withoutKnown(events: readonly UsageEvent[]): readonly UsageEvent[] {
    const known = new Set<string>();
    return events.filter((event) => {
      const { orgId, source = null, sourceEventId = null } = event;
      const key = JSON.stringify([orgId, source, sourceEventId]);
      const stored = this.#db.get(
        `SELECT 1 FROM usage_events WHERE org_id = ? AND source = ? AND source_event_id = ?`,
        orgId,
        source,
        sourceEventId,
      );
      if (stored !== undefined || known.has(key)) return false;
      known.add(key);
      return true;
    });
  }
}
