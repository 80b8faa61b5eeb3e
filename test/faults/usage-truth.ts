import { expect } from "vitest";
import { AAU_PRICE, TOOL_PRICE } from "./biller.js";
import type { StoreView } from "./store-view.js";

/**
 * The present cost of a row with its corrections, in nanodollars, by its organization's price list.
 */
const COST = `CASE WHEN tool_name = 'sql' THEN ${TOOL_PRICE} ELSE aau_weight * ${AAU_PRICE} END`;

/** The key of a row in each dimension of the totals. */
const KEYS = {
  total: "''",
  tool: "tool_name",
  session: "coalesce(session_id, 'unknown')",
  intent: "intent",
  model: "coalesce(orm_model, 'unknown')",
} as const;

const GRAINS = { day: 24 * 60 * 60 * 1000, quarter: 15 * 60 * 1000 } as const;

/**
 * Each tool call and each reported call has exactly one usage row, and there are no others; every
 * total is the sum of its rows, and costs match the prices.
 */
export async function expectUsageTruth(view: StoreView, reported: number): Promise<void> {
  const all = (sql: string): ReturnType<StoreView["all"]> => view.all(sql);
  const own = "SELECT count(*) AS n FROM usage_events WHERE source IS NULL";
  expect(await all(own)).toEqual(await all(`SELECT count(*) AS n FROM tool_calls AS c`));
  const missing = `SELECT event_id FROM tool_calls AS c
     WHERE NOT EXISTS (SELECT 1 FROM usage_events AS u
       WHERE u.id = c.event_id AND u.org_id = c.org_id AND u.tool_name = c.tool_name
         AND u.intent = c.intent AND u.occurred_at_ms = c.finished_at_ms)`;
  expect(await all(missing)).toEqual([]);
  const others = "SELECT count(*) AS n FROM usage_events WHERE source IS NOT NULL";
  expect(await all(others)).toEqual([{ n: reported }]);
  const misrated = `SELECT id FROM usage_events AS e WHERE ${COST} <> cost_nanodollars + (
     SELECT coalesce(sum(difference_nanodollars), 0) FROM usage_adjustments AS a
     WHERE a.event_id = e.id)`;
  expect(await all(misrated)).toEqual([]);
  for (const [dimension, key] of Object.entries(KEYS)) {
    for (const [grain, ms] of Object.entries(GRAINS)) {
      const bucket = `(occurred_at_ms / ${String(ms)}) * ${String(ms)}`;
      const kept = await all(
        `SELECT bucket_ms, key, action_count, total_aau, total_nanodollars FROM usage_totals
         WHERE dimension = '${dimension}' AND grain = '${grain}'`,
      );
      const recomputed = await all(
        `SELECT ${bucket} AS bucket_ms, ${key} AS key, ${SUMS} FROM usage_events GROUP BY 1, 2`,
      );
      expect(sorted(kept), `${dimension} by ${grain}`).toEqual(sorted(recomputed));
    }
  }
  const cells = "orm_model, intent, aau_weight, action_count, total_aau, total_nanodollars";
  expect(sorted(await all(`SELECT ${cells} FROM usage_heat_map`))).toEqual(
    sorted(
      await all(
        `SELECT ${KEYS.model} AS orm_model, intent, aau_weight, ${SUMS}
         FROM usage_events GROUP BY 1, 2, 3`,
      ),
    ),
  );
}

const SUMS = `count(*) AS action_count, sum(aau_weight) AS total_aau,
  sum(${COST}) AS total_nanodollars`;

function sorted(rows: readonly object[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
