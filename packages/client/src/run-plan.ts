import type { Plan, PlanStep, StepExecution } from "@steward/protocol/rest";
import type { Plans } from "./plans.js";
import { StewardError } from "./steward-error.js";

/** Steps that a run has under way at once, unless told otherwise. */
const CONCURRENCY = 4;

/** What a run tells of one step: that it started, and what it came to. */
export type StepProgress =
  | { readonly stepId: string; readonly kind: "started" }
  | {
      readonly stepId: string;
      readonly kind: "finished";
      readonly execution: StepExecution;
      /** Milliseconds from asking for the step to its answer. */
      readonly durationMs: number;
    };

/** How a plan is run. */
export interface RunOptions {
  /** Steps under way at once, at least 1. */
  readonly concurrency?: number;
  /** Called for every step that this run executes, in the order things happen. */
  readonly onProgress?: (progress: StepProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Executes the steps of a plan that are not done yet, each after those it depends on, several at
 * once where the plan allows it. Ends when every step is done, or when the plan is over for another
 * reason: a step failed, or somebody cancelled it.
 * @returns the plan as it stands then.
 */
export async function runPlan(
  plans: Pick<Plans, "get" | "execute">,
  planId: string,
  options: RunOptions = {},
): Promise<Plan> {
  const plan = await plans.get(planId, callOptions(options));
  const done = new Set(plan.steps.filter(isDone).map((step) => step.step_id));
  const waiting = new Set(plan.steps.filter((step) => !isDone(step)));
  const underWay = new Set<Promise<void>>();
  let over = plan.status !== "pending" && plan.status !== "running";
  const failures: unknown[] = [];

  const start = (step: PlanStep): void => {
    waiting.delete(step);
    const run = executeStep(plans, planId, step.step_id, options)
      .then((completed) => {
        if (completed) done.add(step.step_id);
        else over = true;
      })
      .catch((error: unknown) => {
        over = true;
        failures.push(error);
      })
      .finally(() => underWay.delete(run));
    underWay.add(run);
  };

  for (;;) {
    for (const step of readySteps(waiting, done)) {
      if (over || underWay.size >= (options.concurrency ?? CONCURRENCY)) break;
      start(step);
    }
    if (underWay.size === 0) break;
    await Promise.race(underWay);
  }
  if (failures.length > 0) throw failures[0];
  return plans.get(planId, callOptions(options));
}

function* readySteps(
  waiting: ReadonlySet<PlanStep>,
  done: ReadonlySet<string>,
): Generator<PlanStep, void> {
  for (const step of waiting) if (step.depends_on.every((id) => done.has(id))) yield step;
}

/** @returns whether the step completed; false also when the plan was over before it could start. */
async function executeStep(
  plans: Pick<Plans, "execute">,
  planId: string,
  stepId: string,
  options: RunOptions,
): Promise<boolean> {
  const startedAtMs = performance.now();
  options.onProgress?.({ stepId, kind: "started" });
  try {
    const execution = await plans.execute(planId, stepId, callOptions(options));
    const durationMs = performance.now() - startedAtMs;
    options.onProgress?.({ stepId, kind: "finished", execution, durationMs });
    return execution.step_result.status === "completed";
  } catch (error) {
    if (error instanceof StewardError && error.code === "PLAN_NOT_ACTIVE") return false;
    throw error;
  }
}

function isDone(step: PlanStep): boolean {
  return step.status === "completed";
}

function callOptions({ signal }: RunOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
