import pg from "pg";
import { expect, vi } from "vitest";
import { STEPS, type Acknowledged } from "./plan-driver.js";

/** How long usage and memory may take to catch up, in ms. */
const CATCH_UP_MS = 60_000;

/** Checks a PostgreSQL store, past the servers, against what clients were told. */
export async function expectClusterTruth(
  url: string,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const all = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    (await client.query<Record<string, unknown>>(sql)).rows;
  try {
    const plans = await all("SELECT plan_id, status FROM plans");
    expect(plans.filter((plan) => plan["status"] !== "completed")).toEqual([]);
    expect(new Set(plans.map((plan) => plan["plan_id"]))).toEqual(
      new Set(acknowledged.map((plan) => plan.planId)),
    );
    expect(await all(GAPS)).toEqual([]);
    expect(await all(executedNotOnce(STEPS.length))).toEqual([]);
    expect(await all("SELECT count(*)::int AS n FROM step_leases")).toEqual([{ n: 0 }]);
    await expectOutputs(all, acknowledged);
    const calls = acknowledged.length * STEPS.length;
    const counts = { calls, distinct: calls, rows: calls, entries: calls };
    await vi.waitFor(async () => expect(await all(COUNTS)).toEqual([counts]), {
      timeout: CATCH_UP_MS,
      interval: 500,
    });
    expect(await all(STRAY)).toEqual([]);
    expect(await all(TOTALS)).toEqual([{ n: calls }]);
  } finally {
    await client.end();
  }
}

async function expectOutputs(
  all: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const rows = await all(
    `SELECT c.plan_id, d.steps::json -> c.result_step ->> 'id' AS step_id, coalesce(output, '[]') AS output
     FROM plan_changes AS c JOIN plan_definitions AS d USING (org_id, plan_id)
     WHERE result_step IS NOT NULL`,
  );
  const outputs = new Map(
    rows.map((row) => [`${String(row["plan_id"])}/${String(row["step_id"])}`, row["output"]]),
  );
  for (const plan of acknowledged) {
    for (const [stepId, output] of plan.outputs) {
      expect(outputs.get(`${plan.planId}/${stepId}`)).toBe(output);
    }
  }
}

/** Rows of a log whose events do not begin where those of the row before end. */
const GAPS = `SELECT plan_id, sequence FROM (
    SELECT plan_id, sequence,
      coalesce(lag(sequence + json_array_length(events::json)) OVER log, 1) AS expected
    FROM plan_changes WINDOW log AS (PARTITION BY org_id, plan_id ORDER BY sequence)) AS numbered
  WHERE sequence <> expected`;

function executedNotOnce(steps: number): string {
  return `SELECT plan_id FROM plan_changes, json_array_elements(events::json) AS event
    WHERE event ->> 0 IN ('PlanStepExecuted', '1') GROUP BY plan_id HAVING count(*) <> ${steps}`;
}

const COUNTS = `SELECT
  (SELECT count(*)::int FROM plan_changes WHERE call IS NOT NULL) AS calls,
  (SELECT count(DISTINCT call::json ->> 1)::int FROM plan_changes) AS distinct,
  (SELECT count(*)::int FROM usage_events) AS rows,
  (SELECT count(*)::int FROM memory_entries) AS entries`;

/** Usage rows and memory entries of calls that there are not: they share the call's random bits. */
const STRAY = `SELECT id FROM (SELECT id FROM usage_events UNION ALL
    SELECT entry_id FROM memory_entries) AS made
  WHERE substr(id::text, 16) NOT IN
    (SELECT substr(call::json ->> 1, 16) FROM plan_changes WHERE call IS NOT NULL)`;

const TOTALS = `SELECT sum(action_count)::int AS n FROM usage_totals
  WHERE dimension = 'total' AND grain = 'day'`;
