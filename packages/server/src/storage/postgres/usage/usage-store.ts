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
  Rollups,
  RowRange,
  UsageEvent,
  UsageLedger,
  UsageStore,
  UsageTotals,
} from "../../../usage/ports.js";
import { byOrganization } from "../by-organization.js";
import { acknowledge, type UnreadCalls } from "../governance/call-feed.js";
import { OutcomeUnknown, type Connection, type Database } from "../database.js";
import { settled } from "../settled.js";
import { PostgresToolCallFeed } from "../governance/tool-call-feed.js";
import type { UnreadPlans } from "../governance/unread-plans.js";
import { lockLedger, PostgresUsageLedger } from "./usage-ledger.js";
import {
  BUCKET_COLUMNS,
  bucketOf,
  BUDGET_COLUMNS,
  budgetOf,
  HEAT_CELL_COLUMNS,
  heatCellOf,
  organizationTotalsOf,
  PRICE_COLUMNS,
  priceOf,
  SUMMED_TOTALS,
  totalsOf,
  type BucketRow,
  type BudgetRow,
  type HeatCellRow,
  type PriceRow,
  type TotalsRow,
} from "./usage-rows.js";
import {
  addToTotals,
  insertAdjustments,
  insertEvents,
  insertPrice,
  replaceTotals,
} from "./usage-writes.js";

/**
 * Usage in PostgreSQL. Several nodes record at once: of those that have read the same calls, the one
 * that moves the place in their plan's log first makes their rows.
 */
export class PostgresUsageStore implements UsageStore {
  readonly #db: Database;
  readonly #toolCalls: PostgresToolCallFeed;
  /** Recorded, but not told of, because something failed afterwards. */
  #untold: readonly UsageEvent[] = [];

  constructor(db: Database, unread: UnreadPlans) {
    this.#db = db;
    this.#toolCalls = new PostgresToolCallFeed(db, "usage", unread);
  }

  async recordPending(limit: number): Promise<readonly UsageEvent[]> {
    const recorded = [...this.#untold];
    this.#untold = recorded;
    for (let isMore = true; isMore && recorded.length < limit;) {
      const taken = await this.#toolCalls.take(limit - recorded.length);
      isMore = taken.isCut;
      const byOrg = byOrganization(this.#toolCalls.partsOf(taken), ({ ref }) => ref.orgId);
      for (const parts of byOrg.values()) {
        const { events, isComplete } = await this.#recordParts(parts);
        recorded.push(...events);
        isMore ||= !isComplete;
      }
      // What another node has recorded meanwhile is looked at again: more may have come behind it.
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
      this.#db.transaction(async (connection) => {
        await lockLedger(connection, orgId, "SHARE");
        const events = eventsAt(await pricesOf(connection, orgId));
        const ids = await insertEvents(connection, orgId, events);
        added = events.filter(({ id }) => ids.has(id));
        await addToTotals(connection, rollupsOf(added.map(postingOf)));
        return added;
      });
    return settled(write, async () => ((await this.#isRecorded(added)) ? added : undefined));
  }

  correctRows(
    orgId: string,
    { range, limit }: { readonly range: RowRange; readonly limit: number },
    correct: (rows: readonly CostedRow[], prices: readonly Price[]) => readonly Correction[],
  ): Promise<CorrectedRows> {
    return this.#changing(orgId, async (connection) => {
      const rows = await new PostgresUsageLedger(connection).rowsBetween(orgId, range, limit);
      const corrections = correct(rows, await pricesOf(connection, orgId));
      const postings = corrections.map(({ adjustment, event }) =>
        postingOfAdjustment(adjustment, event),
      );
      if (corrections.length > 0) await insertAdjustments(connection, orgId, corrections);
      await addToTotals(connection, rollupsOf(postings));
      return { rows, corrections };
    });
  }

  rowsBetween(orgId: string, range: RowRange, limit: number): Promise<readonly CostedRow[]> {
    return new PostgresUsageLedger(this.#db).rowsBetween(orgId, range, limit);
  }

  async buckets(orgId: string, range: BucketRange): Promise<readonly Bucket[]> {
    const rows = await this.#db.query<BucketRow>(
      `SELECT ${BUCKET_COLUMNS} FROM usage_totals
       WHERE org_id = $1 AND dimension = $2 AND grain = $3 AND bucket_ms >= $4 AND bucket_ms < $5
       ORDER BY bucket_ms, key`,
      [orgId, range.dimension, range.grain, range.fromMs, range.untilMs],
    );
    return rows.map(bucketOf);
  }

  async heatMap(orgId: string): Promise<readonly HeatCell[]> {
    const rows = await this.#db.query<HeatCellRow>(
      `SELECT ${HEAT_CELL_COLUMNS} FROM usage_heat_map
       WHERE org_id = $1 ORDER BY orm_model, intent, aau_weight`,
      [orgId],
    );
    return rows.map(heatCellOf);
  }

  async organizationTotals(page: OrganizationPage): Promise<readonly OrganizationTotals[]> {
    const rows = await this.#db.query<TotalsRow & { readonly org_id: string }>(
      `SELECT org_id, ${SUMMED_TOTALS} FROM usage_totals
       WHERE dimension = 'total' AND grain = 'day' AND bucket_ms >= $1 AND bucket_ms < $2
         ${page.after === undefined ? "" : "AND org_id > $4"}
       GROUP BY org_id ORDER BY org_id LIMIT $3`,
      [page.fromMs, page.untilMs, page.limit, ...(page.after === undefined ? [] : [page.after])],
    );
    return rows.map(organizationTotalsOf);
  }

