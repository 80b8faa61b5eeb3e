import type { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "vitest";
import { AAU_PRICE, TOOL_PRICE } from "./biller.js";

type Database = InstanceType<typeof DatabaseSync>;

/** What a row costs after its corrections, in nanodollars, as its organization's list has it now. */
const COST = `CASE WHEN tool_name = 'sql' THEN ${TOOL_PRICE} ELSE aau_weight * ${AAU_PRICE} END`;

/** How a row's key is told for each dimension of the totals. */
const KEYS = {
  total: "''",
  tool: "tool_name",
  session: "coalesce(session_id, 'unknown')",
  intent: "intent",
  model: "coalesce(orm_model, 'unknown')",
} as const;

const GRAINS = { day: 24 * 60 * 60 * 1000, quarter: 15 * 60 * 1000 } as const;

/**
 * Each tool call is one usage row and so is each reported one, nothing else is; every total is what
 * the rows add up to, and money is what the prices say.
 */
export function expectUsageTruth(store: Database, reported: number): void {
  const all = (sql: string) => store.prepare(sql).all() as Record<string, unknown>[];
  const own = "SELECT count(*) AS n FROM usage_events WHERE source IS NULL";
  expect(all(own)).toEqual(all("SELECT count(*) AS n FROM tool_calls"));
  const missing = `SELECT event_id FROM tool_calls
     WHERE NOT EXISTS (SELECT 1 FROM usage_events AS u
       WHERE u.id = event_id AND u.org_id = tool_calls.org_id AND u.tool_name = tool_calls.tool_name
         AND u.intent = tool_calls.intent AND u.occurred_at_ms = tool_calls.finished_at_ms)`;
  expect(all(missing)).toEqual([]);
  const others = "SELECT count(*) AS n FROM usage_events WHERE source IS NOT NULL";
  expect(all(others)).toEqual([{ n: reported }]);
  const misrated = `SELECT id FROM usage_events AS e WHERE ${COST} <> cost_nanodollars + (
     SELECT coalesce(sum(difference_nanodollars), 0) FROM usage_adjustments AS a
     WHERE a.event_id = e.id)`;
  expect(all(misrated)).toEqual([]);
  for (const [dimension, key] of Object.entries(KEYS)) {
    for (const [grain, ms] of Object.entries(GRAINS))
      expectTotals(store, dimension, key, grain, ms);
  }
  const cells = "orm_model, intent, aau_weight, action_count, total_aau, total_nanodollars";
  expect(all(`SELECT ${cells} FROM usage_heat_map ORDER BY orm_model, intent`)).toEqual(
    all(`SELECT ${KEYS.model} AS orm_model, intent, aau_weight, ${SUMS}
         FROM usage_events GROUP BY ${KEYS.model}, intent ORDER BY ${KEYS.model}, intent`),
  );
}

const SUMS = `count(*) AS action_count, sum(aau_weight) AS total_aau,
  sum(${COST}) AS total_nanodollars`;

function expectTotals(
  store: Database,
  dimension: string,
  key: string,
  grain: string,
  grainMs: number,
): void {
  const kept = store
    .prepare(
      `SELECT bucket_ms, key, action_count, total_aau, total_nanodollars FROM usage_totals
       WHERE dimension = ? AND grain = ? ORDER BY bucket_ms, key`,
    )
    .all(dimension, grain);
  const bucket = `(occurred_at_ms / ${grainMs}) * ${grainMs}`;
  const recomputed = store
    .prepare(
      `SELECT ${bucket} AS bucket_ms, ${key} AS key, ${SUMS}
       FROM usage_events GROUP BY ${bucket}, ${key} ORDER BY 1, 2`,
    )
    .all();
  expect(kept, `${dimension} by ${grain}`).toEqual(recomputed);
}
