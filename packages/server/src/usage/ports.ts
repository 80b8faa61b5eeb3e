import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { AnnouncedToolCall } from "../governance/index.js";
import type { Admission, Budget, BudgetWindow, Charge } from "./budgets/budgets.js";
import type { Nanodollars } from "./money.js";
import type { OrganizationTotals } from "./reports/organization-report.js";
import type { UsageTotals } from "./posting.js";
import type { Price, PriceChange } from "./prices/pricing.js";
import type { DayRange } from "./reports/report-query.js";
import type { GroupTotals, TotalsWindow } from "./reports/report.js";
import type { HeatCell, RollupDimension, Rollups, TimeRollup } from "./reports/rollup.js";
import type { RecordedCall, UsageAdjustment, UsageEvent } from "./events/usage-event.js";
import type { StoredKind } from "./storage/stored-bytes.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

export type {
  Admission,
  Budget,
  BudgetWindow,
  Charge,
  DayRange,
  GroupTotals,
  HeatCell,
  OrganizationTotals,
  Price,
  PriceChange,
  RecordedCall,
  RollupDimension,
  Rollups,
  StoredKind,
  TimeRollup,
  TotalsWindow,
  UsageEvent,
  UsageTotals,
};

/**
 * The ports through which usage is stored, one for each of its users. Every method is one atomic use
 * case, durable when its promise resolves. One process never calls methods that change usage
 * concurrently; the recorder serializes them. Among processes that share a store, only one at a time
 * changes or reprices an organization's prices, and meanwhile no process records calls by an outdated
 * price list. Errors: `STORE_UNAVAILABLE`, with nothing changed.
 */
export interface UsageStore {
  readonly recording: UsageRecording;
  readonly reports: UsageReports;
  readonly prices: PriceBook;
  readonly budgets: BudgetBook;
  readonly ledgers: UsageLedgers;
}

/** Creates usage rows and, in the same transaction, adds them to the totals. */
export interface UsageRecording {
  /**
   * Takes the next tool calls from the durable log, at most `limit`, and creates a usage row for
   * each, priced as of the call's own time. Rows, totals and the position in the log are committed
   * together, so that no crash loses or duplicates a row.
   * @param setAside is told of calls that cannot be read. They get their rows once they can be read.
   * @returns the new rows; fewer than `limit` when no more are waiting.
   */
  recordPending(limit: number, setAside?: SetAside): Promise<readonly UsageEvent[]>;

  /**
   * Adds an organization's external events. An event whose source and source id are known is
   * skipped.
   * @param eventsAt creates the rows from the current prices; may be called more than once.
   * @returns the new rows.
   */
  recordExternal(
    orgId: string,
    eventsAt: (prices: readonly Price[]) => readonly UsageEvent[],
    operation?: RecordedOperation,
  ): Promise<readonly UsageEvent[]>;
}

/** Reads the stored totals. */
export interface UsageReports {
  /** The UTC days with usage, as their first ms since the epoch, in order. */
  days(orgId: string, range: DayRange): Promise<readonly number[]>;

  /**
   * The totals of one moment in each window. A window of several buckets may have several totals of
   * one key.
   */
  totals(
    orgId: string,
    dimension: RollupDimension,
    windows: readonly TotalsWindow[],
  ): Promise<readonly (readonly GroupTotals[])[]>;

  /** All cells of the organization's heat map, by model and intent. */
  heatMap(orgId: string): Promise<readonly HeatCell[]>;

  /**
   * The totals of each organization with usage in `[fromMs, untilMs)`; both are bounds of UTC days.
   * Ordered by organization id, starting after `after`, at most `limit`.
   */
  organizationTotals(page: OrganizationPage): Promise<readonly OrganizationTotals[]>;

  /**
   * The time from which on the organization has all of its rows, in ms since the epoch; 0 when none
   * was deleted. It is the start of a UTC day.
   */
  detailFromMs(orgId: string): Promise<number>;

  /** The recorded usage in a budget's window. Its bounds are bounds of UTC days. */
  totalsIn(orgId: string, window: BudgetWindow): Promise<UsageTotals>;
}

