import type { PreparedStep, StepError, StepStatus, WaitReason } from "../../plans/index.js";
import { pendingStep, type StepState } from "../../plans/transitions.js";

/**
 * The changing part of a step, as `plan_changes.steps` stores it; short, because it is written
 * often.
 */
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

/** The column `steps` of a definition. */
export function preparedStepsOf(json: string): readonly PreparedStep[] {
  return JSON.parse(json) as readonly PreparedStep[];
}

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

/**
 * The steps of a plan after its changes.
 * @param changes the column `steps` of the changes that have one, oldest first.
 */
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
