import { assert } from "@steward/kernel/assert.js";
import { firstWithin } from "@steward/kernel/json-size.js";
import type { OnFailure, PageRequest, PlanPage, PlanStatus } from "../../plans/index.js";
import { planSummaryOf } from "../../plans/execution.js";
import { PLANS_PAGE_BYTES_MAX } from "../../plans/limits.js";
import type { LoadedPlan } from "../../plans/engine/index.js";
import type { AbandonedStep } from "../../plans/ports.js";
import type { PlanFailure, PlanState } from "../../plans/transitions.js";
import { planEventsOf } from "./event-codec.js";
import { stepsOfPlan, type StepsOfPlan } from "./step-codec.js";

/**
 * Converts rows of the plan tables to domain values. The `as` casts to closed sets are safe because
 * only this program writes the columns.
 */

/** A row of `plans`, with the name and description of its definition. */
export interface PlanRow {
  readonly org_id: string;
  readonly plan_id: string;
  readonly session_id: string;
  readonly status: string;
  readonly created_at_ms: number;
  readonly started_at_ms: number | null;
  readonly finished_at_ms: number | null;
  readonly deadline_ms: number;
  readonly cancel_reason: string | null;
  readonly failure: string | null;
  readonly name: string;
  readonly description: string;
  /** `null`: `fail`. */
  readonly on_failure: string | null;
  /** SQLite has no type for it, and answers 0 or 1. */
  readonly keep_open: boolean | number;
}

/**
 * The columns of {@link PlanRow}. The statement must use the aliases p for `plans` and d for
 * `plan_definitions`.
 */
export const PLAN_COLUMNS: string = `p.org_id, p.plan_id, p.session_id, p.status, p.created_at_ms,
  p.started_at_ms, p.finished_at_ms, p.deadline_ms, p.cancel_reason, p.failure, d.name, d.description,
  d.on_failure, d.keep_open`;

/** The rows of a plan's log that determine its state. */
export interface PlanLogRows {
  /** The column `steps` of the changes that have one, oldest first. */
  readonly steps: readonly string[];
  /** The changes with a step's result, oldest first. */
  readonly results: readonly (readonly [stepIndex: number, sequence: number])[];
  /** The newest change. */
  readonly last: { readonly sequence: number; readonly events: string };
}

/**
 * A plan for the state machine.
 * @param steps the column `steps` of its definition.
 * @param owner the node that owns the plan.
 */
export function loadedPlanOf(
  row: PlanRow,
  steps: string,
  log: PlanLogRows,
  owner: string | undefined,
): LoadedPlan {
  const { name, description } = row;
  const { prepared, taken, ...states } = stepsOfPlan(steps, log.steps);
  const newest = planEventsOf(row.plan_id, log.last.sequence, log.last.events).at(-1);
  assert(newest !== undefined, "a change has at least one event");
  return {
    name,
    description,
    state: {
      ...stateOf(row),
      lastSequence: newest.sequence,
      lastEventAtMs: Date.parse(newest.timestamp),
      ...states,
    },
    prepared,
    results: new Map([
      ...taken,
      ...log.results.map(
        ([index, sequence]) => [index, { planId: row.plan_id, sequence }] as const,
      ),
    ]),
    owner,
  };
}

/** The column `failure` of a state. */
export function failureJson({ failure }: Omit<PlanState, "steps">): string | null {
  return failure === undefined ? null : JSON.stringify(failure);
}

/** A page of plans. @param rows up to one more than the page's limit. */
export function planPageOf(rows: readonly PlanRow[], { limit }: PageRequest): PlanPage {
  const asked = rows.slice(0, limit).map((row) => planSummaryOf(row, stateOf(row)));
  const plans = firstWithin(asked, PLANS_PAGE_BYTES_MAX);
  const last = plans.at(-1);
  return rows.length > plans.length && last !== undefined
    ? { plans, nextCursor: last.planId }
    : { plans };
}

/**
 * A running step whose owner is dead, with its plan's session and the `steps` of its definition.
 */
export interface AbandonedRow {
  readonly org_id: string;
  readonly plan_id: string;
  readonly step_index: number;
  readonly attempt: number;
  readonly session_id: string;
  readonly steps: string;
  /** The columns `steps` of the changes that append or revise the step, oldest first. */
  readonly changes: readonly string[];
}

/** The description of an abandoned step for its recovery. */
export function abandonedStepOf(row: AbandonedRow): AbandonedStep {
  const step = stepsOfPlan(row.steps, row.changes).prepared[row.step_index];
  assert(step !== undefined, "a lease is of a step of its plan");
  const { org_id: orgId, plan_id: planId, attempt, session_id: sessionId } = row;
  return { attempt: { orgId, planId, stepId: step.id, attempt }, step, sessionId };
}

function stateOf(
  row: PlanRow,
): Omit<PlanState, keyof StepsOfPlan | "lastSequence" | "lastEventAtMs"> {
  return {
    orgId: row.org_id,
    planId: row.plan_id,
    sessionId: row.session_id,
    status: row.status as PlanStatus,
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms ?? undefined,
    finishedAtMs: row.finished_at_ms ?? undefined,
    deadlineMs: row.deadline_ms,
    onFailure: row.on_failure === null ? "fail" : (row.on_failure as OnFailure),
    keepOpen: Boolean(row.keep_open),
    cancelReason: row.cancel_reason ?? undefined,
    failure: row.failure === null ? undefined : (JSON.parse(row.failure) as PlanFailure),
  };
}
