import type { ErrorCode } from "@steward/protocol";
import type { ErrorDetail } from "@steward/protocol/rest";

/**
 * The server's own reasons, and two of the way to it: `UNREACHABLE` when no answer came,
 * `BAD_RESPONSE` when what came was not an answer of Steward.
 */
export type StewardErrorCode = ErrorCode | "UNREACHABLE" | "BAD_RESPONSE";

/** The parts of a {@link StewardError} beside its code and message. */
export interface StewardErrorOptions {
  readonly status?: number;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** What every failed call rejects with, but for one that its own signal ended. */
export class StewardError extends Error {
  override readonly name = "StewardError";
  readonly code: StewardErrorCode;
  /** HTTP status; absent when no answer came. */
  readonly status: number | undefined;
  /** What was wrong, field by field. */
  readonly details: readonly ErrorDetail[];
  /** Milliseconds that the server asks to wait before another try. */
  readonly retryAfterMs: number | undefined;
  /** Id of the request in the server's log; absent when no answer came. */
  readonly requestId: string | undefined;

  constructor(code: StewardErrorCode, message: string, options: StewardErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.details = options.details ?? [];
    this.retryAfterMs = options.retryAfterMs;
    this.requestId = options.requestId;
  }

  /** No answer came within the time that one try may take. */
  static late(server: string, ms: number): StewardError {
    return new StewardError("UNREACHABLE", `${server} did not answer within ${String(ms)} ms`);
  }

  /**
   * Any thrown value as a StewardError: what `fetch`, or reading a body, rejects with means that the
   * connection failed.
   */
  static from(thrown: unknown, server: string): StewardError {
    if (thrown instanceof StewardError) return thrown;
    const foreign = foreignProtocol(thrown, server);
    if (foreign !== undefined) return new StewardError("BAD_RESPONSE", foreign, { cause: thrown });
    const message = `Cannot reach ${server}${systemCode(thrown)}`;
    return new StewardError("UNREACHABLE", message, { cause: thrown });
  }

  /**
   * Whether the same call may succeed later: nothing answered, or a server that is busy did. Payments that
   * are not configured are a 503 too, and will not be there in a moment.
   */
  get isTransient(): boolean {
    if (this.code === "PAYMENT_NOT_CONFIGURED") return false;
    return this.code === "UNREACHABLE" || this.status === 503 || this.status === 429;
  }
}

/** What answered speaks another protocol than the URL says: trying again changes nothing. */
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

/** `: ECONNREFUSED`, where the runtime says so in the error's cause. */
function systemCode(thrown: unknown): string {
  const code = causeCode(thrown);
  return code === "" ? "" : `: ${code}`;
}

function causeCode(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  const known = typeof cause === "object" && cause !== null && "code" in cause;
  return known && typeof cause.code === "string" ? cause.code : "";
}
