import { status as grpcStatus } from "@grpc/grpc-js";
import type { ErrorCode } from "@steward/protocol";
import type { ErrorBody } from "@steward/protocol/rest";
import { AppError } from "@steward/kernel/errors.js";

/** How one kind of error is told on each wire. */
export interface WireStatus {
  /** HTTP status (RFC 9110 §15). */
  readonly http: number;
  /** gRPC status code. */
  readonly grpc: grpcStatus;
}

/**
 * The one table of Decision §9: what each error code is on each wire. Handlers never choose a status.
 * What the table of §9 does not list has the status that googleapis/google/rpc/code.proto pairs with
 * the gRPC code.
 */
export const WIRE_STATUS: Readonly<Record<ErrorCode, WireStatus>> = {
  INVALID_ARGUMENT: { http: 400, grpc: grpcStatus.INVALID_ARGUMENT },
  INVALID_PLAN: { http: 400, grpc: grpcStatus.INVALID_ARGUMENT },
  PLAN_CYCLE: { http: 400, grpc: grpcStatus.INVALID_ARGUMENT },
  BAD_PLACEHOLDER: { http: 400, grpc: grpcStatus.INVALID_ARGUMENT },
  LIMIT_EXCEEDED: { http: 400, grpc: grpcStatus.INVALID_ARGUMENT },
  CURSOR_OUT_OF_RANGE: { http: 400, grpc: grpcStatus.OUT_OF_RANGE },
  UNAUTHENTICATED: { http: 401, grpc: grpcStatus.UNAUTHENTICATED },
  POLICY_DENIED: { http: 403, grpc: grpcStatus.PERMISSION_DENIED },
  PLAN_NOT_FOUND: { http: 404, grpc: grpcStatus.NOT_FOUND },
  STEP_NOT_FOUND: { http: 404, grpc: grpcStatus.NOT_FOUND },
  NOT_FOUND: { http: 404, grpc: grpcStatus.NOT_FOUND },
  METHOD_NOT_ALLOWED: { http: 405, grpc: grpcStatus.UNIMPLEMENTED },
  STEP_DEPENDENCIES_NOT_MET: { http: 409, grpc: grpcStatus.FAILED_PRECONDITION },
  PLAN_NOT_ACTIVE: { http: 409, grpc: grpcStatus.FAILED_PRECONDITION },
  APPROVAL_REQUIRED: { http: 409, grpc: grpcStatus.FAILED_PRECONDITION },
  STEP_FAILED: { http: 409, grpc: grpcStatus.FAILED_PRECONDITION },
  OUTCOME_UNKNOWN: { http: 409, grpc: grpcStatus.FAILED_PRECONDITION },
  OUTPUT_CUT: { http: 409, grpc: grpcStatus.FAILED_PRECONDITION },
  IDEMPOTENCY_CONFLICT: { http: 422, grpc: grpcStatus.ALREADY_EXISTS },
  QUOTA_EXCEEDED: { http: 429, grpc: grpcStatus.RESOURCE_EXHAUSTED },
  CANCELLED: { http: 499, grpc: grpcStatus.CANCELLED },
  INTERNAL: { http: 500, grpc: grpcStatus.INTERNAL },
  ORCHESTRATOR_NOT_CONFIGURED: { http: 501, grpc: grpcStatus.UNIMPLEMENTED },
  UNIMPLEMENTED: { http: 501, grpc: grpcStatus.UNIMPLEMENTED },
  STORE_UNAVAILABLE: { http: 503, grpc: grpcStatus.UNAVAILABLE },
  IDENTITY_UNAVAILABLE: { http: 503, grpc: grpcStatus.UNAVAILABLE },
  OVERLOADED: { http: 503, grpc: grpcStatus.UNAVAILABLE },
  DEADLINE_EXCEEDED: { http: 504, grpc: grpcStatus.DEADLINE_EXCEEDED },
  STEP_TIMEOUT: { http: 504, grpc: grpcStatus.DEADLINE_EXCEEDED },
  PAYMENT_CONFLICT: { http: 409, grpc: grpcStatus.ABORTED },
  PAYMENT_RATE_LIMITED: { http: 429, grpc: grpcStatus.RESOURCE_EXHAUSTED },
  PAYMENT_PROVIDER_FAILED: { http: 502, grpc: grpcStatus.UNAVAILABLE },
  PAYMENT_NOT_CONFIGURED: { http: 503, grpc: grpcStatus.UNAVAILABLE },
  EMBEDDING_FAILED: { http: 500, grpc: grpcStatus.INTERNAL },
  MEMORY_SEARCH_FAILED: { http: 500, grpc: grpcStatus.INTERNAL },
  PAYMENT_TIMEOUT: { http: 504, grpc: grpcStatus.DEADLINE_EXCEEDED },
  STATE_CONFLICT: { http: 409, grpc: grpcStatus.ABORTED },
  STATE_CORRUPTED: { http: 500, grpc: grpcStatus.DATA_LOSS },
};

/** A request too large to be read at all: `LIMIT_EXCEEDED` too, but told by other statuses. */
export const REQUEST_TOO_LARGE: WireStatus = { http: 413, grpc: grpcStatus.RESOURCE_EXHAUSTED };

/** A body in a coding that is not decoded here: `INVALID_ARGUMENT`, told by another status over HTTP. */
export const UNSUPPORTED_CODING: WireStatus = { http: 415, grpc: grpcStatus.INVALID_ARGUMENT };

/** An error as an HTTP response. */
export interface RestError {
  readonly status: number;
  /** `retry-after`, in whole seconds, where trying again can help; `www-authenticate` with a 401. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/**
 * The HTTP response of anything thrown. What is not an {@link AppError} becomes `INTERNAL`, and
 * nothing of it is told.
 * @param wire Another status than the table's: {@link REQUEST_TOO_LARGE}.
 */
export function restErrorOf(thrown: unknown, wire?: WireStatus): RestError {
  const error = AppError.from(thrown);
  return {
    status: (wire ?? WIRE_STATUS[error.code]).http,
    headers: {
      ...(error.retryAfterMs === undefined
        ? {}
        : { "retry-after": retryAfterS(error.retryAfterMs) }),
      // RFC 9110 §11.6.1 wants a challenge with every 401.
      ...(error.code === "UNAUTHENTICATED" ? { "www-authenticate": "Bearer" } : {}),
    },
    body: {
      error: error.message,
      code: error.code,
      ...(error.details.length === 0 ? {} : { details: error.details }),
    },
  };
}

/** Rounded up: coming back early would only be refused again. */
function retryAfterS(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}
