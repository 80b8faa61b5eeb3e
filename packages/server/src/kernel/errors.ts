import type { ErrorCode } from "@steward/protocol";
import { ERROR_TEXT_LENGTH_MAX } from "./limits.js";

/** What was wrong with one field of a request: `field` is a path such as `steps[2].depends_on[0]`. */
export interface FieldViolation {
  readonly field: string;
  readonly reason: string;
}

/** The parts of an {@link AppError} beside its code and message. */
export interface AppErrorOptions {
  /** What was wrong, field by field; sent to the caller. */
  readonly details?: readonly FieldViolation[];
  /** The error underneath: for the log, never for the caller. */
  readonly cause?: unknown;
  /** Set when trying the same request again can succeed; the time to wait first, in ms. */
  readonly retryAfterMs?: number;
}

/**
 * The one error this program throws on purpose. `message` is safe to show to the caller; whatever
 * must not leave the process belongs into `cause`.
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

  /** Any thrown value as an AppError: what is not one becomes `INTERNAL`, its text kept in `cause`. */
  static from(thrown: unknown): AppError {
    if (thrown instanceof AppError) return thrown;
    return new AppError("INTERNAL", "Internal error", { cause: thrown });
  }
}

/** A message may repeat what a request says, but not megabytes of it. */
function cut(text: string): string {
  if (text.length <= ERROR_TEXT_LENGTH_MAX) return text;
  const end = ERROR_TEXT_LENGTH_MAX - 1;
  // The first half of a character that takes two is no text.
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

/** One field of a request is wrong: an `INVALID_ARGUMENT` that names it and says what it must be. */
export function invalidField(field: string, reason: string): AppError {
  return new AppError("INVALID_ARGUMENT", `${field}: ${reason}`, { details: [{ field, reason }] });
}
