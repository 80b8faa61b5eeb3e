import type { ErrorCode } from "@steward/protocol";
import type { ExecuteStepRequest, ExecuteStepResponse } from "@steward/protocol/grpc";
import { AppError } from "@steward/kernel/errors.js";
import type { StepError, StepExecution, StepResult } from "../../plans/index.js";
import { pagedExecution, type OutputPageRequest } from "../paging/output-page.js";
import { contextUpdateMessage, stepResultMessage } from "./messages.js";

/**
 * The result of running a step, including failures (Contract §4.1, Decision §9: failures in band).
 */
export function executionMessage(
  execution: StepExecution,
  asked: OutputPageRequest,
): ExecuteStepResponse {
  const paged = pagedExecution(execution, asked);
  const { stepResult, llmContextUpdate, nextOffset, replayed } = paged;
  const error = errorOf(stepResult);
  return {
    $typeName: "controlplane.v1.ExecuteStepResponse",
    success: error === undefined,
    stepResult: stepResultMessage(stepResult),
    llmContextUpdate: contextUpdateMessage(llmContextUpdate, nextOffset),
    errorMessage: error?.message ?? "",
    errorCode: error?.code ?? "",
    replayed,
  };
}

/**
 * The reason why a step did not run, as a normal response. The context update contains it too, for
 * clients that pass only that to the LLM.
 * @throws the same error when Decision §9 has it end the call: malformed requests, authentication,
 * overload and faults of the server.
 */
export function refusalMessage(
  thrown: unknown,
  { planId, stepId }: Pick<ExecuteStepRequest, "planId" | "stepId">,
): ExecuteStepResponse {
  if (!(thrown instanceof AppError) || !IN_BAND.has(thrown.code)) throw thrown;
  const hints = [messageOf(thrown), ...thrown.details.map(({ reason }) => reason)];
  return {
    $typeName: "controlplane.v1.ExecuteStepResponse",
    success: false,
    llmContextUpdate: contextUpdateMessage({
      planId,
      stepId,
      toolOutputJson: "[]",
      schemaAdditions: [],
      augmentationHints: hints,
    }),
    errorMessage: messageOf(thrown),
    errorCode: thrown.code,
    replayed: false,
  };
}

/** A normal response has no other field for the retry delay. */
function messageOf({ message, retryAfterMs }: AppError): string {
  if (retryAfterMs === undefined) return message;
  return `${message}; try again in ${String(Math.max(1, Math.ceil(retryAfterMs / 1000)))} s`;
}

/** Errors about the step rather than about the call. */
const IN_BAND: ReadonlySet<ErrorCode> = new Set([
  "PLAN_NOT_FOUND",
  "STEP_NOT_FOUND",
  "STEP_DEPENDENCIES_NOT_MET",
  "PLAN_NOT_ACTIVE",
  "APPROVAL_REQUIRED",
  "APPROVAL_DENIED",
  "POLICY_DENIED",
  "QUOTA_EXCEEDED",
  "ORCHESTRATOR_NOT_CONFIGURED",
  "BAD_PLACEHOLDER",
  "STEP_FAILED",
  "STEP_TIMEOUT",
  "OUTCOME_UNKNOWN",
  "OUTPUT_CUT",
]);

function errorOf({ status, stepId, error }: StepResult): StepError | undefined {
  switch (status) {
    case "completed":
      return undefined;
    case "failed":
      return error ?? { code: "STEP_FAILED", message: `Step ${stepId} failed` };
    case "cancelled":
      return error ?? { code: "CANCELLED", message: `Step ${stepId} was cancelled` };
  }
}
