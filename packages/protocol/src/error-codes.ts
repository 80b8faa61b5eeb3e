/**
 * The machine-readable reasons an operation can fail with (Decision §9).
 * The same word travels as `code` in REST bodies, `reason` in google.rpc.ErrorInfo and
 * `error_code` in an ExecuteStepResponse.
 */
export const ERROR_CODES = [
  "INVALID_ARGUMENT",
  "INVALID_PLAN",
  "PLAN_CYCLE",
  "BAD_PLACEHOLDER",
  "LIMIT_EXCEEDED",
  "IDEMPOTENCY_CONFLICT",
  "UNAUTHENTICATED",
  "POLICY_DENIED",
  "PLAN_NOT_FOUND",
  "STEP_NOT_FOUND",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "STEP_DEPENDENCIES_NOT_MET",
  "PLAN_NOT_ACTIVE",
  "APPROVAL_REQUIRED",
  "CURSOR_OUT_OF_RANGE",
  "QUOTA_EXCEEDED",
  "ORCHESTRATOR_NOT_CONFIGURED",
  "UNIMPLEMENTED",
  "STORE_UNAVAILABLE",
  "OVERLOADED",
  "DEADLINE_EXCEEDED",
  "CANCELLED",
  "STEP_FAILED",
  "STEP_TIMEOUT",
  "INTENT_MISMATCH",
  "OUTCOME_UNKNOWN",
  "PAYMENT_NOT_CONFIGURED",
  "PAYMENT_PROVIDER_FAILED",
  "PAYMENT_TIMEOUT",
  "PAYMENT_CONFLICT",
  "PAYMENT_RATE_LIMITED",
  "EMBEDDING_FAILED",
  "MEMORY_SEARCH_FAILED",
  "INTERNAL",
] as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];
