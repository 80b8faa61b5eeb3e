import { LEASE_MS } from "../../../plans/limits.js";
import type { PlanUnit } from "../../../plans/engine/index.js";
import type { NewPlanEvent } from "../../../plans/index.js";
import type { AttemptRef, NewPlan, PlanRef } from "../../../plans/ports.js";
import type { PlanState, StepState } from "../../../plans/transitions.js";
import {
  approvalWritesOf,
  changeRowsOf,
  eventsJson,
  failureJson,
  forkedStepsJson,
  preparedStepsJson,
  forkSources,
  originsJson,
  type ApprovalWrite,
  type ChangeRow,
} from "../../plan-changes/index.js";
import type { Write } from "../commit-protocol.js";

/** Converts domain values to writes. Only this file changes the plan tables. */

/** Creates a plan with its first events; with an idempotency key, only if the key is new. */
export function newPlanWrites(
  plan: NewPlan,
  state: PlanState,
  events: readonly NewPlanEvent[],
): readonly Write[] {
  const { orgId, planId } = plan.ref;
  const key = plan.idempotency;
  const claimKey: Write[] =
    key === undefined
      ? []
      : [
          {
            sql: `INSERT INTO idempotency_keys
                    (org_id, idempotency_key, request_hash, plan_id, created_at_ms)
                  VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
            params: [orgId, key.key, key.requestHash, planId, plan.createdAtMs],
            expect: 1,
          },
        ];
  return [
    ...claimKey,
    ...forkWrites(plan),
    {
      sql: `INSERT INTO plans
              (org_id, plan_id, session_id, created_at_ms, deadline_ms, status)
            VALUES (?, ?, ?, ?, ?, ?)`,
      params: [orgId, planId, plan.sessionId, plan.createdAtMs, plan.deadlineMs, state.status],
    },
    {
      sql: `INSERT INTO plan_definitions
              (org_id, plan_id, name, description, steps, on_failure, keep_open)
            VALUES (?, ?, ?, ?, ?, ?, ?)`,
      params: [
        orgId,
        planId,
        plan.name,
        plan.description,
        preparedStepsJson(plan.steps),
        plan.onFailure ?? null,
        plan.keepOpen === true ? 1 : 0,
      ],
    },
    {
      sql: `INSERT INTO plan_changes (org_id, plan_id, sequence, events, steps, origins)
            VALUES (?, ?, 1, ?, ?, ?)`,
      params: [
        orgId,
        planId,
        eventsJson(events),
        forkedStepsJson(plan, state),
        originsJson([{ count: events.length, origin: plan.origin }]),
      ],
    },
  ];
}

/** Records the plans whose results a fork refers to, if none of them was deleted meanwhile. */
function forkWrites(plan: NewPlan): readonly Write[] {
  const sources = forkSources(plan);
  if (sources.length === 0) return [];
  return [
    {
      sql: `INSERT INTO plan_forks (org_id, plan_id, fork_id)
            SELECT org_id, plan_id, ?2 FROM plans
            WHERE org_id = ?1 AND plan_id IN (SELECT value FROM json_each(?3))`,
      params: [plan.ref.orgId, plan.ref.planId, JSON.stringify(sources)],
      expect: sources.length,
    },
  ];
}

/** Writes the pending changes of a plan. @param nowMs start of the leases of its claims. */
export function unitWrites(unit: PlanUnit, nowMs: number): Write[] {
  const { ref, plan, claimed, ended } = unit;
  const writes = changeRowsOf(unit).map((row) => changeWrite(ref, row));
  for (const write of approvalWritesOf(unit)) writes.push(approvalWrite(ref, write));
  if (plan !== undefined) writes.push(planWrite(plan));
  for (const stepIndex of ended) writes.push(endOfLeaseWrite(ref, stepIndex));
  for (const step of claimed) writes.push(leaseWrite(ref, step, nowMs + LEASE_MS));
  return writes;
}

/** Extends a lease, if the claim still holds. */
export function renewedLeaseWrite(attempt: AttemptRef, stepIndex: number, untilMs: number): Write {
  return {
    sql: `UPDATE step_leases SET lease_until_ms = ?
          WHERE org_id = ? AND plan_id = ? AND step_index = ? AND attempt = ?`,
    params: [untilMs, attempt.orgId, attempt.planId, stepIndex, attempt.attempt],
    expect: 1,
  };
}

/** Appends a row to a plan's log, if its sequence is free. */
function changeWrite({ orgId }: PlanRef, row: ChangeRow): Write {
  return {
    sql: `INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call, output,
            schema_additions, augmentation_hints, output_metadata, origins)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    params: [
      orgId,
      row.plan_id,
      row.sequence,
      row.result_step,
      row.events,
      row.steps,
      row.call,
      row.output,
      row.schema_additions,
      row.augmentation_hints,
      row.output_metadata,
      row.origins,
    ],
    expect: 1,
  };
}

/** Writes an approval to the index: a new approval, or the present status of an older one. */
function approvalWrite({ orgId }: PlanRef, write: ApprovalWrite): Write {
  const { approvalId, status, approval, subject } = write;
  if (subject === undefined) {
    return {
      sql: `UPDATE approvals SET status = ?, approval = ? WHERE org_id = ? AND approval_id = ?`,
      params: [status, approval, orgId, approvalId],
      expect: 1,
    };
  }
  const { planId, stepId, sessionId, requestedAtMs, expiresAtMs } = write;
  return {
    sql: `INSERT INTO approvals (org_id, approval_id, plan_id, step_id, session_id, status,
            requested_at_ms, expires_at_ms, approval, subject)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [
      ...[orgId, approvalId, planId, stepId, sessionId, status],
      ...[requestedAtMs, expiresAtMs, approval, subject],
    ],
  };
}

function planWrite(state: PlanState): Write {
  return {
    sql: `UPDATE plans SET status = ?, started_at_ms = ?, finished_at_ms = ?, deadline_ms = ?,
            cancel_reason = ?, failure = ?
          WHERE org_id = ? AND plan_id = ?`,
    params: [
      state.status,
      state.startedAtMs ?? null,
      state.finishedAtMs ?? null,
      state.deadlineMs,
      state.cancelReason ?? null,
      failureJson(state),
      state.orgId,
      state.planId,
    ],
    expect: 1,
  };
}

function leaseWrite({ orgId, planId }: PlanRef, step: StepState, untilMs: number): Write {
  return {
    sql: `INSERT INTO step_leases (org_id, plan_id, step_index, attempt, owner, lease_until_ms)
          VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (org_id, plan_id, step_index) DO UPDATE SET attempt = excluded.attempt,
            owner = excluded.owner, lease_until_ms = excluded.lease_until_ms`,
    params: [orgId, planId, step.index, step.attempt, step.owner ?? "", untilMs],
  };
}

function endOfLeaseWrite({ orgId, planId }: PlanRef, stepIndex: number): Write {
  return {
    sql: `DELETE FROM step_leases WHERE org_id = ? AND plan_id = ? AND step_index = ?`,
    params: [orgId, planId, stepIndex],
  };
}
