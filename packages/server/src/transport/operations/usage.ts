import {
  billing,
  type DailyUsage as DailyUsageMessage,
  type HeatMapRow,
  type OutputOf,
  type StorageUsage,
  type UsageDifference,
  type UsageTotals as UsageTotalsMessage,
} from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import {
  formatUsd,
  toCsv,
  totalOf,
  usdOf,
  type DailyUsage,
  type Grouping,
  type HeatCell,
  type OrganizationReport,
  type StorageReport,
  type TotalDifference,
  type UsageReport,
  type UsageTotals,
} from "../../usage/index.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the reports of usage do. */
export function usageReports({ usage }: Pick<Services, "usage">): readonly Implemented[] {
  return [
    implement(
      billing.getUsage,
      async ({ input, context }) => dailyUsageMessages(await usage.daily(context, input)),
      {
        file: "usage",
        example: "date,action_count,total_aau,total_cost_usd\r\n2026-01-05,42,86,0.43\r\n",
        text: async ({ input, context }) => dailyUsageCsv(await usage.daily(context, input)),
      },
    ),
    implement(
      billing.getUsageHeatMap,
      async ({ context }) => heatMapMessages(await usage.heatMap(context)),
      {
        file: "usage-heatmap",
        example:
          "orm_model,intent,aau_weight,total_aau,action_count\r\nInvoice,write_insert,3,126,42\r\n",
        text: async ({ context }) => heatMapCsv(await usage.heatMap(context)),
      },
    ),
    implement(billing.getStorageUsage, async ({ context }) =>
      storageUsageMessage(await usage.storage(context, context.signal)),
    ),
    implement(billing.getOrganizationUsage, async ({ input }) =>
      organizationUsageMessage(await usage.byOrganization(input)),
    ),
  ];
}

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
function dailyUsageCsv({ groupBy, rows }: UsageReport): string {
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
function heatMapMessages(cells: readonly HeatCell[]): readonly HeatMapRow[] {
  return cells.map((cell) => ({
    orm_model: cell.ormModel,
    intent: cell.intent,
    aau_weight: cell.aauWeight,
    total_aau: cell.totalAau,
    action_count: cell.actionCount,
  }));
}

/** What an organization stores. */
function storageUsageMessage({ measured, addedBytes, quotaBytes }: StorageReport): StorageUsage {
  const quota = present({ quota_bytes: quotaBytes });
  if (measured === undefined) return quota;
  return {
    stored_bytes: totalOf(measured.bytes) + addedBytes,
    ...quota,
    bytes: measured.bytes,
    measured_at: isoTime(measured.atMs),
  };
}

function heatMapCsv(cells: readonly HeatCell[]): string {
  return csvOf(cells, [
    ["orm_model", (cell) => cell.ormModel],
    ["intent", (cell) => cell.intent],
    ["aau_weight", (cell) => cell.aauWeight],
    ["total_aau", (cell) => cell.totalAau],
    ["action_count", (cell) => cell.actionCount],
  ]);
}

/** A page of the report over all organizations. */
function organizationUsageMessage({
  organizations,
  nextCursor,
}: OrganizationReport): OutputOf<typeof billing.getOrganizationUsage> {
  return {
    organizations: organizations.map((totals) => ({
      org_id: totals.orgId,
      ...totalsMessage(totals),
    })),
    ...present({ next_cursor: nextCursor }),
  };
}

/** A wrong total. */
export function differenceMessage(difference: TotalDifference): UsageDifference {
  const { total, stored, recomputed } = difference;
  return { total, stored: totalsMessage(stored), recomputed: totalsMessage(recomputed) };
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
