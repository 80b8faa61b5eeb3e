import { asPlanId, asStepId } from "../../plan-ids.js";

/** The plan id in a path. @throws AppError `PLAN_NOT_FOUND` when no plan can have such an id. */
export function planIdOf({ plan_id: planId }: { readonly plan_id: string }): string {
  return asPlanId(planId);
}

/** The step id in a path. @throws AppError `STEP_NOT_FOUND` when no step can have such an id. */
export function stepIdOf({ step_id: stepId }: { readonly step_id: string }): string {
  return asStepId(stepId);
}
