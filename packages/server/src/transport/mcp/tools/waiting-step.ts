import { AppError } from "@steward/kernel/errors.js";
import type { StepExecution } from "../../../plans/index.js";
import type { ToolScope } from "../tool.js";

/**
 * Executes a step.
 * @throws AppError `APPROVAL_REQUIRED` when the step waits for persons, with the page where they
 *   decide and the calls by which the LLM goes on. The LLM itself cannot decide. There is no tool
 *   for decisions, because only a person who has signed in on that page may decide.
 */
export async function executeStep(
  planId: string,
  stepId: string,
  { context, services: { orchestrator, signIn }, runsPlan }: ToolScope,
): Promise<StepExecution> {
  runsPlan?.(planId);
  try {
    return await orchestrator.executeStep(planId, stepId, context);
  } catch (thrown) {
    const refusal = AppError.from(thrown);
    const approvalId = awaitedApproval(refusal);
    if (approvalId === undefined) throw thrown;
    const page = `${signIn.publicUrl?.replace(/\/+$/, "") ?? ""}/approvals/${approvalId}`;
    const message =
      `${refusal.message}. You cannot decide yourself: give the page ${page} to a person who can. Then call ` +
      `wait_for_events with plan_id "${planId}" until it has PlanApprovalDecided for this approval, and ` +
      `execute_step with plan_id "${planId}" and step_id "${stepId}"`;
    throw new AppError(refusal.code, message, {
      details: [
        ...refusal.details,
        { field: "approval_url", reason: page },
        { field: "plan_id", reason: planId },
        { field: "step_id", reason: stepId },
      ],
      cause: thrown,
    });
  }
}

/** The approval that a step waits for; `undefined` for every other refusal. */
export function awaitedApproval({ code, details }: AppError): string | undefined {
  if (code !== "APPROVAL_REQUIRED") return undefined;
  return details.find(({ field }) => field === "approval_id")?.reason;
}
