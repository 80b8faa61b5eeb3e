import type { ExecuteStepRequest } from "@steward/protocol/grpc";
import { ON_FAILURE } from "@steward/operations";
import { AppError } from "@steward/kernel/errors.js";
import { CANCEL_REASON_LENGTH_MAX } from "../limits.js";
import { OUTPUT_BYTES_MAX, OUTPUT_PAGE_BYTES_MIN, RESULT_ROWS_MAX } from "../../plans/limits.js";
import type { OnFailure } from "../../plans/index.js";
import type { OutputPageRequest } from "../paging/output-page.js";
import { asPlanId, asStepId } from "../plan-ids.js";

/**
 * The plan id in a request.
 * @throws AppError `INVALID_ARGUMENT` when it is empty; `PLAN_NOT_FOUND` when no plan can have this
 * id.
 */
export function planIdOf({ planId }: { readonly planId: string }): string {
  if (planId === "") throw wrongField("plan_id", "it is missing");
  return asPlanId(planId);
}

/**
 * The step id in a request.
 * @throws AppError `INVALID_ARGUMENT` when it is empty; `STEP_NOT_FOUND` when no step can have this
 * id.
 */
export function stepIdOf({ stepId }: { readonly stepId: string }): string {
  if (stepId === "") throw wrongField("step_id", "it is missing");
  return asStepId(stepId);
}

/** The error of a request without the plan that it is about. */
export function missingPlan(): AppError {
  return wrongField("plan", "it is missing", "INVALID_PLAN");
}

/** The reason of a cancellation, if one is given. @throws AppError `LIMIT_EXCEEDED`. */
export function cancelReasonOf({ reason }: { readonly reason: string }): string | undefined {
  if (reason.length <= CANCEL_REASON_LENGTH_MAX) return reason === "" ? undefined : reason;
  const told = `it is longer than ${String(CANCEL_REASON_LENGTH_MAX)} characters`;
  throw wrongField("reason", told, "LIMIT_EXCEEDED");
}

/**
 * The effect of a failed step on the plan that a request submits.
 * @throws AppError `INVALID_PLAN`.
 */
export function onFailureField({ onFailure }: { readonly onFailure: string }): {
  readonly onFailure?: OnFailure;
} {
  if (onFailure === "") return {};
  if (onFailure === "fail" || onFailure === "pause") return { onFailure };
  throw wrongField("on_failure", `it is none of ${ON_FAILURE.join(", ")}`, "INVALID_PLAN");
}

/** The start of an event stream. @throws AppError `INVALID_ARGUMENT`. */
export function cursorOf({ afterSequence }: { readonly afterSequence: bigint }): number {
  if (afterSequence < 0n) throw wrongField("after_sequence", "it is negative");
  // A sequence above 2^53 is beyond every log, even after rounding.
  return Number(afterSequence);
}

/** The part of a step's output that a request asks for. @throws AppError `INVALID_ARGUMENT`. */
export function outputPageOf(request: ExecuteStepRequest): OutputPageRequest {
  const { offset, maxRows, maxBytes } = request;
  if (offset < 0) throw wrongField("offset", "it is negative");
  if (maxRows < 0 || maxRows > RESULT_ROWS_MAX) {
    throw wrongField("max_rows", `it is not between 1 and ${String(RESULT_ROWS_MAX)}`);
  }
  if (maxBytes !== 0 && (maxBytes < OUTPUT_PAGE_BYTES_MIN || maxBytes > OUTPUT_BYTES_MAX)) {
    const range = `${String(OUTPUT_PAGE_BYTES_MIN)} and ${String(OUTPUT_BYTES_MAX)}`;
    throw wrongField("max_bytes", `it is not between ${range}`);
  }
  return { offset, maxRows: maxRows || undefined, maxBytes: maxBytes || undefined };
}

function wrongField(
  field: string,
  reason: string,
  code: "INVALID_ARGUMENT" | "INVALID_PLAN" | "LIMIT_EXCEEDED" = "INVALID_ARGUMENT",
): AppError {
  return new AppError(code, `${field}: ${reason}`, { details: [{ field, reason }] });
}
