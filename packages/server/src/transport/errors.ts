import type { status as grpcStatus } from "@grpc/grpc-js";
import type { ErrorCode } from "@steward/protocol";
import type { ErrorBody } from "@steward/protocol/rest";
import { AppError } from "@steward/kernel/errors.js";

/** The statuses of one kind of error in each protocol. */
export interface WireStatus {
  /** HTTP status (RFC 9110 §15). */
  readonly http: number;
  /** Name of the gRPC status code. */
  readonly grpc: keyof typeof grpcStatus;
}

/**
 * The table of Decision §9: each error code's status in each protocol. Handlers never choose a
 * status. Codes outside of the table of §9 have the HTTP status that
 * googleapis/google/rpc/code.proto assigns to the gRPC code.
 */
export const WIRE_STATUS: Readonly<Record<ErrorCode, WireStatus>> = {
  INVALID_ARGUMENT: { http: 400, grpc: "INVALID_ARGUMENT" },
  INVALID_PLAN: { http: 400, grpc: "INVALID_ARGUMENT" },
  PLAN_CYCLE: { http: 400, grpc: "INVALID_ARGUMENT" },
  BAD_PLACEHOLDER: { http: 400, grpc: "INVALID_ARGUMENT" },
  LIMIT_EXCEEDED: { http: 400, grpc: "INVALID_ARGUMENT" },
  CURSOR_OUT_OF_RANGE: { http: 400, grpc: "OUT_OF_RANGE" },
  UNAUTHENTICATED: { http: 401, grpc: "UNAUTHENTICATED" },
  POLICY_DENIED: { http: 403, grpc: "PERMISSION_DENIED" },
  PLAN_NOT_FOUND: { http: 404, grpc: "NOT_FOUND" },
  STEP_NOT_FOUND: { http: 404, grpc: "NOT_FOUND" },
  NOT_FOUND: { http: 404, grpc: "NOT_FOUND" },
  METHOD_NOT_ALLOWED: { http: 405, grpc: "UNIMPLEMENTED" },
  STEP_DEPENDENCIES_NOT_MET: { http: 409, grpc: "FAILED_PRECONDITION" },
  PLAN_NOT_ACTIVE: { http: 409, grpc: "FAILED_PRECONDITION" },
  STEP_NOT_REVISABLE: { http: 409, grpc: "FAILED_PRECONDITION" },
  REVISION_CONFLICT: { http: 409, grpc: "ABORTED" },
  APPROVAL_REQUIRED: { http: 409, grpc: "FAILED_PRECONDITION" },
  APPROVAL_CONFLICT: { http: 409, grpc: "ABORTED" },
  APPROVAL_DENIED: { http: 403, grpc: "PERMISSION_DENIED" },
  LEGAL_HOLD: { http: 409, grpc: "FAILED_PRECONDITION" },
  STEP_FAILED: { http: 409, grpc: "FAILED_PRECONDITION" },
  OUTCOME_UNKNOWN: { http: 409, grpc: "FAILED_PRECONDITION" },
  OUTPUT_CUT: { http: 409, grpc: "FAILED_PRECONDITION" },
  IDEMPOTENCY_CONFLICT: { http: 422, grpc: "ALREADY_EXISTS" },
  QUOTA_EXCEEDED: { http: 429, grpc: "RESOURCE_EXHAUSTED" },
  CANCELLED: { http: 499, grpc: "CANCELLED" },
  INTERNAL: { http: 500, grpc: "INTERNAL" },
  ORCHESTRATOR_NOT_CONFIGURED: { http: 501, grpc: "UNIMPLEMENTED" },
  UNIMPLEMENTED: { http: 501, grpc: "UNIMPLEMENTED" },
  STORE_UNAVAILABLE: { http: 503, grpc: "UNAVAILABLE" },
  IDENTITY_UNAVAILABLE: { http: 503, grpc: "UNAVAILABLE" },
  OVERLOADED: { http: 503, grpc: "UNAVAILABLE" },
  DEADLINE_EXCEEDED: { http: 504, grpc: "DEADLINE_EXCEEDED" },
  STEP_TIMEOUT: { http: 504, grpc: "DEADLINE_EXCEEDED" },
  PAYMENT_CONFLICT: { http: 409, grpc: "ABORTED" },
  PAYMENT_RATE_LIMITED: { http: 429, grpc: "RESOURCE_EXHAUSTED" },
  PAYMENT_PROVIDER_FAILED: { http: 502, grpc: "UNAVAILABLE" },
  PAYMENT_NOT_CONFIGURED: { http: 503, grpc: "UNAVAILABLE" },
  EMBEDDING_FAILED: { http: 500, grpc: "INTERNAL" },
  MEMORY_SEARCH_FAILED: { http: 500, grpc: "INTERNAL" },
  PAYMENT_TIMEOUT: { http: 504, grpc: "DEADLINE_EXCEEDED" },
  STATE_CONFLICT: { http: 409, grpc: "ABORTED" },
  STATE_CORRUPTED: { http: 500, grpc: "DATA_LOSS" },
};

/** A request too large to be read: also `LIMIT_EXCEEDED`, but with other statuses. */
export const REQUEST_TOO_LARGE: WireStatus = { http: 413, grpc: "RESOURCE_EXHAUSTED" };

/** A body with an unsupported content coding: `INVALID_ARGUMENT`, with another HTTP status. */
export const UNSUPPORTED_CODING: WireStatus = { http: 415, grpc: "INVALID_ARGUMENT" };

/** An error as an HTTP response. */
export interface RestError {
  readonly status: number;
  /** `retry-after`, in whole seconds, where a retry can help; `www-authenticate` with a 401. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/**
 * Converts anything thrown to an HTTP response. An error that is not an {@link AppError} becomes
 * `INTERNAL` without details.
 * @param wire Overrides the table's status: {@link REQUEST_TOO_LARGE}.
 */
export function restErrorOf(thrown: unknown, wire?: WireStatus): RestError {
  const error = AppError.from(thrown);
  return {
    status: (wire ?? WIRE_STATUS[error.code]).http,
    headers: {
      ...(error.retryAfterMs === undefined
        ? {}
        : { "retry-after": retryAfterS(error.retryAfterMs) }),
      // RFC 9110 §11.6.1 requires a challenge with every 401.
      ...(error.code === "UNAUTHENTICATED" ? { "www-authenticate": "Bearer" } : {}),
    },
    body: {
      error: error.message,
      code: error.code,
      ...(error.details.length === 0 ? {} : { details: error.details }),
    },
  };
}

/** Rounded up, because a retry that is too early would be refused again. */
function retryAfterS(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}
