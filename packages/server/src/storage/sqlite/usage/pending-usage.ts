import { postingOf, PriceList, rollupsOf, usageEventOf } from "../../../usage/index.js";
import type { RecordedCall, UsageEvent } from "../../../usage/ports.js";
import { PRICE, pricesOf } from "../../cold/price-book.js";
import type { JoinedWriter } from "../joined-writer.js";
import type { CommittedReads } from "../reads/store-reads.js";
import { rowsOf } from "../sql-store.js";
import { type FeedConsumer, SqliteToolCallFeed } from "../tool-calls/tool-call-feed.js";
import type { SqliteToolCallLog } from "../tool-calls/tool-call-log.js";
import { TriedCalls, type TriedCall } from "../tool-calls/tried-calls.js";
import { addToTotals, writeEvents } from "./usage-writes.js";

/** The consumer whose cursor in the log of tool calls tells which of them have a usage row. */
const CONSUMER: FeedConsumer = { name: "usage", withOutputs: false };

/** Usage rows that were added, and the calls that were set aside or succeed again. */
export interface RecordedUsage {
  readonly events: readonly UsageEvent[];
  readonly tried: readonly TriedCall[];
}

/**
 * Creates usage rows from the log of tool calls. It is used in a thread of its own: a batch is read,
 * priced and written there, and the main thread gets its rows.
 */
export class PendingUsage {
  readonly #writer: Pick<JoinedWriter, "commit">;
  readonly #db: CommittedReads;
  readonly #toolCalls: SqliteToolCallFeed;

  constructor(writer: Pick<JoinedWriter, "commit">, db: CommittedReads, log: SqliteToolCallLog) {
    this.#writer = writer;
    this.#db = db;
    const commitSoon = (unit: Parameters<JoinedWriter["commit"]>[0]): Promise<void> =>
      writer.commit(unit);
    this.#toolCalls = new SqliteToolCallFeed({ commitSoon }, db, log, CONSUMER);
  }

  /** @param waiting the calls that are not tried yet. */
  async record(limit: number, waiting: readonly string[]): Promise<RecordedUsage> {
    const tried = new TriedCalls(waiting);
    for (;;) {
      const taken = await this.#toolCalls.take(limit, tried);
      if (taken.calls.length > 0) {
        const events = await this.#priced(taken.calls);
        await this.#writer.commit([
          ...this.#toolCalls.doneWrites(taken),
          writeEvents(events),
          ...addToTotals(rollupsOf(events.map(postingOf))),
        ]);
        return { events, tried: tried.all };
      }
      await this.#toolCalls.done(taken);
      // All calls of the batch were set aside; more may follow them.
      if (!taken.isCut) return { events: [], tried: tried.all };
    }
  }

  /** The usage rows of tool calls, each priced by its own organization's list. */
  async #priced(calls: readonly RecordedCall[]): Promise<readonly UsageEvent[]> {
    const lists = new Map<string, PriceList>();
    const events: UsageEvent[] = [];
    for (const call of calls) {
      const { orgId } = call;
      const list =
        lists.get(orgId) ?? new PriceList(await rowsOf(this.#db, orgId, pricesOf(orgId), PRICE));
      lists.set(orgId, list);
      events.push(usageEventOf(call, list));
    }
    return events;
  }
}
