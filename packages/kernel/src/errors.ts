import type { ErrorCode } from "@steward/protocol";
import { ERROR_TEXT_LENGTH_MAX } from "./limits.js";

/**
 * What is wrong with one field of a request. `field` is a path such as `steps[2].depends_on[0]`.
 */
export interface FieldViolation {
  readonly field: string;
  readonly reason: string;
}

export interface AppErrorOptions {
  /** The violations, field by field; sent to the caller. */
  readonly details?: readonly FieldViolation[];
  /** The underlying error. It goes to the log, never to the caller. */
  readonly cause?: unknown;
  /** Time to wait before a retry, in ms. Set only when retrying the same request can succeed. */
  readonly retryAfterMs?: number;
}

/**
 * The one error class that this program throws on purpose. `message` is safe to show to the caller;
 * details that must not leave the process belong in `cause`.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(cut(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = (options.details ?? []).map(({ field, reason }) => ({
      field: cut(field),
      reason: cut(reason),
    }));
    this.retryAfterMs = options.retryAfterMs;
  }

  /**
   * Converts any thrown value to an AppError. A value of another class becomes `INTERNAL`, with the
   * original in `cause`.
   */
  static from(thrown: unknown): AppError {
    if (thrown instanceof AppError) return thrown;
    return new AppError("INTERNAL", "Internal error", { cause: thrown });
  }
}

/** Shortens a message: it may quote a request, but not megabytes of it. */
function cut(text: string): string {
  if (text.length <= ERROR_TEXT_LENGTH_MAX) return text;
  const end = ERROR_TEXT_LENGTH_MAX - 1;
  // Do not end the text in the middle of a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

/**
 * An `INVALID_ARGUMENT` error for one field. It names the field and says what the value must be.
 */
export function invalidField(field: string, reason: string): AppError {
  return new AppError("INVALID_ARGUMENT", `${field}: ${reason}`, { details: [{ field, reason }] });
}
