import {
  NO_USAGE,
  postingOf,
  postingOfAdjustment,
  PriceList,
  rollupsOf,
  usageEventOf,
} from "../../../usage/index.js";
import type {
  Bucket,
  BucketRange,
  Budget,
  BudgetWindow,
  CorrectedRows,
  Correction,
  CostedRow,
  HeatCell,
  OrganizationPage,
  OrganizationTotals,
  Price,
  PriceChange,
  RecordedCall,
  Rollups,
  RowRange,
  UsageEvent,
  UsageLedger,
  UsageStore,
  UsageTotals,
} from "../../../usage/ports.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read, type SqliteRow, type SqliteValue, type StatementCache } from "../connection.js";
import { type FeedConsumer, SqliteToolCallFeed } from "../governance/tool-call-feed.js";
import type { SqliteToolCallLog } from "../governance/tool-call-log.js";
import {
  BUCKET_COLUMNS,
  bucketOf,
  BUDGET_COLUMNS,
  budgetOf,
  COSTED_ROW_COLUMNS,
  costedRowOf,
  HEAT_CELL_COLUMNS,
  heatCellOf,
  organizationTotalsOf,
  PRICE_COLUMNS,
  priceOf,
  SUMMED_TOTALS,
  TIME_ROLLUP_COLUMNS,
  timeRollupOf,
  totalsOf,
} from "./usage-rows.js";
import {
  addToTotals,
  deleteBudget,
  replaceTotals,
  writeAdjustments,
  writeBudget,
  writeEvents,
  writePrice,
} from "./usage-writes.js";

/** The consumer whose cursor in the log of tool calls tells which of them have a usage row. */
const CONSUMER: FeedConsumer = { name: "usage", withOutputs: false };

/** Usage in SQLite. One process owns the store, and one caller at a time changes usage. */
export class SqliteUsageStore implements UsageStore {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;
  readonly #toolCalls: SqliteToolCallFeed;

  constructor(writer: CommitWriter, db: StatementCache, calls: SqliteToolCallLog) {
    this.#writer = writer;
    this.#db = db;
    this.#toolCalls = new SqliteToolCallFeed(writer, db, calls, CONSUMER);
  }

