/**
 * Usage: the weight and cost of each tool call, reports per day, and budgets.
 *
 * Glossary. **AAU**: the unit of a tool call's weight. **Usage event**: the usage row of one tool
 * call. **Adjustment**: a correction of a usage event's cost. **Posting**: what a usage event or
 * adjustment adds to the totals. **Rollup**: a stored total. **Budget**: a limit of usage.
 * **Nanodollar**: the unit of money. **Quota**: a limit of the bytes that an organization stores.
 */
export { aauWeight } from "./events/aau.js";
export { toCsv } from "./reports/csv.js";
export type { ExternalEvent } from "./events/external-event.js";
export { formatUsd, usdOf } from "./money.js";
export { LedgerReservations } from "./budgets/ledger-reservations.js";
export { noStorageMeter, noUsageStore } from "./no-usage-store.js";
export { NO_USAGE, postingOf, postingOfCorrection, type UsageTotals } from "./posting.js";
export type { PriceInput } from "./prices/price-input.js";
export { PriceList, type Price } from "./prices/pricing.js";
export type { BudgetState } from "./budgets/budget-state.js";
export {
  amountText,
  BudgetLedger,
  limitText,
  windowOf,
  type Budget,
  type BudgetInPeriod,
} from "./budgets/budgets.js";
export type {
  OrganizationReport,
  OrganizationReportParameters,
  OrganizationTotals,
} from "./reports/organization-report.js";
export { UsageRecorder } from "./events/recorder.js";
export type { DailyUsage } from "./reports/report.js";
export type { Grouping, ReportParameters } from "./reports/report-query.js";
export type { Repriced } from "./prices/repricing.js";
export { rollupsOf, type HeatCell, UNKNOWN } from "./reports/rollup.js";
export { chargeOf, usageEventOf } from "./events/usage-event.js";
export { UsageGate } from "./budgets/usage-gate.js";
export { type StorageReport, type StoredBytes, totalOf } from "./storage/stored-bytes.js";
export { StorageQuota } from "./storage/storage-quota.js";
export { UsageService, type UsageReport } from "./usage-service.js";
export type { TotalDifference } from "./reports/verification.js";
