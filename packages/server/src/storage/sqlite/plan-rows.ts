import { assert } from "../../kernel/assert.js";
import { isoTime } from "../../kernel/clock.js";
import type { PlanEvent, PlanEventType, PlanSummary } from "../../plans/index.js";
import type {
  PlanStatus,
  PreparedStep,
  StepError,
  StepStatus,
  WaitReason,
} from "../../plans/index.js";
import {
  pendingStep,
  type PlanFailure,
  type PlanState,
  type StepContext,
  type StepState,
} from "../../plans/transitions.js";
import type { OutputMetadata } from "../../plans/ports.js";
import type { SqliteRow, SqliteValue } from "./connection.js";

/**
 * Rows to domain values. The `as` casts to closed sets rest on the columns being written by this
 * program alone.
 */

/** A plan's row, without its steps. */
export function planSummaryOf(row: SqliteRow): PlanSummary {
  const startedAtMs = optionalNumber(row["started_at_ms"]);
  const finishedAtMs = optionalNumber(row["finished_at_ms"]);
  return {
    planId: text(row["plan_id"]),
    orgId: text(row["org_id"]),
    sessionId: text(row["session_id"]),
    name: text(row["name"]),
    description: text(row["description"]),
    status: text(row["status"]) as PlanStatus,
    createdAt: isoTime(number(row["created_at_ms"])),
    ...(startedAtMs === undefined ? {} : { startedAt: isoTime(startedAtMs) }),
    ...(finishedAtMs === undefined ? {} : { finishedAt: isoTime(finishedAtMs) }),
  };
}

/** The state machine's view of a plan. */
export function planStateOf(
  row: SqliteRow,
  steps: readonly StepState[],
  newest: { readonly sequence: number; readonly atMs: number },
): PlanState {
  return {
    orgId: text(row["org_id"]),
    planId: text(row["plan_id"]),
    sessionId: text(row["session_id"]),
    status: text(row["status"]) as PlanStatus,
    createdAtMs: number(row["created_at_ms"]),
    startedAtMs: optionalNumber(row["started_at_ms"]),
    finishedAtMs: optionalNumber(row["finished_at_ms"]),
    deadlineMs: number(row["deadline_ms"]),
    cancelReason: optionalText(row["cancel_reason"]),
    failure: optionalJson<PlanFailure>(row["failure"]),
    lastSequence: newest.sequence,
    lastEventAtMs: newest.atMs,
    steps,
  };
}

/** A plan's steps as they were prepared. */
export function preparedStepsOf(row: SqliteRow): readonly PreparedStep[] {
  return json<readonly PreparedStep[]>(row["steps"]);
}

/** A step as it was prepared. */
export function preparedStepOf(row: SqliteRow): PreparedStep {
  return json<PreparedStep>(row["prepared"]);
}

/** The state machine's view of a step. @param row absent: it was never claimed. */
export function stepStateOf(row: SqliteRow | undefined, prepared: PreparedStep): StepState {
  const { id: stepId, index, dependsOn } = prepared;
  if (row === undefined) return pendingStep(stepId, index, dependsOn);
  return {
    stepId,
    index,
    dependsOn,
    status: text(row["status"]) as StepStatus,
    attempt: number(row["attempt"]),
    owner: optionalText(row["owner"]),
    leaseUntilMs: optionalNumber(row["lease_until_ms"]),
    waitReason: optionalText(row["wait_reason"]) as WaitReason | undefined,
    rowCount: optionalNumber(row["row_count"]),
    executedAtMs: optionalNumber(row["executed_at_ms"]),
    error: optionalJson<StepError>(row["error"]),
  };
}

/** What an attempt left for the LLM. */
export function stepContextOf(row: SqliteRow): StepContext {
  const metadata = optionalJson<OutputMetadata>(row["output_metadata"]);
  return {
    toolOutputJson: text(row["output"]),
    ...(metadata === undefined ? {} : { outputMetadata: metadata }),
    schemaAdditions: json<StepContext["schemaAdditions"]>(row["schema_additions"]),
    augmentationHints: json<readonly string[]>(row["augmentation_hints"]),
  };
}

/** One event of a plan's log. */
export function planEventOf(planId: string, row: SqliteRow): PlanEvent {
  return {
    planId,
    sequence: number(row["sequence"]),
    eventType: text(row["event_type"]) as PlanEventType,
    payloadJson: text(row["payload"]),
    timestamp: isoTime(number(row["created_at_ms"])),
  };
}

/** A column that holds text. */
export function text(value: SqliteValue | undefined): string {
  assert(typeof value === "string", "the column holds text");
  return value;
}

/** A column that holds a number. */
export function number(value: SqliteValue | undefined): number {
  assert(typeof value === "number", "the column holds a number");
  return value;
}

/** A column that may hold text. */
export function optionalText(value: SqliteValue | undefined): string | undefined {
  return value === null ? undefined : text(value);
}

/** A column that may hold a number. */
export function optionalNumber(value: SqliteValue | undefined): number | undefined {
  return value === null ? undefined : number(value);
}

function json<T>(value: SqliteValue | undefined): T {
  return JSON.parse(text(value)) as T;
}

function optionalJson<T>(value: SqliteValue | undefined): T | undefined {
  return value === null ? undefined : json<T>(value);
}
