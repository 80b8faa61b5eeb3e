import {
  hasRevisions,
  type Orchestrator,
  type StepError,
  type StepExecution,
} from "../plans/index.js";

/** A step that failed. */
export interface FailedStep {
  readonly stepId: string;
  readonly error?: StepError | undefined;
}

/**
 * Text with the call that corrects a failed step. An LLM can copy the call.
 * @param call as the wire of the caller has it, such as `call execute_step with …`.
 */
export function correctionOfStep({ stepId, error }: FailedStep, call: string): string {
  return isUncertain(error)
    ? `Find out whether step ${stepId} took effect. Only if it did not, ${call}.`
    : `To correct step ${stepId}, ${call}. Completed steps keep their results.`;
}

/**
 * Text with the call of a tool that corrects a failed one.
 * @param call the tool's name, and what of the call to correct.
 */
export function correctionOfQuery(
  error: StepError | undefined,
  { name, what }: { readonly name: string; readonly what: string },
): string {
  return isUncertain(error)
    ? "Look with a SELECT whether the statement took effect before you run it again."
    : `Correct the ${what} and call ${name} again.`;
}

/**
 * The result of a step with the call that corrects it as its last hint, if it failed.
 * @param callOf the call as the wire of the caller has it.
 */
export function withCorrection(
  orchestrator: Orchestrator,
  execution: StepExecution,
  callOf: (planId: string, stepId: string) => string,
): StepExecution {
  const { stepResult, llmContextUpdate: update } = execution;
  if (stepResult.status !== "failed" || !hasRevisions(orchestrator)) return execution;
  const correction = correctionOfStep(stepResult, callOf(update.planId, update.stepId));
  const augmentationHints = [...update.augmentationHints, correction];
  return { ...execution, llmContextUpdate: { ...update, augmentationHints } };
}

/** Whether the step may have taken effect although it failed. */
function isUncertain(error: StepError | undefined): boolean {
  return error?.code === "OUTCOME_UNKNOWN";
}
