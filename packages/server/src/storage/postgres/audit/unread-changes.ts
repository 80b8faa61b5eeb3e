import type { AuditFact, LoggedChange } from "../../../audit/ports.js";
import type { PreparedStep } from "../../../plans/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import { factsOfChange, loggedChangeOf, type LoggedChangeRow } from "../../audit-rows.js";
import { preparedStepsOf } from "../../plan-changes/index.js";
import type { Connection } from "../database.js";

/** A part of a plan's log that is not in the tree yet. */
export interface UnreadChanges {
  readonly ref: PlanRef;
  /** The position before this part. */
  readonly from: number;
  /** The position after this part. */
  readonly through: number;
  readonly facts: readonly AuditFact[];
}

interface ChangeOfPlan extends LoggedChangeRow {
  readonly from_sequence: number;
}

interface Definition {
  readonly definition: string | undefined;
  readonly steps: readonly PreparedStep[];
}

/**
 * Reads the parts of these plans' logs that are not in the tree yet.
 * @param changesMax maximum number of changes over all plans.
 */
export async function readChanges(
  connection: Connection,
  orgId: string,
  planIds: readonly string[],
  changesMax: number,
): Promise<{
  readonly parts: readonly UnreadChanges[];
  readonly count: number;
  /** Whether more unread changes may exist in these plans. */
  readonly isCut: boolean;
}> {
  const rows = await connection.query<ChangeOfPlan>(
    `WITH picked AS MATERIALIZED (
       SELECT org_id, plan_id, session_id, audit_through AS from_sequence FROM plans
       WHERE org_id = $1 AND plan_id = ANY ($2::uuid[]))
     SELECT p.org_id, p.plan_id, p.session_id, p.from_sequence, c.sequence, c.events, c.origins,
       c.call
     FROM picked AS p JOIN plan_changes AS c
       ON c.org_id = $1 AND c.plan_id = p.plan_id AND c.sequence > p.from_sequence
     ORDER BY array_position($2::uuid[], p.plan_id), c.sequence LIMIT $3`,
    [orgId, planIds, changesMax],
  );
  const needed = rows.filter((row) => row.call !== null || row.sequence === 1);
  const definitions = await definitionsOf(connection, orgId, [
    ...new Set(needed.map((row) => row.plan_id)),
  ]);
  let latest: Definition | undefined;
  const parts = new Map<string, UnreadChanges & { readonly facts: AuditFact[] }>();
  for (const row of rows) {
    const { plan_id: planId, from_sequence: from, sequence } = row;
    const definition = definitions.get(planId);
    const facts = parts.get(planId)?.facts ?? [];
    const read = (each: ChangeOfPlan): LoggedChange => {
      // The changes of a plan follow one another.
      if (latest?.definition !== definition) {
        latest = { definition, steps: definition === undefined ? [] : preparedStepsOf(definition) };
      }
      return loggedChangeOf(each, latest?.steps ?? [], definition);
    };
    facts.push(...factsOfChange(row, read));
    parts.set(planId, { ref: { orgId, planId }, from, through: sequence, facts });
  }
  return { parts: [...parts.values()], count: rows.length, isCut: rows.length === changesMax };
}

/** The columns `steps` of plans' definitions. */
async function definitionsOf(
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
