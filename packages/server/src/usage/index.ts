/**
 * Usage: the weight and cost of each tool call, reports per day, and budgets.
 *
 * Glossary. **AAU**: the unit of a tool call's weight. **Usage event**: the usage row of one tool
 * call. **Adjustment**: a correction of a usage event's cost. **Posting**: what a usage event or
 * adjustment adds to the totals. **Rollup**: a stored total. **Budget**: a limit of usage.
 * **Nanodollar**: the unit of money.
 */
export { aauWeight } from "./aau.js";
export { toCsv } from "./csv.js";
export type { ExternalEvent } from "./external-event.js";
export { formatUsd, usdOf } from "./money.js";
export { LedgerReservations } from "./ledger-reservations.js";
export { noUsageStore } from "./no-usage-store.js";
export { NO_USAGE, postingOf, postingOfAdjustment, type UsageTotals } from "./posting.js";
export type { PriceInput } from "./price-input.js";
export { PriceList, type Price } from "./pricing.js";
export type { BudgetState } from "./budget-state.js";
export { amountText, BudgetLedger, limitText, windowOf, type Budget } from "./budgets.js";
export type {
  OrganizationReport,
  OrganizationReportParameters,
  OrganizationTotals,
} from "./organization-report.js";
export { UsageRecorder } from "./recorder.js";
export type { DailyUsage } from "./report.js";
export type { Grouping, ReportParameters } from "./report-query.js";
export type { Repriced } from "./repricing.js";
export { rollupsOf, type HeatCell } from "./rollup.js";
export { chargeOf, usageEventOf } from "./usage-event.js";
export { UsageGate } from "./usage-gate.js";
export { UsageService, type UsageReport } from "./usage-service.js";
export type { TotalDifference } from "./verification.js";
