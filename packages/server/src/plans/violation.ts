import type { ErrorCode } from "@steward/protocol";
import { AppError, type FieldViolation } from "@steward/kernel/errors.js";

/** One violation of a submitted plan, with the error code to use when it is the first one. */
export interface PlanViolation extends FieldViolation {
  readonly code: ErrorCode;
}

/** Maximum number of violations in one answer; the check stops there. */
const VIOLATIONS_MAX = 50;
/** Maximum length of a caller's text in a message, in characters. */
const QUOTED_LENGTH_MAX = 64;

/** An `INVALID_PLAN` violation, the default. */
export function invalid(field: string, reason: string): PlanViolation {
  return { code: "INVALID_PLAN", field, reason };
}

/** A `LIMIT_EXCEEDED` violation: a count, its bound, and the counted things. */
export function overLimit(field: string, count: number, max: number, unit: string): PlanViolation {
  return {
    code: "LIMIT_EXCEEDED",
    field,
    reason: `has ${String(count)} ${unit}; at most ${String(max)} are allowed`,
  };
}

/**
 * Runs a check to its end. @returns its return value when it yields nothing.
 * @throws AppError with the first violation's code and every violation as details, at most 50.
 */
export function runCheck<T>(check: Generator<PlanViolation, T>): T {
  const violations: PlanViolation[] = [];
  for (;;) {
    const next = check.next();
    if (next.done === true && violations.length === 0) return next.value;
    if (next.done !== true) violations.push(next.value);
    if (next.done === true || violations.length === VIOLATIONS_MAX) throw errorOf(violations);
  }
}

/** A caller's text, quoted and shortened for a message. */
export function quoted(text: string): string {
  return JSON.stringify(
    text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text,
  );
}

function errorOf(violations: readonly PlanViolation[]): AppError {
  const [first] = violations;
  const more = violations.length - 1;
  const others = more === 0 ? "" : ` (and ${String(more)} more, see details)`;
  return new AppError(
    first?.code ?? "INVALID_PLAN",
    `${first?.field ?? ""}: ${first?.reason ?? ""}${others}`,
    { details: violations.map(({ field, reason }) => ({ field, reason })) },
  );
}
