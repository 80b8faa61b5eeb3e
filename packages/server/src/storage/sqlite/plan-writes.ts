import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PlanEvent } from "../../plans/index.js";
import type { NewPlan, PlanRef } from "../../plans/ports.js";
import type { PlanState, StepContext, StepState } from "../../plans/transitions.js";
import type { Write } from "./commit-protocol.js";

/** Domain values to writes: the only place where the plan tables are changed. */

/** A new plan with its steps; with an idempotency key, only if the key is new. */
export function writeNewPlan(plan: NewPlan, state: PlanState): readonly Write[] {
  const { orgId, planId } = plan.ref;
  const key = plan.idempotency;
  const claimKey: Write[] =
    key === undefined
      ? []
      : [
          {
            sql: `INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
            params: [orgId, key.key, key.requestHash, planId, plan.createdAtMs],
            expect: 1,
          },
        ];
  return [
    ...claimKey,
    {
      sql: `INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, NULL, NULL)`,
      params: [
        orgId,
        planId,
        plan.sessionId,
        plan.name,
        plan.description,
        state.status,
        plan.createdAtMs,
        plan.deadlineMs,
      ],
    },
    {
      // One statement whatever the number of steps: the list travels as JSON.
      sql: `INSERT INTO plan_steps (org_id, plan_id, step_index, step_id, prepared, status, attempt)
            SELECT ?1, ?2, key, value ->> '$.id', value, 'pending', 0 FROM json_each(?3)`,
      params: [orgId, planId, JSON.stringify(plan.steps)],
      expect: plan.steps.length,
    },
  ];
}

/** A plan's own row. */
export function writePlan(state: PlanState): Write {
  return {
    sql: `UPDATE plans SET status = ?3, started_at_ms = ?4, finished_at_ms = ?5, deadline_ms = ?6,
            cancel_reason = ?7, failure = ?8
          WHERE org_id = ?1 AND plan_id = ?2`,
    params: [
      state.orgId,
      state.planId,
      state.status,
      state.startedAtMs ?? null,
      state.finishedAtMs ?? null,
      state.deadlineMs,
      state.cancelReason ?? null,
      state.failure === undefined ? null : JSON.stringify(state.failure),
    ],
    expect: 1,
  };
}

/** A step's row, if it still is what it was: the fence against an attempt that lost its claim. */
export function writeStep(ref: PlanRef, was: StepState, is: StepState): Write {
  return {
    sql: `UPDATE plan_steps SET status = ?6, attempt = ?7, owner = ?8, lease_until_ms = ?9,
            wait_reason = ?10, row_count = ?11, executed_at_ms = ?12, error = ?13
          WHERE org_id = ?1 AND plan_id = ?2 AND step_index = ?3 AND status = ?4 AND attempt = ?5`,
    params: [
      ref.orgId,
      ref.planId,
      is.index,
      was.status,
      was.attempt,
      is.status,
      is.attempt,
      is.owner ?? null,
      is.leaseUntilMs ?? null,
      is.waitReason ?? null,
      is.rowCount ?? null,
      is.executedAtMs ?? null,
      is.error === undefined ? null : JSON.stringify(is.error),
    ],
    expect: 1,
  };
}

/** What a finished step hands to the LLM. A retried plan's step replaces its failure. */
export function writeResult(ref: PlanRef, stepIndex: number, context: StepContext): Write {
  return {
    sql: `INSERT OR REPLACE INTO step_results VALUES (?, ?, ?, ?, ?, ?)`,
    params: [
      ref.orgId,
      ref.planId,
      stepIndex,
      context.toolOutputJson,
      JSON.stringify(context.schemaAdditions),
      JSON.stringify(context.augmentationHints),
    ],
  };
}

/** One event, if the one before it is there: a log can have neither a double nor a gap. */
export function writeEvent(ref: PlanRef, event: PlanEvent): Write {
  return {
    sql: `INSERT INTO plan_events SELECT ?1, ?2, ?3, ?4, ?5, ?6
          WHERE ?3 = 1 OR EXISTS (
            SELECT 1 FROM plan_events WHERE org_id = ?1 AND plan_id = ?2 AND sequence = ?3 - 1)`,
    expect: 1,
    params: [
      ref.orgId,
      ref.planId,
      event.sequence,
      event.eventType,
      event.payloadJson,
      Date.parse(event.timestamp),
    ],
  };
}

/** One tool call. */
export function writeToolCall(call: ToolCallRecord): Write {
  return {
    sql: `INSERT INTO tool_calls (event_id, org_id, session_id, plan_id, step_id, attempt, tool_name,
            intent, intent_source, orm_model, status, row_count, error, query, output,
            finished_at_ms, duration_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [
      call.eventId,
      call.orgId,
      call.sessionId,
      call.planId,
      call.stepId,
      call.attempt,
      call.toolName,
      call.intent,
      call.intentSource,
      call.ormModel ?? null,
      call.status,
      call.rowCount,
      call.error ?? null,
      call.query,
      call.output,
      call.finishedAtMs,
      call.durationMs,
    ],
  };
}

/** A lease prolonged, if the claim still holds. */
export function writeLease(ref: PlanRef, step: StepState): Write {
  return {
    sql: `UPDATE plan_steps SET lease_until_ms = ?5
          WHERE org_id = ?1 AND plan_id = ?2 AND step_index = ?3 AND status = 'running'
            AND attempt = ?4`,
    params: [ref.orgId, ref.planId, step.index, step.attempt, step.leaseUntilMs ?? null],
    expect: 1,
  };
}
