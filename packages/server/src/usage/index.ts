/**
 * Usage: what each tool call weighs and costs, what was used on which day, and how much may be.
 *
 * Glossary. **AAU**: what a tool call weighs. **Usage event**: the row of one tool call.
 * **Adjustment**: a correction of what one cost. **Posting**: what either adds to the totals.
 * **Rollup**: a total kept beside the rows. **Budget**: a cap on usage. **Nanodollar**: the unit
 * money is counted in.
 */
export { aauWeight, type AauWeight } from "./aau.js";
export type { BudgetInput } from "./budget-input.js";
export type { Budget, BudgetWindow } from "./budgets.js";
export { toCsv } from "./csv.js";
export { EXTERNAL_EVENTS_MAX, type ExternalEvent } from "./external-event.js";
export { formatUsd, usdOf, type Nanodollars } from "./money.js";
export {
  addTotals,
  NO_USAGE,
  postingOf,
  postingOfAdjustment,
  type Posting,
  type UsageTotals,
} from "./posting.js";
export type { PriceInput } from "./price-input.js";
export { noUsageStore } from "./no-usage-store.js";
export { PriceList, type Price, type PriceChange, type PriceScope } from "./pricing.js";
export { UsageRecorder } from "./recorder.js";
export type { Bucket, DailyUsage } from "./report.js";
export type { BucketRange, Grouping, ReportParameters } from "./report-query.js";
export type { Repriced, RepriceInput } from "./repricing.js";
export {
  rollupsOf,
  type HeatCell,
  type RollupDimension,
  type RollupGrain,
  type Rollups,
  type TimeRollup,
} from "./rollup.js";
export { usageEventOf, type UsageAdjustment, type UsageEvent } from "./usage-event.js";
export { UsageGate } from "./usage-gate.js";
export type { TotalDifference } from "./verification.js";
export { UsageService, type IngestResult, type UsageReport } from "./usage-service.js";
