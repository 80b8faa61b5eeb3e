import type { Correction, Rollups, UsageEvent } from "../../../usage/ports.js";
import type { Write } from "../commit-protocol.js";

/**
 * Converts domain values to writes. Only this file changes the usage tables. Lists are passed as
 * JSON, so that one statement is enough for any length; amounts are passed as text, because JSON
 * numbers are doubles. `jsonb_each` parses a list once, where `json_each` would have each value of a row parse the
 * row again.
 */

/** Inserts usage rows, none of which may exist already. */
export function writeEvents(events: readonly UsageEvent[]): Write {
  return {
    sql: `INSERT INTO usage_events (org_id, occurred_at_ms, id, session_id, plan_id, step_id,
            tool_name, intent, intent_source, aau_weight, orm_model, cost_nanodollars, price_id,
            source, source_event_id, created_at_ms)
          SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
            value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10,
            CAST(value ->> 11 AS INTEGER), value ->> 12, value ->> 13, value ->> 14, value ->> 15
          FROM jsonb_each(?)`,
    params: [
      JSON.stringify(
        events.map((event) => [
          event.orgId,
          event.occurredAtMs,
          event.id,
          event.sessionId,
          event.planId,
          event.stepId,
          event.toolName,
          event.intent,
          event.intentSource,
          event.aauWeight,
          event.ormModel,
          String(event.cost),
          event.priceId,
          event.source,
          event.sourceEventId,
          event.createdAtMs,
        ]),
      ),
    ],
    expect: events.length,
  };
}

/** Inserts corrections, each on the day of the row it corrects. */
export function writeAdjustments(corrections: readonly Correction[]): Write {
  return {
    sql: `INSERT INTO usage_adjustments
          SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4,
            CAST(value ->> 5 AS INTEGER), value ->> 6
          FROM jsonb_each(?)`,
    params: [
      JSON.stringify(
        corrections.map(({ event, adjustment }) => [
          event.orgId,
          event.occurredAtMs,
          event.id,
          adjustment.id,
          adjustment.priceId,
          String(adjustment.difference),
          adjustment.createdAtMs,
        ]),
      ),
    ],
    expect: corrections.length,
  };
}

const TIME_COLUMNS = `org_id, dimension, grain, bucket_ms, key`;
const HEAT_COLUMNS = `org_id, orm_model, intent, aau_weight`;

export function addToTotals(rollups: Rollups): readonly Write[] {
  const sums = `action_count = action_count + excluded.action_count,
                total_aau = total_aau + excluded.total_aau,
                total_nanodollars = total_nanodollars + excluded.total_nanodollars`;
  return [
    {
      sql: `${INSERT_TIMES} ON CONFLICT (${TIME_COLUMNS}) DO UPDATE SET ${sums}`,
      params: [timesJson(rollups)],
    },
    {
      sql: `${INSERT_HEAT} ON CONFLICT (${HEAT_COLUMNS}) DO UPDATE SET ${sums}`,
      params: [heatJson(rollups)],
    },
  ];
}

/** Replaces the stored totals; deletes those without actions. */
export function replaceTotals(rollups: Rollups): readonly Write[] {
  const sums = `action_count = excluded.action_count, total_aau = excluded.total_aau,
                total_nanodollars = excluded.total_nanodollars`;
  return [
    {
      sql: `${INSERT_TIMES} ON CONFLICT (${TIME_COLUMNS}) DO UPDATE SET ${sums}`,
      params: [timesJson(rollups)],
    },
    {
      sql: `${INSERT_HEAT} ON CONFLICT (${HEAT_COLUMNS}) DO UPDATE SET ${sums}`,
      params: [heatJson(rollups)],
    },
    { sql: `DELETE FROM usage_totals WHERE action_count = 0`, params: [] },
    { sql: `DELETE FROM usage_heat_map WHERE action_count = 0`, params: [] },
  ];
}

// `WHERE true` keeps the parser from reading ON CONFLICT as the ON of a join.
const INSERT_TIMES = `
  INSERT INTO usage_totals
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
    CAST(value ->> 7 AS INTEGER)
  FROM jsonb_each(?) WHERE true`;

const INSERT_HEAT = `
  INSERT INTO usage_heat_map
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
    CAST(value ->> 6 AS INTEGER)
  FROM jsonb_each(?) WHERE true`;

function timesJson({ byTime }: Rollups): string {
  return JSON.stringify(
    byTime.map((rollup) => [
      rollup.orgId,
      rollup.dimension,
      rollup.grain,
      rollup.bucketMs,
      rollup.key,
      rollup.actionCount,
      rollup.totalAau,
      String(rollup.totalCost),
    ]),
  );
}

function heatJson({ heatMap }: Rollups): string {
  return JSON.stringify(
    heatMap.map((cell) => [
      cell.orgId,
      cell.ormModel,
      cell.intent,
      cell.aauWeight,
      cell.actionCount,
      cell.totalAau,
      String(cell.totalCost),
    ]),
  );
}
