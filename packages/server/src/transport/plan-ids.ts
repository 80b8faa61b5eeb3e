import { AppError } from "@steward/kernel/errors.js";

/**
 * The accepted format of ids: printable ASCII up to 255 characters. It fits the ids of every
 * orchestrator.
 */
const ID = /^[\x21-\x7e]{1,255}$/;

/** The text itself. @throws AppError `PLAN_NOT_FOUND` when no plan can have such an id. */
export function asPlanId(text: string): string {
  if (!ID.test(text)) throw new AppError("PLAN_NOT_FOUND", "This is not the id of a plan");
  return text;
}

/** The text itself. @throws AppError `STEP_NOT_FOUND` when no step can have such an id. */
export function asStepId(text: string): string {
  if (!ID.test(text)) throw new AppError("STEP_NOT_FOUND", "This is not the id of a step");
  return text;
}
