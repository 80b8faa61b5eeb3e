import type { AnnouncedToolCall } from "../governance/index.js";
import type { Admission, Budget, BudgetWindow, Charge } from "./budgets.js";
import type { Nanodollars } from "./money.js";
import type { OrganizationTotals } from "./organization-report.js";
import type { UsageTotals } from "./posting.js";
import type { Price, PriceChange } from "./pricing.js";
import type { BucketRange } from "./report-query.js";
import type { Bucket } from "./report.js";
import type { HeatCell, Rollups, TimeRollup } from "./rollup.js";
import type { RecordedCall, UsageAdjustment, UsageEvent } from "./usage-event.js";

export type {
  Admission,
  Bucket,
  BucketRange,
  Budget,
  BudgetWindow,
  Charge,
  HeatCell,
  OrganizationTotals,
  Price,
  PriceChange,
  RecordedCall,
  Rollups,
  TimeRollup,
  UsageEvent,
  UsageTotals,
};

/**
 * Keeps usage rows and, in the same transaction as each change of them, the totals that reports are
 * made of. Every method is one atomic use case, durable when its promise resolves. Methods that
 * change usage are never called concurrently by one process: the recorder runs them one after the
 * other. Of processes that share a store one at a time changes an organization's prices or prices
 * rows anew, and nobody records meanwhile by a list that is not the last. Errors:
 * `STORE_UNAVAILABLE`, with nothing changed.
 */
export interface UsageStore extends UsageLedger {
  /**
   * Takes the next tool calls from the durable log, at most `limit`, and makes each one usage row,
   * priced as of its own time; rows, totals and the position in the log change together, so that no
   * crash loses or doubles one. @returns the new rows; fewer than `limit` when no more are waiting.
   */
  recordPending(limit: number): Promise<readonly UsageEvent[]>;

  /**
   * Adds an organization's rows from outside. One whose source and source's id are known is left out.
   * @param eventsAt The rows by the prices as they are; it may be asked more than once.
   * @returns those that were new.
   */
  recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
  ): Promise<readonly UsageEvent[]>;

  /**
   * Adds corrections of the organization's rows of a range, of the oldest `limit`.
   * @param correct Makes them of the rows and the prices as they are; it may be asked more than once.
   */
  correctRows(
    orgId: string,
    page: { readonly range: RowRange; readonly limit: number },
    correct: (rows: readonly CostedRow[], prices: readonly Price[]) => readonly Correction[],
  ): Promise<CorrectedRows>;

  /** The totals of a report's buckets, in the order of time. */
  buckets(orgId: string, range: BucketRange): Promise<readonly Bucket[]>;

  /** Every cell of the organization's heat map, by model and then intent. */
  heatMap(orgId: string): Promise<readonly HeatCell[]>;

  /**
   * The totals of each organization that has usage in `[fromMs, untilMs)`, whose bounds are those of UTC days:
   * by organization id, those after `after`, at most `limit`.
   */
  organizationTotals(page: OrganizationPage): Promise<readonly OrganizationTotals[]>;

  /** What was recorded in a budget's window. Its bounds are those of UTC days. */
  totalsIn(orgId: string, window: BudgetWindow): Promise<UsageTotals>;

  /** Every price of the organization, past and future ones too, by scope, subject and period. */
  prices(orgId: string): Promise<readonly Price[]>;

  /**
   * Adds a price and ends the one before it, if the change says so.
   * @param change Made of the prices as they are; it may be asked more than once, and may throw.
   */
  changePrices(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
  ): Promise<PriceChange>;

  /** The organization's budgets. */
  budgets(orgId: string): Promise<readonly Budget[]>;

  /** Adds a budget; one that the same party has set with the same scope, unit, period and action is replaced. */
  saveBudget(orgId: string, budget: Budget): Promise<void>;

  /** @returns false when the organization has no such budget. */
  deleteBudget(orgId: string, budgetId: string): Promise<boolean>;

  /** Lends an organization's rows and totals to `work`, while nobody changes them. */
  withLedger<T>(orgId: string, work: (ledger: UsageLedger) => Promise<T>): Promise<T>;
}

/** A page of the report over all organizations. */
export interface OrganizationPage {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Id of the last organization of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** Rows of usage and the totals that are kept of them. */
export interface UsageLedger {
  /** The organization's rows of a range, oldest first, at most `limit`. */
  rowsBetween(orgId: string, range: RowRange, limit: number): Promise<readonly CostedRow[]>;

  /** Every total that is kept for the organization. */
  storedTotals(orgId: string): Promise<Rollups>;

  /** Puts totals in the place of those that are kept; one without actions is taken away. */
  replaceTotals(totals: Rollups): Promise<void>;
}

/** Rows that were looked at, and what was added to them. */
export interface CorrectedRows {
  readonly rows: readonly CostedRow[];
  readonly corrections: readonly Correction[];
}

/** A correction and the row it corrects. */
export interface Correction {
  readonly event: UsageEvent;
  readonly adjustment: UsageAdjustment;
}

/** A row and what it costs after all its corrections so far. */
export interface CostedRow {
  readonly event: UsageEvent;
  readonly costNow: Nanodollars;
}

/** Rows that occurred in `[fromMs, untilMs)`, in ms since the epoch, and come after one of them. */
export interface RowRange {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly after?: Pick<UsageEvent, "occurredAtMs" | "id">;
}

/**
 * Where budgets are decided on: by one call of an organization at a time, among all processes that
 * share the store. What counts is recorded usage and what is reserved.
 */
export interface BudgetReservations {
  /**
   * Decides on a call and reserves what it is admitted for, until it is recorded or released. A budget
   * that another process has set counts after a second at most.
   * @throws AppError `STORE_UNAVAILABLE`: it may be reserved all the same, until it is released.
   */
  reserve(call: AnnouncedToolCall): Promise<Admission>;

  /** Gives back what a call had reserved, if it had. @throws AppError `STORE_UNAVAILABLE`. */
  release(orgId: string, callId: string): Promise<void>;

  /** Has the organization's prices and budgets read anew. Called in the turn that changed them. */
  refresh(orgId: string): void;
}
