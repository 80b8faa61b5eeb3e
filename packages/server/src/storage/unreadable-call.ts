import { AppError } from "@steward/kernel/errors.js";
import type { PlanRef } from "../plans/ports.js";

/**
 * The error of a tool call that cannot be read, because its row or its plan's is damaged or of a
 * later version.
 * @throws the cause, when it is the store that could not be read.
 */
export function unreadableCall({ orgId, planId }: PlanRef, cause: unknown): Error {
  if (cause instanceof AppError && cause.code === "STORE_UNAVAILABLE") throw cause;
  const told = `A tool call of the plan ${planId} of the organization ${orgId} cannot be read`;
  return new Error(`${told}: it has no usage row and no memory entry yet`, { cause });
}
