import type {
  CostedRow,
  HeatCell,
  OrganizationTotals,
  TimeRollup,
  UsageEvent,
  UsageTotals,
} from "../../../usage/ports.js";
import type { SqliteRow, SqliteValue } from "../connection.js";
import { number, optionalText, text } from "../column-values.js";

/**
 * Converts rows to domain values, and lists the columns it needs. Amounts are read as text, because
 * a double cannot hold integers above 2^53. The `as` casts to closed sets are safe because only
 * this program writes the columns.
 */

/** Columns of `usage_events AS e` that {@link costedRowOf} reads. */
export const COSTED_ROW_COLUMNS: string = `e.id, e.org_id, e.session_id, e.plan_id, e.step_id, e.tool_name,
  e.intent, e.intent_source, e.aau_weight, e.orm_model, e.price_id, e.occurred_at_ms,
  e.created_at_ms, e.source, e.source_event_id, CAST(e.cost_nanodollars AS TEXT) AS cost,
  (SELECT CAST(coalesce(sum(a.difference_nanodollars), 0) AS TEXT) FROM usage_adjustments AS a
   WHERE a.org_id = e.org_id AND a.occurred_at_ms = e.occurred_at_ms AND a.event_id = e.id)
    AS difference`;

/** A usage row with its present cost. */
export function costedRowOf(row: SqliteRow): CostedRow {
  const cost = amount(row["cost"]);
  const event: UsageEvent = {
    id: text(row["id"]),
    orgId: text(row["org_id"]),
    sessionId: optionalText(row["session_id"]),
    planId: optionalText(row["plan_id"]),
    stepId: optionalText(row["step_id"]),
    toolName: text(row["tool_name"]),
    intent: text(row["intent"]),
    intentSource: text(row["intent_source"]),
    aauWeight: number(row["aau_weight"]) as UsageEvent["aauWeight"],
    ormModel: optionalText(row["orm_model"]),
    cost,
    priceId: optionalText(row["price_id"]),
    occurredAtMs: number(row["occurred_at_ms"]),
    createdAtMs: number(row["created_at_ms"]),
    source: optionalText(row["source"]),
    sourceEventId: optionalText(row["source_event_id"]),
  };
  return { event, costNow: cost + amount(row["difference"]) };
}

const TOTAL_COLUMNS = `action_count, total_aau, CAST(total_nanodollars AS TEXT) AS cost`;

/** Columns of `usage_totals` that {@link timeRollupOf} reads. */
export const TIME_ROLLUP_COLUMNS: string = `org_id, dimension, grain, bucket_ms, key, ${TOTAL_COLUMNS}`;

/** Columns of `usage_heat_map` that {@link heatCellOf} reads. */
export const HEAT_CELL_COLUMNS: string = `org_id, orm_model, intent, aau_weight, ${TOTAL_COLUMNS}`;

/** The sums of `usage_totals` that {@link totalsOf} reads. */
export const SUMMED_TOTALS: string = `coalesce(sum(action_count), 0) AS action_count,
  coalesce(sum(total_aau), 0) AS total_aau,
  CAST(coalesce(sum(total_nanodollars), 0) AS TEXT) AS cost`;

export function totalsOf(row: SqliteRow): UsageTotals {
  return {
    actionCount: number(row["action_count"]),
    totalAau: number(row["total_aau"]),
    totalCost: amount(row["cost"]),
  };
}

export function organizationTotalsOf(row: SqliteRow): OrganizationTotals {
  return { orgId: text(row["org_id"]), ...totalsOf(row) };
}

/** A bucket with all its dimensions. */
export function timeRollupOf(row: SqliteRow): TimeRollup {
  return {
    orgId: text(row["org_id"]),
    dimension: text(row["dimension"]) as TimeRollup["dimension"],
    grain: text(row["grain"]) as TimeRollup["grain"],
    bucketMs: number(row["bucket_ms"]),
    key: text(row["key"]),
    ...totalsOf(row),
  };
}

export function heatCellOf(row: SqliteRow): HeatCell {
  return {
    orgId: text(row["org_id"]),
    ormModel: text(row["orm_model"]),
    intent: text(row["intent"]),
    aauWeight: number(row["aau_weight"]),
    ...totalsOf(row),
  };
}

function amount(value: SqliteValue | undefined): bigint {
  return BigInt(text(value));
}
