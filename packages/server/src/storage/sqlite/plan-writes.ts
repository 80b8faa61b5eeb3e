import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PlanEvent } from "../../plans/index.js";
import type { AttemptRef, NewPlan, PlanRef } from "../../plans/ports.js";
import type { PlanState, StepContext, StepState } from "../../plans/transitions.js";
import { keptCaller, keptData } from "../recorded-caller.js";
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
            sql: `INSERT INTO idempotency_keys
                    (org_id, idempotency_key, request_hash, plan_id, created_at_ms)
                  VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
            params: [orgId, key.key, key.requestHash, planId, plan.createdAtMs],
            expect: 1,
          },
        ];
  return [
    ...claimKey,
    {
      sql: `INSERT INTO plans
              (org_id, plan_id, session_id, name, description, status, created_at_ms, deadline_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
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
      sql: `INSERT INTO plan_definitions (org_id, plan_id, steps) VALUES (?, ?, ?)`,
      params: [orgId, planId, JSON.stringify(plan.steps)],
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

/**
 * A step's row.
 * @param context what the step hands to the LLM, when an attempt has ended; a retried plan's step
 * replaces its failure.
 */
export function writeStep(ref: PlanRef, is: StepState, context: StepContext | undefined): Write {
  return {
    sql: `INSERT INTO plan_steps (org_id, plan_id, step_index, step_id, status, attempt, owner,
            lease_until_ms, wait_reason, row_count, executed_at_ms, error, output,
            schema_additions, augmentation_hints, output_metadata)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
            ?13, ?14, ?15, ?16)
          ON CONFLICT (org_id, plan_id, step_index) DO UPDATE SET
            status = excluded.status, attempt = excluded.attempt, owner = excluded.owner,
            lease_until_ms = excluded.lease_until_ms, wait_reason = excluded.wait_reason,
            row_count = excluded.row_count, executed_at_ms = excluded.executed_at_ms,
            error = excluded.error, output = coalesce(excluded.output, output),
            schema_additions = coalesce(excluded.schema_additions, schema_additions),
            augmentation_hints = coalesce(excluded.augmentation_hints, augmentation_hints),
            output_metadata = iif(excluded.output IS NULL, output_metadata, excluded.output_metadata)`,
    params: [
      ref.orgId,
      ref.planId,
      is.index,
      is.stepId,
      is.status,
      is.attempt,
      is.owner ?? null,
      is.leaseUntilMs ?? null,
      is.waitReason ?? null,
      is.rowCount ?? null,
      is.executedAtMs ?? null,
      is.error === undefined ? null : JSON.stringify(is.error),
      context?.toolOutputJson ?? null,
      context === undefined ? null : JSON.stringify(context.schemaAdditions),
      context === undefined ? null : JSON.stringify(context.augmentationHints),
      context?.outputMetadata === undefined ? null : JSON.stringify(context.outputMetadata),
    ],
    expect: 1,
  };
}

/** One event, if the one before it is there: a log can have neither a double nor a gap. */
export function writeEvent(ref: PlanRef, event: PlanEvent): Write {
  return {
    sql: `INSERT INTO plan_events
            (org_id, plan_id, sequence, event_type, payload, created_at_ms)
          SELECT ?1, ?2, ?3, ?4, ?5, ?6
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
            finished_at_ms, duration_ms, data_source, caller, touched)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      call.dataSource,
      jsonOrNull(keptCaller(call)),
      jsonOrNull(keptData(call)),
    ],
  };
}

function jsonOrNull(value: object | null | undefined): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** A lease prolonged, if the claim still holds. */
export function writeLease(attempt: AttemptRef, stepIndex: number, untilMs: number): Write {
  return {
    sql: `UPDATE plan_steps SET lease_until_ms = ?5
          WHERE org_id = ?1 AND plan_id = ?2 AND step_index = ?3 AND status = 'running'
            AND attempt = ?4`,
    params: [attempt.orgId, attempt.planId, stepIndex, attempt.attempt, untilMs],
    expect: 1,
  };
}
