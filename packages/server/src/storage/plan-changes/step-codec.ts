import { hasSameRights, type RecordedCaller } from "@steward/kernel/caller.js";
import type { Approval } from "../../approvals/index.js";
import type { PreparedStep, StepError, StepStatus, WaitReason } from "../../plans/index.js";
import { takenResults, type LogEntry } from "../../plans/engine/index.js";
import type { NewPlan, ResultRef } from "../../plans/ports.js";
import { callerOf, keptCaller, type KeptCaller } from "./recorded-caller.js";
import {
  authorsOf,
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
  readonly definition?: KeptStep;
  /**
   * The request that made the change, when it had an idempotency key. Stored with the first step of
   * the change.
   */
  readonly request?: RevisionRequest;
  /** The place of the result of a step that a fork took over. */
  readonly result?: ResultRef;
  /** The plan that was forked; in the first step. */
  readonly forkedFrom?: string;
  /** The step's newest approval, in each change of the step. */
  readonly approval?: Approval;
  /** The plan's approval that the step holds, in each change of the step. */
  readonly planApproval?: Approval;
  /** Attempts that use up no retry, in each change of the step. */
  readonly uncounted?: number;
}

/**
 * A step as it is stored: it has no writers when they are those of the step before it in the same
 * change, and none when they are not known.
 */
interface KeptStep extends Omit<PreparedStep, "writers"> {
  readonly writers?: readonly KeptCaller[];
}

/** The column `steps` of a definition. */
export function preparedStepsJson(steps: readonly PreparedStep[]): string {
  return JSON.stringify(keptSteps(steps));
}

/** Converts the stored form of {@link preparedStepsJson} back. */
export function preparedStepsOf(json: string): readonly PreparedStep[] {
  return stepsOfKept(JSON.parse(json) as readonly KeptStep[]);
}

/** The stored form of the steps of one change. */
function keptSteps(steps: readonly PreparedStep[]): readonly KeptStep[] {
  let latest: readonly RecordedCaller[] = [];
  return steps.map(({ writers = [], ...step }) => {
    if (isSameList(writers, latest)) return step;
    latest = writers;
    return { ...step, writers: writers.map((caller) => keptCaller({ caller })) };
  });
}

function isSameList(one: readonly RecordedCaller[], other: readonly RecordedCaller[]): boolean {
  if (one === other) return true;
  return (
    one.length === other.length &&
    one.every((writer, index) => {
      const same = other[index];
      return same !== undefined && hasSameRights(writer, same);
    })
  );
}

function stepsOfKept(kept: readonly KeptStep[]): readonly PreparedStep[] {
  let latest: readonly RecordedCaller[] = [];
  return kept.map(({ writers, ...step }) => {
    if (writers !== undefined) latest = writers.flatMap((writer) => callerOf(writer) ?? []);
    return latest.length === 0 ? step : { ...step, writers: latest };
  });
}

/** The part of an entry that the column `steps` contains. */
export type StepsOfEntry = Pick<LogEntry, "steps" | "definitions" | "request">;

/** The column `steps` of a fork's first change: its first step, and those that it takes over. */
export function forkedStepsJson(plan: NewPlan, { steps, forkedFrom }: PlanState): string | null {
  if (forkedFrom === undefined) return null;
  const results = takenResults(plan);
  return tuplesJson(
    steps.filter(({ index }) => index === 0 || results.has(index)),
    ({ index }) => {
      const result = results.get(index);
      return {
        ...(result === undefined ? {} : { result }),
        ...(index === 0 ? { forkedFrom } : {}),
      };
    },
  );
}

/** The plans whose results a new plan refers to; none unless it is a fork. */
export function forkSources(plan: NewPlan): readonly string[] {
  return [...new Set([...takenResults(plan).values()].map(({ planId }) => planId))].sort();
}

/** The column `steps` of a change. */
export function stepsJson({ steps, definitions, request }: StepsOfEntry): string | null {
  const [first] = definitions;
  if (first === undefined) return tuplesJson(steps, () => undefined);
  const byIndex = new Map(definitions.map((step) => [step.index, step]));
  const inOrder = steps.flatMap(({ index }) => byIndex.get(index) ?? []);
  const kept = new Map(keptSteps(inOrder).map((step) => [step.index, step]));
  return tuplesJson(steps, ({ index }) => {
    const definition = kept.get(index);
    return (
      definition && {
        definition,
        ...(request === undefined || index !== first.index ? {} : { request }),
      }
    );
  });
}

function tuplesJson(
  steps: readonly StepState[],
  moreOf: (step: StepState) => StepMore | undefined,
): string | null {
  const tuples = steps.map((step): StepTuple => {
    const { index, status, attempt, rowCount, executedAtMs, owner, waitReason, error } = step;
    const other = moreOf(step);
    const { approval, planApproval, uncounted } = step;
    const more =
      approval === undefined && planApproval === undefined && uncounted === undefined
        ? other
        : {
            ...other,
            ...(approval && { approval }),
            ...(planApproval && { planApproval }),
            ...(uncounted === undefined ? {} : { uncounted }),
          };
    const tuple = [index, status, attempt, rowCount, executedAtMs, owner, waitReason, error, more];
    while (tuple.at(-1) === undefined) tuple.pop();
    return tuple as unknown as StepTuple;
  });
  return tuples.length === 0 ? null : JSON.stringify(tuples);
}

/** The steps of a plan: their states, and the history of their definitions. */
export interface StepsOfPlan extends Pick<
  PlanState,
  "steps" | "revision" | "revisionRequests" | "forkedFrom" | "authors"
> {
  readonly prepared: readonly PreparedStep[];
  /** The places of the results of steps that a fork took over. */
  readonly taken: readonly (readonly [stepIndex: number, ResultRef])[];
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
  const definitions = parsed.flatMap((tuples) =>
    stepsOfKept(tuples.flatMap(([, , , , , , , , more]) => more?.definition ?? [])),
  );
  const steps = original.map(({ id, index, dependsOn }) => pendingStep(id, index, dependsOn));
  for (const tuples of parsed) for (const tuple of tuples) applyTuple(steps, tuple);
  return {
    prepared: withDefinitions(original, definitions),
    steps,
    revision: definitions.at(-1)?.revision ?? 1,
    authors: authorsOf([...original, ...definitions]),
    taken: parsed.flatMap((tuples) =>
      tuples.flatMap(([index, , , , , , , , more]) =>
        more?.result === undefined ? [] : [[index, more.result] as const],
      ),
    ),
    forkedFrom: mores.find(({ forkedFrom }) => forkedFrom !== undefined)?.forkedFrom,
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
    approval: more?.approval,
    planApproval: more?.planApproval,
    ...(more?.uncounted === undefined ? {} : { uncounted: more.uncounted }),
  };
}
