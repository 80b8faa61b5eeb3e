import { AppError } from "../../kernel/errors.js";

/** Printable ASCII of a sane length: whatever an orchestrator's ids look like, they are of this. */
const ID = /^[\x21-\x7e]{1,255}$/;

/** The plan a path names. @throws AppError `PLAN_NOT_FOUND` when nothing can have such an id. */
export function planIdOf({ plan_id: planId }: { readonly plan_id: string }): string {
  if (!ID.test(planId)) throw new AppError("PLAN_NOT_FOUND", "This is not the id of a plan");
  return planId;
}

/** The step a path names. @throws AppError `STEP_NOT_FOUND` when nothing can have such an id. */
export function stepIdOf({ step_id: stepId }: { readonly step_id: string }): string {
  if (!ID.test(stepId)) throw new AppError("STEP_NOT_FOUND", "This is not the id of a step");
  return stepId;
}
