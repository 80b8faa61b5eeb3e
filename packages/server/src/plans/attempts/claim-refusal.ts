import { isoTime } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ExplainedStatementPolicy } from "../../governance/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
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

/**
 * Rethrows the refusal of a claim, unless the step waits for an approval that policies have
 * demanded which are no longer in force.
 * @returns the id of that approval.
 */
export async function outdatedApprovalOf(
  refusal: ClaimRefusal,
  policy: Pick<ExplainedStatementPolicy, "versionFor">,
  ctx: QueryRuntimeContext,
): Promise<string> {
  const { approval } = refusal;
  if (approval !== undefined) {
    const version = await policy.versionFor(ctx);
    if (version !== approval.policyVersion) return approval.approvalId;
  }
  throw refusalError(refusal);
}
