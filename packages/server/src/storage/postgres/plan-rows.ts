import { isoTime } from "../../kernel/clock.js";
import type {
  PlanEvent,
  PlanStatus,
  PlanSummary,
  PreparedStep,
  StepError,
  StepStatus,
  WaitReason,
} from "../../plans/index.js";
import {
  pendingStep,
  type PlanFailure,
  type PlanState,
  type StepState,
} from "../../plans/transitions.js";

/**
 * Rows to domain values and back. The `as` casts to closed sets rest on the columns being written by
 * this program alone.
 */

/** A row of `plans`, with the summary that stands beside it. */
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
  readonly owner_node: string | null;
  readonly name: string;
  readonly description: string;
}

/** The column `steps` of a definition. */
export function preparedStepsOf(json: string): readonly PreparedStep[] {
  return JSON.parse(json) as readonly PreparedStep[];
}

/** The column `failure` of a state. */
export function failureJson({ failure }: Omit<PlanState, "steps">): string | null {
  return failure === undefined ? null : JSON.stringify(failure);
}

/** A plan as everybody sees it, without its steps. */
export function planSummaryOf(row: PlanRow): PlanSummary {
  const { name, description } = row;
  return {
    planId: row.plan_id,
    orgId: row.org_id,
    sessionId: row.session_id,
    name,
    description,
    status: row.status as PlanStatus,
    createdAt: isoTime(row.created_at_ms),
    ...(row.started_at_ms === null ? {} : { startedAt: isoTime(row.started_at_ms) }),
    ...(row.finished_at_ms === null ? {} : { finishedAt: isoTime(row.finished_at_ms) }),
  };
}

/** The state machine's view of a plan. */
export function planStateOf(
  row: PlanRow,
  steps: readonly StepState[],
  last: { readonly sequence: number; readonly events: readonly PlanEvent[] },
): PlanState {
  return {
    orgId: row.org_id,
    planId: row.plan_id,
    sessionId: row.session_id,
    status: row.status as PlanStatus,
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms ?? undefined,
    finishedAtMs: row.finished_at_ms ?? undefined,
    deadlineMs: row.deadline_ms,
    cancelReason: row.cancel_reason ?? undefined,
    failure: row.failure === null ? undefined : (JSON.parse(row.failure) as PlanFailure),
    lastSequence: last.sequence + last.events.length - 1,
    lastEventAtMs: Date.parse(last.events.at(-1)?.timestamp ?? ""),
    steps,
  };
}

/** What of a step changes, as `plan_changes.steps` keeps it: short, because it is written often. */
type StepTuple = readonly [
  index: number,
  status: StepStatus,
  attempt: number,
  rowCount?: number | null,
  executedAtMs?: number | null,
  owner?: string | null,
  waitReason?: WaitReason | null,
  error?: StepError | null,
];

/** The column `steps` of a change. */
export function stepsJson(steps: Iterable<StepState>): string | null {
  const tuples = [...steps].map((step): StepTuple => {
    const { index, status, attempt, rowCount, executedAtMs, owner, waitReason, error } = step;
    const tuple = [index, status, attempt, rowCount, executedAtMs, owner, waitReason, error];
    while (tuple.at(-1) === undefined) tuple.pop();
    return tuple as unknown as StepTuple;
  });
  return tuples.length === 0 ? null : JSON.stringify(tuples);
}

/** The steps of a plan after its changes, oldest first. */
export function stepStatesOf(
  prepared: readonly PreparedStep[],
  changes: Iterable<string>,
): readonly StepState[] {
  const steps = prepared.map(({ id, index, dependsOn }) => pendingStep(id, index, dependsOn));
  for (const change of changes) {
    for (const tuple of JSON.parse(change) as readonly StepTuple[]) {
      const [index, status, attempt, rowCount, executedAtMs, owner, waitReason, error] = tuple;
      const step = steps[index];
      if (step === undefined) continue;
      steps[index] = {
        ...step,
        status,
        attempt,
        rowCount: rowCount ?? undefined,
        executedAtMs: executedAtMs ?? undefined,
        owner: owner ?? undefined,
        waitReason: waitReason ?? undefined,
        error: error ?? undefined,
      };
    }
  }
  return steps;
}
