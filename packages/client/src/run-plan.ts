import type { Plan, PlanStep, StepExecution } from "@steward/operations";
import { pause } from "./backoff.js";
import type { Plans } from "./plans.js";
import { StewardError } from "./steward-error.js";

/** Default number of concurrent steps. */
const CONCURRENCY = 4;

/** First pause before a step that waits for an approval is executed again, in ms; it doubles. */
const APPROVAL_PAUSE_MS = 500;
/** Longest such pause, in ms. */
const APPROVAL_PAUSE_MS_MAX = 5_000;

/** Progress of one step: its start, that it waits for persons, or its result. */
export type StepProgress =
  | { readonly stepId: string; readonly kind: "started" }
  | {
      readonly stepId: string;
      readonly kind: "waiting";
      readonly approvalId: string;
      /** RFC 3339: until when persons can decide. */
      readonly expiresAt: string;
    }
  | {
      readonly stepId: string;
      readonly kind: "finished";
      readonly execution: StepExecution;
      /** Milliseconds from the request to the response. */
      readonly durationMs: number;
    };

export interface RunOptions {
  /** Limit of concurrent steps, at least 1. */
  readonly concurrency?: number;
  /** Called for every step that this run executes, in chronological order. */
  readonly onProgress?: (progress: StepProgress) => void;
  /**
   * For how long a step waits for persons to approve it, in ms. Absent: the run rejects with
   * `APPROVAL_REQUIRED` when a step waits.
   */
  readonly approvalTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Executes the unfinished steps of a plan in the order of their dependencies, several at once where
 * possible. Ends when every step is completed, or when the plan was finished otherwise: a step
 * failed, or the plan was cancelled.
 * @returns the plan's final state.
 */
export async function runPlan(
  plans: Pick<Plans, "getPlan" | "execute">,
  planId: string,
  options: RunOptions = {},
): Promise<Plan> {
  const plan = await plans.getPlan({ plan_id: planId }, callOptions(options));
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
  return plans.getPlan({ plan_id: planId }, callOptions(options));
}

function* readySteps(
  waiting: ReadonlySet<PlanStep>,
  done: ReadonlySet<string>,
): Generator<PlanStep, void> {
  for (const step of waiting) if (step.depends_on.every((id) => done.has(id))) yield step;
}

/**
 * @returns whether the step completed; false also when the plan was finished before the step could
 * start.
 */
async function executeStep(
  plans: Pick<Plans, "execute">,
  planId: string,
  stepId: string,
  options: RunOptions,
): Promise<boolean> {
  const startedAtMs = performance.now();
  options.onProgress?.({ stepId, kind: "started" });
  try {
    const execution = await executeApproved(plans, planId, stepId, options);
    const durationMs = performance.now() - startedAtMs;
    options.onProgress?.({ stepId, kind: "finished", execution, durationMs });
    return execution.step_result.status === "completed";
  } catch (error) {
    if (error instanceof StewardError && error.code === "PLAN_NOT_ACTIVE") return false;
    throw error;
  }
}

/** Executes a step; where it waits for an approval, again and again until persons have decided. */
async function executeApproved(
  plans: Pick<Plans, "execute">,
  planId: string,
  stepId: string,
  options: RunOptions,
): Promise<StepExecution> {
  const { approvalTimeoutMs = 0, onProgress, signal } = options;
  const untilMs = performance.now() + approvalTimeoutMs;
  let told = "";
  for (let pauseMs = APPROVAL_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, APPROVAL_PAUSE_MS_MAX)) {
    try {
      return await plans.execute(planId, stepId, callOptions(options));
    } catch (error) {
      const { approvalId = "", expiresAt = "" } = awaited(error);
      const leftMs = untilMs - performance.now();
      if (approvalId === "" || leftMs <= 0) throw error;
      // What would run, or the policies, may change meanwhile: another approval is waited for then.
      if (approvalId !== told) {
        onProgress?.({ stepId, kind: "waiting", approvalId, expiresAt });
      }
      told = approvalId;
      await pause(Math.min(pauseMs, leftMs), signal);
    }
  }
}

/** The approval that a refused step waits for. */
function awaited(error: unknown): { readonly approvalId?: string; readonly expiresAt?: string } {
  if (!(error instanceof StewardError) || error.code !== "APPROVAL_REQUIRED") return {};
  const told = new Map(error.details.map(({ field, reason }) => [field, reason]));
  const [approvalId, expiresAt] = [told.get("approval_id"), told.get("expires_at")];
  return approvalId === undefined || expiresAt === undefined ? {} : { approvalId, expiresAt };
}

function isDone(step: PlanStep): boolean {
  return step.status === "completed";
}

function callOptions({ signal }: RunOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
