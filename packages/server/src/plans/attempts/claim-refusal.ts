import { isoTime } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ClaimRefusal } from "../transitions.js";

/** The error of a refused claim; the details name the approval that the step waits for. */
export function refusalError({ code, message, approval }: ClaimRefusal): AppError {
  if (approval === undefined) return new AppError(code, message);
  const { approvalId, digest, expiresAtMs } = approval;
  return new AppError(code, message, {
    details: [
      { field: "approval_id", reason: approvalId },
      { field: "digest", reason: digest },
      { field: "expires_at", reason: isoTime(expiresAtMs) },
    ],
  });
}
