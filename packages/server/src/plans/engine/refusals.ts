import { AppError } from "@steward/kernel/errors.js";
import type { PlanRef } from "../ports.js";

/** The error for an unknown plan, and for a plan of another organization. */
export function planNotFound(ref: PlanRef): AppError {
  return new AppError("PLAN_NOT_FOUND", `Unknown plan ${ref.planId}`);
}

/** The error for a cursor beyond the newest event of a plan. */
export function cursorOutOfRange(afterSequence: number, newest: number): AppError {
  return new AppError(
    "CURSOR_OUT_OF_RANGE",
    `after_sequence ${String(afterSequence)} is beyond the plan's newest event, ${String(newest)}`,
  );
}
