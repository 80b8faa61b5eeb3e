import type { ToolCallRecord } from "../../../kernel/tool-call.js";
import type { PreparedStep } from "../../../plans/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import { callOf, preparedStepsOf } from "../../plan-changes/index.js";
import { unreadableCall } from "../../unreadable-call.js";
import { TOOL_CALL_CONSUMERS } from "../../tool-call-consumers.js";
import { byOrganization } from "../by-organization.js";
import type { Connection } from "../database.js";

/** Consumers of tool calls. Each has a position of its own in every plan's log. */
export type CallConsumer = "usage" | "memory";

/** Consumers of plans' logs: those of tool calls, and the audit log, which reads every change. */
export type LogConsumer = (typeof TOOL_CALL_CONSUMERS)[number];

/** A part of a plan's log that a consumer has not acknowledged. */
export interface UnreadCalls {
  readonly ref: PlanRef;
  /** The consumer's position before this part. */
  readonly from: number;
  /** The consumer's position after this part. */
  readonly through: number;
  readonly calls: readonly ToolCallRecord[];
}

/** The result of reading unacknowledged calls. */
export interface UnreadRead {
  readonly parts: readonly UnreadCalls[];
  /** Why a plan's log cannot be read further than its part, by the plan's id. */
  readonly unreadable: ReadonlyMap<string, Error>;
  /** Whether more unread calls may exist in these plans. */
  readonly isCut: boolean;
}

/** Rows of plan logs that are read at once. */
const ROWS_MAX = 1000;

interface ChangeOfPlan {
  readonly plan_id: string;
  readonly session_id: string;
  readonly from_sequence: number;
  /** `null` when there is nothing to read. */
  readonly sequence: number | null;
  readonly call: string | null;
  readonly output: string | null;
}

/**
 * Reads the parts of these plans' logs that a consumer has not acknowledged.
 * @param callsMax maximum number of tool calls over all plans.
 */
export async function readUnread(
  connection: Connection,
  consumer: CallConsumer,
  orgId: string,
  planIds: readonly string[],
  callsMax: number,
): Promise<UnreadRead> {
  const rows = await connection.query<ChangeOfPlan>(
    `WITH picked AS MATERIALIZED (
       SELECT org_id, plan_id, session_id, ${consumer}_through AS from_sequence FROM plans
       WHERE org_id = $1 AND plan_id = ANY ($2::uuid[]))
     SELECT p.plan_id, p.session_id, p.from_sequence, c.sequence, c.call,
       ${consumer === "usage" ? "NULL AS output" : "c.output"}
     FROM picked AS p LEFT JOIN plan_changes AS c
       ON c.org_id = $1 AND c.plan_id = p.plan_id AND c.sequence > p.from_sequence
     ORDER BY array_position($2::uuid[], p.plan_id), c.sequence LIMIT ${ROWS_MAX}`,
    [orgId, planIds],
  );
  const withCalls = new Set(rows.filter((row) => row.call !== null).map((row) => row.plan_id));
  const steps = await stepsOf(connection, orgId, [...withCalls]);
  const { parts, unreadable } = unreadOf(orgId, rows, steps, callsMax);
  const count = parts.reduce((sum, part) => sum + part.calls.length, 0);
  return {
    ...{ parts, unreadable },
    isCut: rows.length === ROWS_MAX || count === callsMax,
  };
}

/**
 * Stores that a consumer has processed parts of plan logs, at most one part of each plan.
 * @param connection of a transaction.
 * @returns the plans whose position this consumer moved.
 */
export async function acknowledge(
  connection: Connection,
  consumer: LogConsumer,
  parts: readonly Omit<UnreadCalls, "calls">[],
): Promise<ReadonlySet<string>> {
  const others = TOOL_CALL_CONSUMERS.filter((each) => each !== consumer)
    .map((each) => `${each}_through`)
    .join(", ");
  const acknowledged = new Set<string>();
  for (const [orgId, own] of byOrganization(parts, ({ ref }) => ref.orgId)) {
    const planIds = own.map(({ ref }) => ref.planId);
    // A statement that waits for a plan's row continues with the new row but with an old snapshot
    // of the log. This statement does the waiting, so that the next one sees the end of the plan's
    // log.
    await connection.query(
      `SELECT FROM plans WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])
       ORDER BY plan_id FOR NO KEY UPDATE`,
      [orgId, planIds],
    );
    const rows = await connection.query<{ readonly plan_id: string }>(
      `UPDATE plans SET ${consumer}_through = a.through,
         is_settled = finished_at_ms IS NOT NULL AND least(a.through, ${others}) >= (
           SELECT max(sequence) FROM plan_changes WHERE org_id = $1 AND plan_id = a.plan)
       FROM unnest($2::uuid[], $3::integer[], $4::integer[]) AS a (plan, place, through)
       WHERE org_id = $1 AND plan_id = a.plan AND ${consumer}_through = a.place RETURNING plan_id`,
      [orgId, planIds, own.map(({ from }) => from), own.map(({ through }) => through)],
    );
    for (const row of rows) acknowledged.add(row.plan_id);
  }
  return acknowledged;
}

/** The definitions of plans, as they are stored. */
async function stepsOf(
  connection: Connection,
  orgId: string,
  planIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (planIds.length === 0) return new Map();
  const rows = await connection.query<{ readonly plan_id: string; readonly steps: string }>(
    `SELECT plan_id, steps FROM plan_definitions WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])`,
    [orgId, planIds],
  );
  return new Map(rows.map((row) => [row.plan_id, row.steps]));
}

function unreadOf(
  orgId: string,
  rows: readonly ChangeOfPlan[],
  definitions: ReadonlyMap<string, string>,
  callsMax: number,
): Pick<UnreadRead, "parts" | "unreadable"> {
  const unreadable = new Map<string, Error>();
  const stepsByPlan = new Map<string, readonly PreparedStep[]>();
  const unread = new Map<string, UnreadCalls & { readonly calls: ToolCallRecord[] }>();
  let count = 0;
  for (const row of rows) {
    const { plan_id: planId, session_id: sessionId, sequence } = row;
    if (sequence === null || unreadable.has(planId)) continue;
    if (row.call !== null && count === callsMax) break;
    const former = unread.get(planId);
    const calls = former?.calls ?? [];
    if (row.call !== null) {
      try {
        const steps = stepsByPlan.get(planId) ?? preparedStepsOf(definitions.get(planId) ?? "[]");
        stepsByPlan.set(planId, steps);
        const output = row.output ?? undefined;
        calls.push(callOf(row.call, { orgId, planId, sessionId, steps, output }));
      } catch (error) {
        unreadable.set(planId, unreadableCall({ orgId, planId }, error));
        continue;
      }
      count += 1;
    }
    unread.set(planId, {
      ref: { orgId, planId },
      from: row.from_sequence,
      through: sequence,
      calls,
    });
  }
  return { parts: [...unread.values()], unreadable };
}
