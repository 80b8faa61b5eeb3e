import { DatabaseSync } from "@photostructure/sqlite";
import { expect, vi } from "vitest";
import { STEPS, type Acknowledged } from "./plan-driver.js";
import { completedNotOnce, GAPS, OUTPUTS, RUNNING, type StoreView } from "./store-view.js";

/** How long usage and memory may take to process their backlog, in ms. */
const CATCH_UP_MS = 120_000;

/**
 * Every plan was acknowledged to a client, is completed, and has the acknowledged results; each log
 * has no gaps, and each step was completed once, with one tool call for that and for each failure.
 */
export async function expectPlanTruth(
  view: StoreView,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const plans = await view.all("SELECT plan_id, status FROM plans");
  expect(plans.filter((plan) => plan["status"] !== "completed")).toEqual([]);
  expect(new Set(plans.map((plan) => plan["plan_id"]))).toEqual(
    new Set(acknowledged.map((plan) => plan.planId)),
  );
  const outputs = new Map((await view.all(OUTPUTS)).map((row) => [row["key"], row["output"]]));
  for (const plan of acknowledged) {
    for (const [stepId, output] of plan.outputs) {
      expect(outputs.get(`${plan.planId}/${stepId}`)).toBe(output);
    }
  }
  expect(await view.all(GAPS)).toEqual([]);
  expect(await view.all(completedNotOnce(STEPS.length))).toEqual([]);
  expect(await view.all(RUNNING)).toEqual([]);
  const steps = acknowledged.length * STEPS.length;
  const calls = acknowledged.reduce((sum, { failures }) => sum + failures, steps);
  expect(
    await view.all(
      `SELECT count(*) AS n, count(DISTINCT CAST(plan_id AS TEXT) || step_id) AS d,
         count(DISTINCT event_id) AS e FROM tool_calls AS c`,
    ),
  ).toEqual([{ n: calls, d: steps, e: calls }]);
}

/**
 * Each plan inserted one row and incremented its counter once: no write was lost or applied twice.
 */
export function expectLedgerTruth(path: string, plans: number): void {
  const target = new DatabaseSync(path);
  expect(target.prepare("SELECT count(*) AS n FROM ledger").all()).toEqual([{ n: plans }]);
  expect(target.prepare("SELECT tag FROM ledger WHERE hits <> 1").all()).toEqual([]);
  target.close();
}

/** Waits until every tool call has its usage row and its memory entry. */
export async function untilCaughtUp(view: StoreView): Promise<void> {
  const counts = `SELECT (SELECT count(*) FROM tool_calls AS c) AS calls,
    (SELECT count(*) FROM usage_events WHERE source IS NULL) AS rows,
    (SELECT count(*) FROM memory_entries) AS entries`;
  await vi.waitFor(
    async () => {
      const [{ calls, rows, entries } = {}] = await view.all(counts);
      expect({ rows, entries }).toEqual({ rows: calls, entries: calls });
    },
    { timeout: CATCH_UP_MS, interval: 200 },
  );
}
