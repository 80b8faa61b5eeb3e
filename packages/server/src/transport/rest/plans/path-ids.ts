import { asPlanId, asStepId } from "../../plan-ids.js";

/** The plan a path names. @throws AppError `PLAN_NOT_FOUND` when nothing can have such an id. */
export function planIdOf({ plan_id: planId }: { readonly plan_id: string }): string {
  return asPlanId(planId);
}

/** The step a path names. @throws AppError `STEP_NOT_FOUND` when nothing can have such an id. */
export function stepIdOf({ step_id: stepId }: { readonly step_id: string }): string {
  return asStepId(stepId);
}
