import { postingOf, rollupsOf } from "../../../usage/index.js";
import type { Price, PriceBook, UsageEvent, UsageRecording } from "../../../usage/ports.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StoreReads } from "../reads/store-reads.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import { tellTried } from "../tool-calls/tried-calls.js";
import { addToTotals, writeEvents } from "./usage-writes.js";
import type { RecordedOperation } from "../../../kernel/recorded-operation.js";

/** Creates usage rows in SQLite, from the log of tool calls and from external events. */
export class SqliteUsageRecording implements UsageRecording {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #thread: Pick<DerivationThread<DerivationCalls>, "call">;
  readonly #prices: PriceBook;

  constructor(
    writer: CommitWriter,
    db: StoreReads,
    thread: Pick<DerivationThread<DerivationCalls>, "call">,
    prices: PriceBook,
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#thread = thread;
    this.#prices = prices;
  }

  async recordPending(limit: number, setAside?: SetAside): Promise<readonly UsageEvent[]> {
    const waiting = setAside?.waiting() ?? [];
    const { events, tried } = await this.#thread.call("recordUsage", { limit, waiting });
    tellTried(setAside, tried);
    return events;
  }

  async recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
    operation?: RecordedOperation,
  ): Promise<readonly UsageEvent[]> {
    const added = this.#withoutKnown(eventsAt(await this.#prices.list(orgId)));
    if (added.length === 0) return [];
    const totals = addToTotals(rollupsOf(added.map(postingOf)));
    await this.#writer.commitEffect([writeEvents(added), ...totals], operation);
    return added;
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