  async recordPending(limit: number): Promise<readonly UsageEvent[]> {
    const taken = await this.#toolCalls.take(limit);
    if (taken.calls.length === 0) return [];
    const events = this.#priced(taken.calls);
    await this.#writer.commit([
      this.#toolCalls.doneWrite(taken),
      writeEvents(events),
      ...addToTotals(rollupsOf(events.map(postingOf))),
    ]);
    return events;
  }

  async recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
  ): Promise<readonly UsageEvent[]> {
    const added = this.#withoutKnown(eventsAt(await this.prices(orgId)));
    if (added.length === 0) return [];
    await this.#writer.commit([
      writeEvents(added),
      ...addToTotals(rollupsOf(added.map(postingOf))),
    ]);
    return added;
  }

  async correctRows(
    orgId: string,
    { range, limit }: { readonly range: RowRange; readonly limit: number },
    correct: (rows: readonly CostedRow[], prices: readonly Price[]) => readonly Correction[],
  ): Promise<CorrectedRows> {
    const rows = await this.rowsBetween(orgId, range, limit);
    const corrections = correct(rows, await this.prices(orgId));
    if (corrections.length > 0) {
      const postings = corrections.map(({ adjustment, event }) =>
        postingOfAdjustment(adjustment, event),
      );
      const totals = addToTotals(rollupsOf(postings));
      await this.#writer.commit([writeAdjustments(corrections), ...totals]);
    }
    return { rows, corrections };
  }

  rowsBetween(orgId: string, range: RowRange, limit: number): Promise<readonly CostedRow[]> {
    const { fromMs, untilMs, after = { occurredAtMs: fromMs, id: "" } } = range;
    return this.#read(
      costedRowOf,
      `SELECT ${COSTED_ROW_COLUMNS} FROM usage_events AS e
       WHERE e.org_id = ?1 AND (e.occurred_at_ms, e.id) > (?2, ?3) AND e.occurred_at_ms < ?4
       ORDER BY e.occurred_at_ms, e.id LIMIT ?5`,
      orgId,
      after.occurredAtMs,
      after.id,
      untilMs,
      BigInt(limit),
    );
  }

  buckets(orgId: string, range: BucketRange): Promise<readonly Bucket[]> {
    return this.#read(
      bucketOf,
      `SELECT ${BUCKET_COLUMNS} FROM usage_totals
       WHERE org_id = ? AND dimension = ? AND grain = ? AND bucket_ms >= ? AND bucket_ms < ?
       ORDER BY bucket_ms, key`,
      orgId,
      range.dimension,
      range.grain,
      range.fromMs,
      range.untilMs,
    );
  }

  heatMap(orgId: string): Promise<readonly HeatCell[]> {
    return this.#read(
      heatCellOf,
      `SELECT ${HEAT_CELL_COLUMNS} FROM usage_heat_map
       WHERE org_id = ? ORDER BY orm_model, intent, aau_weight`,
      orgId,
    );
  }

  organizationTotals(page: OrganizationPage): Promise<readonly OrganizationTotals[]> {
    return this.#read(
      organizationTotalsOf,
      `SELECT org_id, ${SUMMED_TOTALS} FROM usage_totals
       WHERE dimension = 'total' AND grain = 'day'
         AND org_id > ? AND bucket_ms >= ? AND bucket_ms < ?
       GROUP BY org_id ORDER BY org_id LIMIT ?`,
      page.after ?? "",
      page.fromMs,
      page.untilMs,
      BigInt(page.limit),
    );
  }

  async totalsIn(orgId: string, window: BudgetWindow): Promise<UsageTotals> {
    const { sessionId, fromMs, untilMs } = window;
    // The dimension stands in the text so that the index of sessions can be used.
    const [totals] = await this.#read(
      totalsOf,
      `SELECT ${SUMMED_TOTALS} FROM usage_totals
       WHERE org_id = ? AND dimension = '${sessionId === undefined ? "total" : "session"}'
         AND grain = 'day' AND key = ? AND bucket_ms >= ? AND bucket_ms < ?`,
      orgId,
      sessionId ?? "",
      fromMs,
      untilMs ?? Number.MAX_SAFE_INTEGER,
    );
    return totals ?? NO_USAGE;
  }

  prices(orgId: string): Promise<readonly Price[]> {
    return read(() => this.#prices(orgId));
  }

  async changePrices(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
  ): Promise<PriceChange> {
    const changed = change(await this.prices(orgId));
    await this.#writer.commit(writePrice(orgId, changed));
    return changed;
  }

  budgets(orgId: string): Promise<readonly Budget[]> {
    return this.#read(
      budgetOf,
      `SELECT ${BUDGET_COLUMNS} FROM usage_budgets
       WHERE org_id = ? ORDER BY scope, unit, period, action, set_by`,
      orgId,
    );
  }

  saveBudget(orgId: string, budget: Budget): Promise<void> {
    return this.#writer.commit([writeBudget(orgId, budget)]);
  }

  async deleteBudget(orgId: string, budgetId: string): Promise<boolean> {
    try {
      await this.#writer.commit([deleteBudget(orgId, budgetId)]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  async storedTotals(orgId: string): Promise<Rollups> {
    const [byTime, heatMap] = await Promise.all([
      this.#read(
        timeRollupOf,
        `SELECT ${TIME_ROLLUP_COLUMNS} FROM usage_totals WHERE org_id = ?`,
        orgId,
      ),
      this.heatMap(orgId),
    ]);
    return { byTime, heatMap };
  }

  replaceTotals(totals: Rollups): Promise<void> {
    return this.#writer.commit(replaceTotals(totals));
  }

  withLedger<T>(_orgId: string, work: (ledger: UsageLedger) => Promise<T>): Promise<T> {
    return work(this);
  }

  #read<Value>(
    valueOf: (row: SqliteRow) => Value,
    sql: string,
    ...params: readonly SqliteValue[]
  ): Promise<readonly Value[]> {
    return read(() => this.#db.all(sql, ...params).map(valueOf));
  }

  /** The usage rows of tool calls, each priced by its own organization's list. */
  #priced(calls: readonly RecordedCall[]): readonly UsageEvent[] {
    const lists = new Map<string, PriceList>();
    return calls.map((call) => {
      const list = lists.get(call.orgId) ?? new PriceList(this.#prices(call.orgId));
      lists.set(call.orgId, list);
      return usageEventOf(call, list);
    });
  }

  #prices(orgId: string): readonly Price[] {
    const rows = this.#db.all(
      `SELECT ${PRICE_COLUMNS} FROM usage_prices WHERE org_id = ? ORDER BY scope, subject, from_ms`,
      orgId,
    );
    return rows.map(priceOf);
  }

  /** Those of the events that are neither stored nor earlier in the list. */
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
