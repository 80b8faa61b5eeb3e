import type { Plan, PlanStep, StepProgress, StepStatus } from "@steward/client";

/** The start or the result of a step. */
export type StepChange = Exclude<StepProgress, { readonly kind: "waiting" }>;

/** The state of one step in a progress display. */
export interface StepView {
  readonly stepId: string;
  readonly dependsOn: readonly string[];
  readonly status: StepStatus;
  /** When this run requested the step, on the monotonic clock, in ms. */
  readonly startedAtMs?: number;
  readonly durationMs?: number;
  readonly rowCount?: number;
  readonly error?: string;
}

/** The state of a plan's steps during a run. */
export class PlanProgress {
  readonly #steps: Map<string, StepView>;

  constructor(plan: Plan) {
    this.#steps = new Map(plan.steps.map((step) => [step.step_id, viewOf(step)]));
  }

  /** In the order of the plan. */
  get steps(): readonly StepView[] {
    return [...this.#steps.values()];
  }

  /**
   * Applies a progress event.
   * @returns the step's new state.
   */
  apply(progress: StepChange, nowMs: number): StepView | undefined {
    const step = this.#steps.get(progress.stepId);
    if (step === undefined) return undefined;
    const next = progress.kind === "started" ? started(step, nowMs) : finished(step, progress);
    this.#steps.set(step.stepId, next);
    return next;
  }

  /**
   * Applies the plan's final state, so that steps that never ran get their final status.
   * @returns the changed steps.
   */
  end(plan: Plan): readonly StepView[] {
    return plan.steps.flatMap((step) => {
      const shown = this.#steps.get(step.step_id);
      if (shown?.status === step.status) return [];
      const next = viewOf(step);
      this.#steps.set(step.step_id, next);
      return [next];
    });
  }
}

function viewOf(step: PlanStep): StepView {
  return {
    stepId: step.step_id,
    dependsOn: step.depends_on,
    status: step.status,
    ...(step.row_count === undefined ? {} : { rowCount: step.row_count }),
    ...(step.error === undefined ? {} : { error: step.error.message }),
  };
}

function started(step: StepView, startedAtMs: number): StepView {
  return { ...step, status: "running", startedAtMs };
}

function finished(
  step: StepView,
  { execution, durationMs }: Extract<StepProgress, { kind: "finished" }>,
): StepView {
  const { status, row_count: rowCount, error } = execution.step_result;
  const failure = error === undefined ? {} : { error: error.message };
  return { ...step, status, durationMs, rowCount, ...failure };
}
