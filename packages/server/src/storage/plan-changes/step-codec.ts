import type { PreparedStep, StepError, StepStatus, WaitReason } from "../../plans/index.js";
import type { LogEntry } from "../../plans/engine/index.js";
import {
  pendingStep,
  withDefinitions,
  type PlanState,
  type RevisionRequest,
  type StepState,
} from "../../plans/transitions.js";

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
  more?: StepMore | null,
];

/** Rare members of a step's change. */
interface StepMore {
  /** The step as it runs from this change on: it was appended or revised. */
  readonly definition?: PreparedStep;
  /**
   * The request that made the change, when it had an idempotency key. Stored with the first step of
   * the change.
   */
  readonly request?: RevisionRequest;
}

/** The column `steps` of a definition. */
export function preparedStepsOf(json: string): readonly PreparedStep[] {
  return JSON.parse(json) as readonly PreparedStep[];
}

/** The part of an entry that the column `steps` contains. */
export type StepsOfEntry = Pick<LogEntry, "steps" | "definitions" | "request">;

/** The column `steps` of a change. */
export function stepsJson({ steps, definitions, request }: StepsOfEntry): string | null {
  const [first] = definitions;
  const tuples = steps.map((step): StepTuple => {
    const { index, status, attempt, rowCount, executedAtMs, owner, waitReason, error } = step;
    const definition = definitions.find((each) => each.index === index);
    const more: StepMore | undefined = definition && {
      definition,
      ...(request === undefined || definition !== first ? {} : { request }),
    };
    const tuple = [index, status, attempt, rowCount, executedAtMs, owner, waitReason, error, more];
    while (tuple.at(-1) === undefined) tuple.pop();
    return tuple as unknown as StepTuple;
  });
  return tuples.length === 0 ? null : JSON.stringify(tuples);
}

/** The steps of a plan: their states, and the history of their definitions. */
export interface StepsOfPlan extends Pick<PlanState, "steps" | "revision" | "revisionRequests"> {
  readonly prepared: readonly PreparedStep[];
}

/**
 * The steps of a plan after its changes.
 * @param submitted the column `steps` of its definition.
 * @param changes the columns `steps` of the changes that have one, oldest first.
 */
export function stepsOfPlan(submitted: string, changes: readonly string[]): StepsOfPlan {
  const parsed = changes.map((change) => JSON.parse(change) as readonly StepTuple[]);
  const original = preparedStepsOf(submitted);
  const mores = parsed.flatMap((tuples) => tuples.flatMap(([, , , , , , , , more]) => more ?? []));
  const definitions = mores.flatMap(({ definition }) => definition ?? []);
  const steps = original.map(({ id, index, dependsOn }) => pendingStep(id, index, dependsOn));
  for (const tuples of parsed) for (const tuple of tuples) applyTuple(steps, tuple);
  return {
    prepared: withDefinitions(original, definitions),
    steps,
    revision: definitions.at(-1)?.revision ?? 1,
    revisionRequests: mores.flatMap(({ request }) => request ?? []),
  };
}

function applyTuple(steps: StepState[], tuple: StepTuple): void {
  const [index, status, attempt, rowCount, executedAtMs, owner, waitReason, error, more] = tuple;
  const definition = more?.definition;
  const step =
    definition === undefined
      ? steps[index]
      : pendingStep(definition.id, index, definition.dependsOn);
  if (step === undefined) return;
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
