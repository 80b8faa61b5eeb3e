import { DatabaseSync } from "@photostructure/sqlite";
import { expect, vi } from "vitest";
import type { Acknowledged } from "./plan-driver.js";
import {
  CHANGES,
  COMPLETED,
  DOUBLE_ATTEMPTS,
  GAPS,
  OUTPUTS,
  RUNNING,
  type StoreView,
} from "./store-view.js";

/** How long usage and memory may take to process their backlog, in ms. */
const CATCH_UP_MS = 120_000;

/**
 * Every plan was acknowledged to a client, is completed, and has the acknowledged results and exactly the acknowledged
 * changes; each log has no gaps, and each step was completed once, in one plan, with one tool call for that and for each
 * failure.
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
  expect(await view.all(RUNNING)).toEqual([]);
  await expectEvents(view, acknowledged);
  const steps = acknowledged.reduce((sum, { ran }) => sum + ran.length, 0);
  const calls = acknowledged.reduce((sum, { failures }) => sum + failures, steps);
  expect(
    await view.all(
      `SELECT count(*) AS n, count(DISTINCT CAST(plan_id AS TEXT) || step_id) AS d,
         count(DISTINCT event_id) AS e FROM tool_calls AS c`,
    ),
  ).toEqual([{ n: calls, d: steps, e: calls }]);
  // A revised step never has an attempt with the number of an earlier one, whose marker would be mistaken for its own.
  expect(await view.all(DOUBLE_ATTEMPTS)).toEqual([]);
}

/** Each plan's log has the completed steps and the changes that were acknowledged, each of them once. */
async function expectEvents(view: StoreView, acknowledged: readonly Acknowledged[]): Promise<void> {
  const completed = byPlan(await view.all(COMPLETED), ({ step_id }) => String(step_id));
  const changed = byPlan(await view.all(CHANGES), ({ plan_id, step_id }, type) =>
    [type, plan_id ?? step_id ?? []].flat().join(" "),
  );
  for (const { planId, ran, changes } of acknowledged) {
    expect(completed.get(planId)?.sort()).toEqual([...ran].sort());
    expect(changed.get(planId) ?? []).toEqual(changes);
  }
}

/** The payload of an event that is looked at. */
interface Payload {
  readonly plan_id?: string;
  readonly step_id?: string;
}

function byPlan(
  rows: readonly Record<string, unknown>[],
  shown: (payload: Payload, type: string) => string,
): ReadonlyMap<string, string[]> {
  const plans = new Map<string, string[]>();
  for (const { plan_id, event_type, payload } of rows) {
    const texts = plans.get(String(plan_id)) ?? [];
    plans.set(String(plan_id), texts);
    texts.push(shown(JSON.parse(String(payload)) as Payload, String(event_type)));
  }
  return plans;
}

/**
 * Each plan that ran its insert inserted one row, whose counter was incremented once: no write was lost or applied twice.
 */
export function expectLedgerTruth(path: string, acknowledged: readonly Acknowledged[]): void {
  const plans = acknowledged.filter(({ ran }) => ran.includes("insert")).length;
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
