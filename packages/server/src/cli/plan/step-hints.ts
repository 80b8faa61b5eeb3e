import type { StepExecution } from "@steward/client";
import type { FieldViolation } from "@steward/kernel/errors.js";

/**
 * The hints of a step for a person at a terminal: without the error itself, which is shown with the step,
 * and without REST's request that corrects the step, for which there is a command.
 */
export function hintsOf({
  step_result: { error },
  llm_context_update: update,
}: StepExecution): readonly FieldViolation[] {
  return update.augmentation_hints
    .filter((reason) => reason !== error?.message && !reason.includes("PATCH /api/plans/"))
    .map((reason) => ({ field: update.step_id, reason }));
}

/** The command that corrects a step. */
export function correctingCommand(planId: string, stepId: string): string {
  return `steward plan revise ${planId} ${stepId} --query '…'`;
}