/** The prices of organizations. */
export interface PriceBook {
  /**
   * All prices of the organization, including past and future ones, by scope, subject and period.
   */
  list(orgId: string): Promise<readonly Price[]>;

  /**
   * Adds a price, and ends the previous one if the change says so.
   * @param change computes the change from the current prices; may be called more than once, and
   * may throw.
   */
  change(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
    operation?: RecordedOperation,
  ): Promise<PriceChange>;
}

/** The budgets of organizations. */
export interface BudgetBook {
  /** The organization's budgets. */
  list(orgId: string): Promise<readonly Budget[]>;

  /** Adds a budget. It replaces a budget with the same scope, unit, period, action and setter. */
  save(orgId: string, budget: Budget, operation?: RecordedOperation): Promise<void>;

  /** @returns false when the organization has no such budget. */
  delete(orgId: string, budgetId: string, operation?: RecordedOperation): Promise<boolean>;
}

/** Opens the ledgers of organizations. */
export interface UsageLedgers {
  /** Gives `work` exclusive access to an organization's prices, rows and totals. */
  exclusively<T>(orgId: string, work: (ledger: UsageLedger) => Promise<T>): Promise<T>;
}

/** A page of the report over all organizations. */
export interface OrganizationPage {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Id of the last organization on the previous page. */
  readonly after?: string;
  readonly limit: number;
}

/** Usage rows and the totals stored beside them. */
export interface UsageLedger {
  /** The organization's usage rows in a range, oldest first, at most `limit`. */
  rowsBetween(orgId: string, range: RowRange, limit: number): Promise<readonly CostedRow[]>;

  /** All stored totals of the organization. */
  storedTotals(orgId: string): Promise<Rollups>;

  /** Replaces stored totals; a total without actions is deleted. */
  replaceTotals(totals: Rollups): Promise<void>;

  /** All prices of the organization, as in {@link PriceBook.list}. */
  prices(orgId: string): Promise<readonly Price[]>;

  /** Adds corrections of the organization's rows, and adds them to the totals. */
  correct(orgId: string, corrections: readonly Correction[]): Promise<void>;
}

/** A correction and the row that it corrects. */
export interface Correction {
  readonly event: UsageEvent;
  readonly adjustment: UsageAdjustment;
}

/** A row and its cost after all corrections so far. */
export interface CostedRow {
  readonly event: UsageEvent;
  readonly costNow: Nanodollars;
}

/**
 * A range of rows that occurred in `[fromMs, untilMs)`, in ms since the epoch, optionally starting
 * after a row.
 */
export interface RowRange {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly after?: Pick<UsageEvent, "occurredAtMs" | "id">;
}

/**
 * Decides whether budgets admit calls. Decisions of one organization are serialized, across all
 * processes that share the store. Recorded usage and reservations count.
 */
export interface BudgetReservations {
  /**
   * Decides on a call and reserves it until it is recorded or released. A budget set by another
   * process takes effect within a second.
   * It rejects with an AppError `STORE_UNAVAILABLE`; the call may be reserved nevertheless, until it is
   * released.
   */
  reserve(call: AnnouncedToolCall): Admission | Promise<Admission>;

  /**
   * Releases a call's reservation, if any.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  release(orgId: string, callId: string): Promise<void>;

  /**
   * Makes the organization's prices and budgets be read again. Call it under the same lock as the
   * change.
   */
  refresh(orgId: string): void;
}

/** Where a page of a measurement begins. */
export interface MeterPlace {
  /** The number of the table, from 0. */
  readonly table: number;
  /** Key of the last row of the previous page; absent: the start of the table. */
  readonly after?: readonly unknown[];
}

/** The bytes of a page. */
export interface MeteredPage {
  readonly kind: StoredKind;
  readonly bytes: number;
  /** Absent: the measurement is complete. */
  readonly next?: MeterPlace;
}

/** Measures what organizations store, in small steps. */
export interface StorageMeter {
  /**
   * Adds up the bytes of an organization's rows from a place on, at most {@link MEASURED_ROWS_MAX}:
   * texts and blobs before any compression, and a constant for each row; indexes do not count.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  page(orgId: string, from: MeterPlace): Promise<MeteredPage>;
}