  async totalsIn(orgId: string, window: BudgetWindow): Promise<UsageTotals> {
    return totalsInWindow(this.#db, orgId, window);
  }

  prices(orgId: string): Promise<readonly Price[]> {
    return pricesOf(this.#db, orgId);
  }

  changePrices(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
  ): Promise<PriceChange> {
    let changed: PriceChange | undefined;
    const write = (): Promise<PriceChange> =>
      this.#changing(orgId, async (connection) => {
        changed = change(await pricesOf(connection, orgId));
        await insertPrice(connection, orgId, changed);
        return changed;
      });
    return settled(write, async () => {
      const prices = await pricesOf(this.#db, orgId);
      return prices.some(({ id }) => id === changed?.added.id) ? changed : undefined;
    });
  }

  budgets(orgId: string): Promise<readonly Budget[]> {
    return budgetsOf(this.#db, orgId);
  }

  async saveBudget(orgId: string, budget: Budget): Promise<void> {
    const { scope, unit, period, action, setBy, limit, id } = budget;
    await settled(() =>
      this.#db.query(
        `INSERT INTO usage_budgets (org_id, scope, unit, period, action, set_by, limit_amount, id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (org_id, scope, unit, period, action, set_by)
           DO UPDATE SET limit_amount = excluded.limit_amount, id = excluded.id`,
        [orgId, scope, unit, period, action, setBy, limit, id],
      ),
    );
  }

  deleteBudget(orgId: string, budgetId: string): Promise<boolean> {
    return settled(async (isUnsure) => {
      const rows = await this.#db.query(
        `DELETE FROM usage_budgets WHERE org_id = $1 AND id = $2 RETURNING id`,
        [orgId, budgetId],
      );
      return rows.length > 0 || isUnsure;
    });
  }

  storedTotals(orgId: string): Promise<Rollups> {
    return new PostgresUsageLedger(this.#db).storedTotals(orgId);
  }

  replaceTotals(totals: Rollups): Promise<void> {
    return this.#db.transaction((connection) => replaceTotals(connection, totals));
  }

  withLedger<T>(orgId: string, work: (ledger: UsageLedger) => Promise<T>): Promise<T> {
    return this.#changing(orgId, (connection) => work(new PostgresUsageLedger(connection)));
  }

  /** Runs `work` while nobody else changes the organization's prices, rows or totals. */
  #changing<T>(orgId: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#db.transaction(async (connection) => {
      await lockLedger(connection, orgId, "UPDATE");
      return work(connection);
    });
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

/** Sums of usage in a budget's window. */
export async function totalsInWindow(
  connection: Connection,
  orgId: string,
  { sessionId, fromMs, untilMs }: BudgetWindow,
): Promise<UsageTotals> {
  // The dimension stands in the text so that the index of sessions can be used.
  const [row] = await connection.query<TotalsRow>(
    `SELECT ${SUMMED_TOTALS} FROM usage_totals
     WHERE org_id = $1 AND dimension = '${sessionId === undefined ? "total" : "session"}'
       AND grain = 'day' AND key = $2 AND bucket_ms >= $3 AND bucket_ms < $4`,
    [orgId, sessionId ?? "", fromMs, untilMs ?? Number.MAX_SAFE_INTEGER],
  );
  return row === undefined ? NO_USAGE : totalsOf(row);
}

/** Every price of an organization. */
export async function pricesOf(connection: Connection, orgId: string): Promise<readonly Price[]> {
  const rows = await connection.query<PriceRow>(
    `SELECT ${PRICE_COLUMNS} FROM usage_prices WHERE org_id = $1 ORDER BY scope, subject, from_ms`,
    [orgId],
  );
  return rows.map(priceOf);
}

/** The budgets of an organization. @param lock keeps others from deciding on them meanwhile. */
export async function budgetsOf(
  connection: Connection,
  orgId: string,
  lock = false,
): Promise<readonly Budget[]> {
  const rows = await connection.query<BudgetRow>(
    `SELECT ${BUDGET_COLUMNS} FROM usage_budgets
     WHERE org_id = $1 ORDER BY scope, unit, period, action, set_by ${lock ? "FOR UPDATE" : ""}`,
    [orgId],
  );
  return rows.map(budgetOf);
}
