import type { StepError } from "../../../plans/index.js";

/** A step that failed. */
export interface FailedStep {
  readonly planId: string;
  readonly stepId: string;
  readonly error: StepError | undefined;
}

/** Text with the call of `execute_step` that corrects a failed step. An LLM can copy the call. */
export function correctionOfStep({ planId, stepId, error }: FailedStep): string {
  const call =
    `call execute_step with plan_id "${planId}", step_id "${stepId}" and a corrected query_template ` +
    "(also intent or depends_on where they were wrong)";
  return isUncertain(error)
    ? `Look with query whether step ${stepId} took effect. Only if it did not, ${call}.`
    : `To correct step ${stepId}, ${call}. Completed steps keep their results.`;
}

/** Text with the call of `query` that corrects a failed one. */
export function correctionOfQuery(error: StepError | undefined): string {
  return isUncertain(error)
    ? "Look with a SELECT whether the statement took effect before you run it again."
    : "Correct the statement and call query again.";
}

/** Whether the step may have taken effect although it failed. */
function isUncertain(error: StepError | undefined): boolean {
  return error?.code === "OUTCOME_UNKNOWN";
}
