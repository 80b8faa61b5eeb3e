import type {
  Budget as BudgetMessage,
  DailyUsage as DailyUsageMessage,
  HeatMapRow,
  OrganizationUsagePage,
  Price as PriceMessage,
  Repricing,
  StorageUsage,
  UsageCloudEvent,
  UsageDifference,
  UsageTotals as UsageTotalsMessage,
} from "@steward/protocol/rest";
import { isoTime } from "@steward/kernel/clock.js";
import {
  formatUsd,
  amountText,
  limitText,
  toCsv,
  totalOf,
  usdOf,
  type Budget,
  type BudgetState,
  type DailyUsage,
  type ExternalEvent,
  type Grouping,
  type HeatCell,
  type OrganizationReport,
  type Price,
  type Repriced,
  type StorageReport,
  type TotalDifference,
  type UsageReport,
  type UsageTotals,
} from "../../../usage/index.js";
import { present } from "../../present.js";

/** The member with a row's group, which has the row's own member name (Contract §2.9). */
const GROUP_MEMBERS = {
  tool: "tool_name",
  session: "session_id",
  intent: "intent",
  model: "orm_model",
} as const satisfies Record<Grouping, keyof DailyUsageMessage>;

/** The rows of a daily report (Contract §2.11). */
export function dailyUsageMessages({ groupBy, rows }: UsageReport): readonly DailyUsageMessage[] {
  return rows.map((row) => ({
    date: row.date,
    ...(groupBy === undefined ? {} : { [GROUP_MEMBERS[groupBy]]: row.group }),
    ...totalsMessage(row),
  }));
}

/** A daily report as CSV. */
export function dailyUsageCsv({ groupBy, rows }: UsageReport): string {
  const group: readonly CsvColumn<DailyUsage>[] =
    groupBy === undefined ? [] : [[GROUP_MEMBERS[groupBy], (row) => row.group ?? ""]];
  return csvOf(rows, [
    ["date", (row) => row.date],
    ...group,
    ["action_count", (row) => row.actionCount],
    ["total_aau", (row) => row.totalAau],
    // Exact, because the readers of CSV need not use doubles.
    ["total_cost_usd", (row) => formatUsd(row.totalCost)],
  ]);
}

/** The heat map (Contract §2.11). */
export function heatMapMessages(cells: readonly HeatCell[]): readonly HeatMapRow[] {
  return cells.map((cell) => ({
    orm_model: cell.ormModel,
    intent: cell.intent,
    aau_weight: cell.aauWeight,
    total_aau: cell.totalAau,
    action_count: cell.actionCount,
  }));
}

/** What an organization stores. */
export function storageUsageMessage({
  measured,
  addedBytes,
  quotaBytes,
}: StorageReport): StorageUsage {
  const quota = present({ quota_bytes: quotaBytes });
  if (measured === undefined) return quota;
  return {
    stored_bytes: totalOf(measured.bytes) + addedBytes,
    ...quota,
    bytes: measured.bytes,
    measured_at: isoTime(measured.atMs),
  };
}

export function heatMapCsv(cells: readonly HeatCell[]): string {
  return csvOf(cells, [
    ["orm_model", (cell) => cell.ormModel],
    ["intent", (cell) => cell.intent],
    ["aau_weight", (cell) => cell.aauWeight],
    ["total_aau", (cell) => cell.totalAau],
    ["action_count", (cell) => cell.actionCount],
  ]);
}

/** A page of the report over all organizations. */
export function organizationUsageMessage({
  organizations,
  nextCursor,
}: OrganizationReport): OrganizationUsagePage {
  return {
    organizations: organizations.map((totals) => ({
      org_id: totals.orgId,
      ...totalsMessage(totals),
    })),
    ...present({ next_cursor: nextCursor }),
  };
}

/** A reported event in the service's form. */
export function externalEventOf({ id, source, time, data }: UsageCloudEvent): ExternalEvent {
  return {
    id,
    source,
    time,
    toolName: data.tool_name,
    intent: data.intent,
    sessionId: data.session_id,
    ormModel: data.orm_model,
  };
}

/** A wrong total. */
export function differenceMessage(difference: TotalDifference): UsageDifference {
  const { total, stored, recomputed } = difference;
  return { total, stored: totalsMessage(stored), recomputed: totalsMessage(recomputed) };
}

export function priceMessage(price: Price): PriceMessage {
  return {
    price_id: price.id,
    scope: price.scope,
    subject: price.subject,
    amount_usd: formatUsd(price.amount),
    from: isoTime(price.fromMs),
    ...(price.untilMs === undefined ? {} : { until: isoTime(price.untilMs) }),
  };
}

/** The result of pricing calls again. */
export function repricingMessage({ corrections, difference }: Repriced): Repricing {
  return { corrections, difference_usd: formatUsd(difference) };
}

export function budgetMessage({ id, setBy, ...budget }: Budget): BudgetMessage {
  return { budget_id: id, ...budget, limit: limitText(budget), set_by: setBy };
}

/** A budget and the usage recorded against it. */
export function budgetStateMessage({ budget, usage }: BudgetState): BudgetMessage {
  if (usage === undefined) return budgetMessage(budget);
  const { used, remaining, resetsAtMs } = usage;
  return {
    ...budgetMessage(budget),
    used: amountText(budget.unit, used),
    remaining: amountText(budget.unit, remaining),
    ...(resetsAtMs === undefined ? {} : { resets_at: isoTime(resetsAtMs) }),
  };
}

function totalsMessage({ actionCount, totalAau, totalCost }: UsageTotals): UsageTotalsMessage {
  return { action_count: actionCount, total_aau: totalAau, total_cost_usd: usdOf(totalCost) };
}

/** A column of a CSV report: its heading, and the cell of a row. */
type CsvColumn<Row> = readonly [heading: string, cell: (row: Row) => string | number];

function csvOf<Row>(rows: readonly Row[], columns: readonly CsvColumn<Row>[]): string {
  return toCsv(
    columns.map(([heading]) => heading),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
  );
}
