import type {
  CostedRow,
  HeatCell,
  OrganizationTotals,
  TimeRollup,
  UsageEvent,
  UsageTotals,
} from "../../../usage/ports.js";

/**
 * Converts rows to domain values, and lists the columns it needs. Amounts are read as text, because
 * a double cannot hold integers above 2^53. The `as` casts to closed sets are safe because only
 * this program writes the columns.
 */

/**
 * Columns of `usage_events AS e` that {@link costedRowOf} reads; the organization is the first
 * parameter.
 */
export const COSTED_ROW_COLUMNS: string = `e.id, e.org_id, e.session_id, e.plan_id, e.step_id,
  e.tool_name, e.intent, e.intent_source, e.aau_weight, e.orm_model, e.price_id, e.occurred_at_ms,
  (extract(epoch FROM e.created_at) * 1000)::bigint AS created_at_ms, e.source, e.source_event_id,
  e.cost_nanodollars::text AS cost,
  (SELECT coalesce(sum(a.difference_nanodollars), 0)::text FROM usage_adjustments AS a
   WHERE a.org_id = $1 AND a.occurred_at_ms = e.occurred_at_ms AND a.event_id = e.id)
    AS difference`;

/** A row of {@link COSTED_ROW_COLUMNS}. */
export interface CostedUsageRow {
  readonly id: string;
  readonly org_id: string;
  readonly session_id: string | null;
  readonly plan_id: string | null;
  readonly step_id: string | null;
  readonly tool_name: string;
  readonly intent: string;
  readonly intent_source: string;
  readonly aau_weight: number;
  readonly orm_model: string | null;
  readonly price_id: string | null;
  readonly occurred_at_ms: number;
  readonly created_at_ms: number;
  readonly source: string | null;
  readonly source_event_id: string | null;
  readonly cost: string;
  readonly difference: string;
}

/** A usage row with its present cost. */
export function costedRowOf(row: CostedUsageRow): CostedRow {
  const cost = BigInt(row.cost);
  const event: UsageEvent = {
    id: row.id,
    orgId: row.org_id,
    sessionId: row.session_id ?? undefined,
    planId: row.plan_id ?? undefined,
    stepId: row.step_id ?? undefined,
    toolName: row.tool_name,
    intent: row.intent,
    intentSource: row.intent_source,
    aauWeight: row.aau_weight as UsageEvent["aauWeight"],
    ormModel: row.orm_model ?? undefined,
    cost,
    priceId: row.price_id ?? undefined,
    occurredAtMs: row.occurred_at_ms,
    createdAtMs: row.created_at_ms,
    source: row.source ?? undefined,
    sourceEventId: row.source_event_id ?? undefined,
  };
  return { event, costNow: cost + BigInt(row.difference) };
}

const TOTAL_COLUMNS = `action_count, total_aau, total_nanodollars::text AS cost`;

/** The sums of `usage_totals` that {@link totalsOf} reads. */
export const SUMMED_TOTALS: string = `coalesce(sum(action_count), 0)::bigint AS action_count,
  coalesce(sum(total_aau), 0)::bigint AS total_aau,
  coalesce(sum(total_nanodollars), 0)::text AS cost`;

export interface TotalsRow {
  readonly action_count: number;
  readonly total_aau: number;
  readonly cost: string;
}

export function totalsOf(row: TotalsRow): UsageTotals {
  return {
    actionCount: row.action_count,
    totalAau: row.total_aau,
    totalCost: BigInt(row.cost),
  };
}

export function organizationTotalsOf(
  row: TotalsRow & { readonly org_id: string },
): OrganizationTotals {
  return { orgId: row.org_id, ...totalsOf(row) };
}

/** Columns of `usage_totals` that {@link timeRollupOf} reads. */
export const TIME_ROLLUP_COLUMNS: string = `org_id, dimension, grain, bucket_ms, key, ${TOTAL_COLUMNS}`;

/** A row of {@link TIME_ROLLUP_COLUMNS}. */
export interface TimeRollupRow extends TotalsRow {
  readonly org_id: string;
  readonly dimension: string;
  readonly grain: string;
  readonly bucket_ms: number;
  readonly key: string;
}

/** A bucket with all its dimensions. */
export function timeRollupOf(row: TimeRollupRow): TimeRollup {
  return {
    orgId: row.org_id,
    dimension: row.dimension as TimeRollup["dimension"],
    grain: row.grain as TimeRollup["grain"],
    bucketMs: row.bucket_ms,
    key: row.key,
    ...totalsOf(row),
  };
}

/** Columns of `usage_heat_map` that {@link heatCellOf} reads. */
export const HEAT_CELL_COLUMNS: string = `org_id, orm_model, intent, aau_weight, ${TOTAL_COLUMNS}`;

/** A row of {@link HEAT_CELL_COLUMNS}. */
export interface HeatCellRow extends TotalsRow {
  readonly org_id: string;
  readonly orm_model: string;
  readonly intent: string;
  readonly aau_weight: number;
}

export function heatCellOf(row: HeatCellRow): HeatCell {
  return {
    orgId: row.org_id,
    ormModel: row.orm_model,
    intent: row.intent,
    aauWeight: row.aau_weight,
    ...totalsOf(row),
  };
}
