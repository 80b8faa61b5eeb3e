import { AppError } from "@steward/kernel/errors.js";
import type { StepExecution } from "../../../plans/index.js";
import type { ToolScope } from "../tool.js";

/** A step, and the call of a tool that executes it again. */
interface NamedStep {
  readonly planId: string;
  readonly stepId: string;
  readonly again: string;
}

/**
 * Executes a step.
 * @throws AppError `APPROVAL_REQUIRED` when the step waits for persons, with the page where they
 *   decide and the call by which the LLM goes on. The LLM itself cannot decide. There is no tool
 *   for decisions, because only a person who has signed in on that page may decide.
 */
export async function executeStep(
  { planId, stepId, again }: NamedStep,
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
    const [waits = ""] = refusal.message.split(OTHER_WAYS);
    const message =
      `${waits}. You cannot decide yourself: give the page ${page} to a person who can. ` +
      `When the person has decided, call ${again}`;
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

/** Where a refusal begins to name the ways to decide that are not an LLM's. */
const OTHER_WAYS = ", at /approvals/";

/** The approval that a step waits for; `undefined` for every other refusal. */
export function awaitedApproval({ code, details }: AppError): string | undefined {
  if (code !== "APPROVAL_REQUIRED") return undefined;
  return details.find(({ field }) => field === "approval_id")?.reason;
}
