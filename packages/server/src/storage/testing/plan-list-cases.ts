import type { StoredPlanFilter } from "../../plans/index.js";
import { ORG } from "./sample-plans.js";

/** Plans of the organization. Of each thousand, four run and two are pending; the oldest ones first. */
const PLANS = 20_000;

/**
 * Statements that give the organization its plans. One agent has submitted all that have an even
 * number, another one every thousandth plan.
 */
export function fillPlanLists(engine: "sqlite" | "postgres"): readonly string[] {
  const jsonArray = engine === "sqlite" ? "json_array" : "json_build_array";
  const id = `('01980000-0000-7000-8000-000000' || n)${engine === "sqlite" ? "" : "::uuid"}`;
  const isUnfinished = "n % 1000 < 6";
  return [
    `INSERT INTO plans (org_id, plan_id, session_id, created_at_ms, deadline_ms, status, started_at_ms,
       finished_at_ms, failure)
     WITH RECURSIVE c (n) AS (SELECT 100000 UNION ALL SELECT n + 1 FROM c WHERE n < ${String(100_000 + PLANS - 1)})
     SELECT '${ORG}', ${id}, 'session-' || (n % 500), n, 2000000000000,
       CASE WHEN n % 1000 < 4 THEN 'running' WHEN ${isUnfinished} THEN 'pending'
         WHEN n % 1000 = 7 THEN 'failed' ELSE 'completed' END,
       n, CASE WHEN ${isUnfinished} THEN NULL ELSE n END, CASE WHEN n % 1000 = 7 THEN '{}' END
     FROM c`,
    `INSERT INTO plan_definitions (org_id, plan_id, name, description, steps)
     SELECT org_id, plan_id, 'plan', '', '[]' FROM plans`,
    `INSERT INTO plan_changes (org_id, plan_id, sequence, events, origins)
     SELECT org_id, plan_id, 1, '[]', ${jsonArray}(${jsonArray}(1, ${jsonArray}('open', 'agent',
       NULL, NULL, NULL, CASE WHEN created_at_ms % 2 = 0 THEN 'often' WHEN created_at_ms % 1000 = 1 THEN 'seldom' END)))
     FROM plans`,
  ];
}

/** Lists of at most 50 plans: the plans that they find, and how many plans they may look at. */
export const PLAN_LIST_CASES: readonly (readonly [
  of: string,
  filter: StoredPlanFilter,
  plans: number,
  readMax: number,
])[] = [
  ["those that run", { status: "running" }, 51, 120],
  ["those that are pending", { status: "pending" }, 40, 120],
  ["those that have failed", { status: "failed" }, 20, 20],
  ["those that were cancelled", { status: "cancelled" }, 0, 20],
  ["those of a session", { sessionId: "session-9" }, 40, 40],
  ["those of a session that run", { sessionId: "session-1", status: "running" }, 20, 120],
  ["the caller's own", { submitter: own("often") }, 51, 51],
  ["the caller's own, who has few", { submitter: own("seldom") }, 20, 20],
  ["those of a caller who has none", { submitter: own("never") }, 0, 0],
  ["the caller's own that run", { submitter: own("often"), status: "running" }, 40, 120],
  ["the caller's own of a session", { submitter: own("often"), sessionId: "session-8" }, 40, 40],
  ["all", {}, 51, 51],
];

function own(agentId: string): NonNullable<StoredPlanFilter["submitter"]> {
  return { userId: undefined, agentId };
}
