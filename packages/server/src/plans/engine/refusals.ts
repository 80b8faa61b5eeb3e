import { AppError } from "@steward/kernel/errors.js";
import type { PlanRef } from "../ports.js";

/** Said of an unknown plan and of another organization's alike. */
export function planNotFound(ref: PlanRef): AppError {
  return new AppError("PLAN_NOT_FOUND", `Unknown plan ${ref.planId}`);
}

/** Said of a cursor into a plan's events that points behind the newest one. */
export function cursorOutOfRange(afterSequence: number, newest: number): AppError {
  return new AppError(
    "CURSOR_OUT_OF_RANGE",
    `after_sequence ${String(afterSequence)} is beyond the plan's newest event, ${String(newest)}`,
  );
}
