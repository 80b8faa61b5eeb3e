import type { ToolCallRecord } from "../../../kernel/tool-call.js";
import type { PreparedStep } from "../../../plans/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import { callOf, preparedStepsOf } from "../../plan-changes/index.js";
import { unreadableCall } from "../../unreadable-call.js";
import type { TOOL_CALL_CONSUMERS } from "../../tool-call-consumers.js";
import { byOrganization } from "../../by-organization.js";
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
  // A plan without unread changes has one row, and most changes have a call. Rows with outputs that
  // are more than these would be read for nothing.
  const rowsMax = Math.min(ROWS_MAX, callsMax + planIds.length);
  const rows = await connection.query<ChangeOfPlan>(
    `WITH picked AS MATERIALIZED (
       SELECT org_id, plan_id, session_id, ${consumer}_through AS from_sequence FROM plans
       WHERE org_id = $1 AND plan_id = ANY ($2::uuid[]))
     SELECT p.plan_id, p.session_id, p.from_sequence, c.sequence, c.call,
       ${consumer === "usage" ? "NULL AS output" : "c.output"}
     FROM picked AS p LEFT JOIN plan_changes AS c
       ON c.org_id = $1 AND c.plan_id = p.plan_id AND c.sequence > p.from_sequence
     ORDER BY array_position($2::uuid[], p.plan_id), c.sequence LIMIT $3`,
    [orgId, planIds, rowsMax],
  );
  const withCalls = new Set(rows.filter((row) => row.call !== null).map((row) => row.plan_id));
  const steps = await stepsOf(connection, orgId, [...withCalls]);
  const { parts, unreadable } = unreadOf(orgId, rows, steps, callsMax);
  const count = parts.reduce((sum, part) => sum + part.calls.length, 0);
  return {
    ...{ parts, unreadable },
    isCut: rows.length === rowsMax || count === callsMax,
  };
}

/** Like {@link readUnread}, of plans of any organizations. */
export async function readUnreadOf(
  connection: Connection,
  consumer: CallConsumer,
  plans: readonly PlanRef[],
  callsMax: number,
): Promise<Omit<UnreadRead, "isCut"> & { readonly left: readonly PlanRef[] }> {
  const parts: UnreadCalls[] = [];
  const left: PlanRef[] = [];
  const unreadable = new Map<string, Error>();
  let count = 0;
  for (const [orgId, own] of byOrganization(plans, (ref) => ref.orgId)) {
    if (count >= callsMax) {
      left.push(...own);
      continue;
    }
    const planIds = own.map(({ planId }) => planId);
    const read = await readUnread(connection, consumer, orgId, planIds, callsMax - count);
    parts.push(...read.parts);
    for (const [planId, error] of read.unreadable) unreadable.set(planId, error);
    if (read.isCut) left.push(...own.filter(({ planId }) => !read.unreadable.has(planId)));
    count += read.parts.reduce((sum, { calls }) => sum + calls.length, 0);
  }
  return { parts, unreadable, left };
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
  const acknowledged = new Set<string>();
  for (const [orgId, own] of byOrganization(parts, ({ ref }) => ref.orgId)) {
    const [row] = await connection.query<{ readonly plans: readonly string[] }>(
      "SELECT steward_acknowledge($1, $2, $3, $4, $5) AS plans",
      [
        ...[orgId, consumer],
        own.map(({ ref }) => ref.planId),
        own.map(({ from }) => from),
        own.map(({ through }) => through),
      ],
    );
    for (const planId of row?.plans ?? []) acknowledged.add(planId);
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
