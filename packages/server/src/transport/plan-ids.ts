import { AppError } from "@steward/kernel/errors.js";
import { isUsableId } from "../plans/index.js";

/** The text itself. @throws AppError `PLAN_NOT_FOUND` when no plan can have such an id. */
export function asPlanId(text: string): string {
  if (!isUsableId(text)) throw new AppError("PLAN_NOT_FOUND", "This is not the id of a plan");
  return text;
}

/** The text itself. @throws AppError `STEP_NOT_FOUND` when no step can have such an id. */
export function asStepId(text: string): string {
  if (!isUsableId(text)) throw new AppError("STEP_NOT_FOUND", "This is not the id of a step");
  return text;
}
