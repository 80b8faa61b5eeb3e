import { TOOL_CALL_CONSUMERS } from "../../tool-call-consumers.js";
import type { Write } from "../commit-protocol.js";

/** The deletions of retention. Lists are passed as JSON, so that one statement serves any length. */

/** The condition that no legal hold covers a row. @param alias of a table with a session. */
export function isNotHeld(alias: string): string {
  return `NOT EXISTS (SELECT 1 FROM legal_holds AS h WHERE h.org_id = ${alias}.org_id
    AND (h.session_id IS NULL OR h.session_id = ${alias}.session_id))`;
}

const CONSUMERS = TOOL_CALL_CONSUMERS.map((name) => `('${name}')`).join(", ");

/** The place in the log of tool calls up to which every consumer has read. */
export const READ_THROUGH: string = `(SELECT min(coalesce(t.sequence, 0)) FROM (VALUES ${CONSUMERS}) AS n
  LEFT JOIN tool_call_cursors AS t ON t.consumer = n.column1)`;

/**
 * Tables with rows of plans. Two name their index: the engine would otherwise look into their primary key, by the
 * organization alone, and read all its rows.
 */
const OF_PLANS = [
  "plans",
  "idempotency_keys INDEXED BY idempotency_keys_by_plan",
  "step_leases",
  "approvals INDEXED BY approvals_by_plan",
];

/** Deletes those of the plans that ended before a time and are not needed any more. */
export function deletedPlans(
  orgId: string,
  planIds: readonly string[],
  beforeMs: number,
): readonly Write[] {
  const ids = JSON.stringify(planIds);
  return [
    {
      sql: `INSERT INTO plan_removals (org_id, plan_id)
            SELECT p.org_id, p.plan_id FROM plans AS p
            WHERE p.org_id = ?1 AND p.plan_id IN (SELECT value FROM json_each(?2))
              AND p.finished_at_ms < ?3 AND ${isNotHeld("p")}
              AND NOT EXISTS (SELECT 1 FROM plan_forks AS f
                WHERE f.org_id = p.org_id AND f.plan_id = p.plan_id)
              AND NOT EXISTS (SELECT 1 FROM plan_changes AS c
                WHERE c.org_id = p.org_id AND c.plan_id = p.plan_id
                  AND c.call IS NOT NULL AND c.change > ${READ_THROUGH})`,
      params: [orgId, ids, beforeMs],
    },
    ...OF_PLANS.map((rows) => ({
      sql: `DELETE FROM ${rows} WHERE org_id = ?1 AND plan_id IN ${REMOVED}`,
      params: [orgId, ids],
    })),
    {
      sql: `DELETE FROM plan_forks WHERE org_id = ?1 AND fork_id IN ${REMOVED}`,
      params: [orgId, ids],
    },
  ];
}

/** Those of the listed plans that were removed, without a look at all removals of the organization. */
const REMOVED = `(SELECT r.plan_id FROM json_each(?2) AS j CROSS JOIN plan_removals AS r
  ON r.org_id = ?1 AND r.plan_id = j.value)`;

/** Deletes definitions of plans, rows of their logs, and the notes about those of which nothing is left. */
export function deletedLogs(
  orgId: string,
  planIds: readonly string[],
  changes: readonly number[],
): readonly Write[] {
  const ids = JSON.stringify(planIds);
  return [
    {
      sql: `DELETE FROM plan_definitions
            WHERE org_id = ? AND plan_id IN (SELECT value FROM json_each(?))`,
      params: [orgId, ids],
    },
    {
      sql: "DELETE FROM plan_changes WHERE change IN (SELECT value FROM json_each(?))",
      params: [JSON.stringify(changes)],
    },
    {
      sql: `DELETE FROM plan_removals AS r
            WHERE r.org_id = ? AND r.plan_id IN (SELECT value FROM json_each(?))
              AND NOT EXISTS (SELECT 1 FROM plan_changes AS c
                WHERE c.org_id = r.org_id AND c.plan_id = r.plan_id)`,
      params: [orgId, ids],
    },
  ];
}

/** Deletes the keys of plans that have ended. */
export function deletedKeys(orgId: string, planIds: readonly string[]): Write {
  return {
    sql: `DELETE FROM idempotency_keys AS k INDEXED BY idempotency_keys_by_plan
          WHERE k.org_id = ? AND k.plan_id IN (SELECT value FROM json_each(?))
            AND EXISTS (SELECT 1 FROM plans AS p WHERE p.org_id = k.org_id
              AND p.plan_id = k.plan_id AND p.finished_at_ms IS NOT NULL AND ${isNotHeld("p")})`,
    params: [orgId, JSON.stringify(planIds)],
  };
}

/** Deletes usage rows with their corrections, and records from when on the rows are complete. */
export function deletedUsage(
  orgId: string,
  rows: {
    readonly through: { readonly occurredAtMs: number; readonly id: string };
    readonly beforeMs: number;
  },
): readonly Write[] {
  const { through, beforeMs } = rows;
  return [
    {
      sql: `INSERT INTO usage_detail_starts (org_id, from_ms) VALUES (?, ?)
            ON CONFLICT (org_id) DO UPDATE SET from_ms = max(from_ms, excluded.from_ms)`,
      params: [orgId, beforeMs],
    },
    {
      sql: `DELETE FROM usage_adjustments AS a
            WHERE a.org_id = ?1 AND (a.occurred_at_ms, a.event_id) <= (?2, ?3)
              AND EXISTS (SELECT 1 FROM usage_events AS e WHERE e.org_id = a.org_id
                AND e.occurred_at_ms = a.occurred_at_ms AND e.id = a.event_id AND ${isNotHeld("e")})`,
      params: [orgId, through.occurredAtMs, through.id],
    },
    {
      sql: `DELETE FROM usage_events AS e
            WHERE e.org_id = ?1 AND (e.occurred_at_ms, e.id) <= (?2, ?3) AND ${isNotHeld("e")}`,
      params: [orgId, through.occurredAtMs, through.id],
    },
  ];
}
