import type { ErrorCode } from "@steward/protocol";
import type { ErrorDetail } from "@steward/protocol/rest";

/**
 * The server's error codes, and two of the client: `UNREACHABLE` when no response arrived,
 * `BAD_RESPONSE` when the response was not Steward's.
 */
export type StewardErrorCode = ErrorCode | "UNREACHABLE" | "BAD_RESPONSE";

export interface StewardErrorOptions {
  readonly status?: number;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  readonly cause?: unknown;
}

/**
 * The error with which failed calls reject. The exception is a call that was aborted by its own
 * signal.
 */
export class StewardError extends Error {
  override readonly name = "StewardError";
  readonly code: StewardErrorCode;
  /** HTTP status; absent when no response arrived. */
  readonly status: number | undefined;
  /** What is wrong, field by field. */
  readonly details: readonly ErrorDetail[];
  /** Wait before a retry that the server requested, in ms. */
  readonly retryAfterMs: number | undefined;
  /** Id of the request in the server's log; absent when no response arrived. */
  readonly requestId: string | undefined;

  constructor(code: StewardErrorCode, message: string, options: StewardErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.details = options.details ?? [];
    this.retryAfterMs = options.retryAfterMs;
    this.requestId = options.requestId;
  }

  /** The error when no response arrived within the time limit of an attempt. */
  static late(server: string, ms: number): StewardError {
    return new StewardError("UNREACHABLE", `${server} did not answer within ${String(ms)} ms`);
  }

  /**
   * Converts any thrown value to a StewardError. An error of `fetch`, or of reading a body, means
   * that the connection failed.
   */
  static from(thrown: unknown, server: string): StewardError {
    if (thrown instanceof StewardError) return thrown;
    const foreign = foreignProtocol(thrown, server);
    if (foreign !== undefined) return new StewardError("BAD_RESPONSE", foreign, { cause: thrown });
    const message = `Cannot reach ${server}${systemCode(thrown)}`;
    return new StewardError("UNREACHABLE", message, { cause: thrown });
  }

  /**
   * Whether the same call may succeed later, because the server did not respond or was busy.
   * Unconfigured payments are a 503 too, but not transient.
   */
  get isTransient(): boolean {
    if (this.code === "PAYMENT_NOT_CONFIGURED") return false;
    return this.code === "UNREACHABLE" || this.status === 503 || this.status === 429;
  }
}

/**
 * Detects a server that speaks another protocol than the URL says, in which case a retry cannot
 * help.
 */
function foreignProtocol(thrown: unknown, server: string): string | undefined {
  const code = causeCode(thrown);
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)) {
    const plain = server.replace(/^https:/, "http:");
    return `${server} does not speak TLS; if it is a Steward server without TLS, write ${plain}`;
  }
  return code.startsWith("HPE_")
    ? `${server} answers, but not in HTTP; if it is a Steward server with TLS, write https://`
    : undefined;
}

/** For example `: ECONNREFUSED`, if the runtime gives it as the error's cause. */
function systemCode(thrown: unknown): string {
  const code = causeCode(thrown);
  return code === "" ? "" : `: ${code}`;
}

function causeCode(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  const known = typeof cause === "object" && cause !== null && "code" in cause;
  return known && typeof cause.code === "string" ? cause.code : "";
}
