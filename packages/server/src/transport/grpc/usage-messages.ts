import type * as proto from "@steward/protocol/grpc";
import { isoTime } from "@steward/kernel/clock.js";
import {
  formatUsd,
  amountText,
  limitText,
  totalOf,
  usdOf,
  type Budget,
  type BudgetState,
  type DailyUsage,
  type ExternalEvent,
  type Grouping,
  type HeatCell,
  type OrganizationReport,
  type OrganizationReportParameters,
  type Price,
  type PriceInput,
  type Repriced,
  type ReportParameters,
  type StorageReport,
  type StoredBytes,
  type TotalDifference,
  type UsageReport,
  type UsageTotals,
} from "../../usage/index.js";

/** The parameters of a report; an empty field counts as absent. */
export function reportParametersOf(request: proto.GetUsageRequest): ReportParameters {
  return {
    from: given(request.from),
    to: given(request.to),
    tz: given(request.tz),
    group_by: given(request.groupBy),
  };
}

/** A price to set; an empty field counts as absent. */
export function priceInputOf(request: proto.SetPriceRequest): PriceInput {
  const { scope, subject, amountUsd, from, until, orgId } = request;
  const period = { from: given(from), until: given(until) };
  return { scope, subject, amount_usd: amountUsd, ...period, org_id: given(orgId) };
}

/** A reported event in the service's form. */
export function externalEventOf(event: proto.UsageCloudEvent): ExternalEvent {
  const { id, source, time, data } = event;
  return {
    id,
    source,
    time: given(time),
    toolName: data?.toolName ?? "",
    intent: given(data?.intent),
    sessionId: given(data?.sessionId),
    ormModel: given(data?.ormModel),
  };
}

/** The rows of a daily report (Contract §2.11). */
export function dailyUsageMessages({ groupBy, rows }: UsageReport): proto.DailyUsage[] {
  return rows.map((row) => ({
    $typeName: "controlplane.v1.DailyUsage",
    date: row.date,
    ...totalsFields(row),
    group: groupBy === undefined ? { case: undefined } : groupField(groupBy, row),
  }));
}

/** A cell of the heat map (Contract §2.11). */
export function heatMapMessage(cell: HeatCell): proto.HeatMapRow {
  return {
    $typeName: "controlplane.v1.HeatMapRow",
    ormModel: cell.ormModel,
    intent: cell.intent,
    aauWeight: cell.aauWeight,
    totalAau: cell.totalAau,
    actionCount: BigInt(cell.actionCount),
  };
}

/** What an organization stores. */
export function storageUsageMessage({
  measured,
  addedBytes,
  quotaBytes = 0,
}: StorageReport): proto.GetStorageUsageResponse {
  return {
    $typeName: "controlplane.v1.GetStorageUsageResponse",
    storedBytes: BigInt(measured === undefined ? 0 : totalOf(measured.bytes) + addedBytes),
    quotaBytes: BigInt(quotaBytes),
    ...(measured === undefined ? {} : { bytes: storedBytesMessage(measured.bytes) }),
    measuredAt: measured === undefined ? "" : isoTime(measured.atMs),
  };
}

function storedBytesMessage(bytes: StoredBytes): proto.StoredBytes {
  return {
    $typeName: "controlplane.v1.StoredBytes",
    plans: BigInt(bytes.plans),
    memory: BigInt(bytes.memory),
    usage: BigInt(bytes.usage),
    state: BigInt(bytes.state),
    audit: BigInt(bytes.audit),
  };
}

/** The parameters of the report over all organizations; an empty field counts as absent. */
export function organizationReportOf(
  request: proto.GetOrganizationUsageRequest,
): OrganizationReportParameters {
  const { from, to, limit, cursor } = request;
  return {
    from: given(from),
    to: given(to),
    limit: limit === 0 ? undefined : limit,
    cursor: given(cursor),
  };
}

/** A page of the report over all organizations. */
export function organizationUsageMessage({
  organizations,
  nextCursor = "",
}: OrganizationReport): proto.GetOrganizationUsageResponse {
  return {
    $typeName: "controlplane.v1.GetOrganizationUsageResponse",
    organizations: organizations.map((totals) => ({
      $typeName: "controlplane.v1.OrganizationUsage",
      orgId: totals.orgId,
      ...totalsFields(totals),
    })),
    nextCursor,
  };
}

/** A wrong total. */
export function differenceMessage(difference: TotalDifference): proto.UsageDifference {
  return {
    $typeName: "controlplane.v1.UsageDifference",
    total: difference.total,
    stored: totalsMessage(difference.stored),
    recomputed: totalsMessage(difference.recomputed),
  };
}

export function priceMessage(price: Price): proto.Price {
  return {
    $typeName: "controlplane.v1.Price",
    priceId: price.id,
    scope: price.scope,
    subject: price.subject,
    amountUsd: formatUsd(price.amount),
    from: isoTime(price.fromMs),
    until: price.untilMs === undefined ? "" : isoTime(price.untilMs),
  };
}

/** The result of pricing calls again. */
export function repricingMessage(repriced: Repriced): proto.RepriceUsageResponse {
  return {
    $typeName: "controlplane.v1.RepriceUsageResponse",
    corrections: BigInt(repriced.corrections),
    differenceUsd: formatUsd(repriced.difference),
  };
}

export function budgetMessage(budget: Budget): proto.Budget {
  const { id, scope, unit, period, action } = budget;
  return {
    $typeName: "controlplane.v1.Budget",
    budgetId: id,
    scope,
    unit,
    period,
    limit: limitText(budget),
    action,
    used: "",
    remaining: "",
    resetsAt: "",
    setBy: budget.setBy,
  };
}

/** A budget and the usage recorded against it. */
export function budgetStateMessage({ budget, usage }: BudgetState): proto.Budget {
  if (usage === undefined) return budgetMessage(budget);
  return {
    ...budgetMessage(budget),
    used: amountText(budget.unit, usage.used),
    remaining: amountText(budget.unit, usage.remaining),
    resetsAt: usage.resetsAtMs === undefined ? "" : isoTime(usage.resetsAtMs),
  };
}

function totalsMessage(totals: UsageTotals): proto.UsageTotals {
  return { $typeName: "controlplane.v1.UsageTotals", ...totalsFields(totals) };
}

function totalsFields(totals: UsageTotals): Omit<proto.UsageTotals, "$typeName" | "$unknown"> {
  return {
    actionCount: BigInt(totals.actionCount),
    totalAau: totals.totalAau,
    totalCostUsd: usdOf(totals.totalCost),
  };
}

/** The field with a row's group, which has the row's own field name (Contract §2.9). */
function groupField(groupBy: Grouping, { group = "" }: DailyUsage): proto.DailyUsage["group"] {
  switch (groupBy) {
    case "tool":
      return { case: "toolName", value: group };
    case "session":
      return { case: "sessionId", value: group };
    case "intent":
      return { case: "intent", value: group };
    case "model":
      return { case: "ormModel", value: group };
  }
}

/** In proto3 an empty text is absent. */
export function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
