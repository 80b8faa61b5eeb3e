import type { ErrorCode } from "@steward/protocol";
import { $ZodType, safeParse, type $ZodIssue } from "zod/v4/core";
import { assert } from "../../kernel/assert.js";
import { AppError, type FieldViolation } from "../../kernel/errors.js";

/** Wrong fields named in one answer: enough to repair a request by, however wrong it is. */
const VIOLATIONS_MAX = 100;

/** One part of a request to check, as Fastify names it. */
interface RoutePart {
  readonly schema: unknown;
  /** `body`, `querystring` or `params`. */
  readonly httpPart?: string;
}

/** The checked value, or why it is none. */
type Checked = { readonly value: unknown } | { readonly error: AppError };

/**
 * Checks bodies, queries and paths against their schemas. A value of the wrong shape is an AppError
 * of this code whose details name each field (Decision §4).
 */
export function zodValidation(code: ErrorCode): (part: RoutePart) => (value: unknown) => Checked {
  return ({ schema, httpPart }) =>
    (value) => {
      assert(schema instanceof $ZodType, "routes are described by zod schemas");
      const result = safeParse(schema, value);
      if (result.success) return { value: result.data };
      return { error: invalid(code, httpPart ?? "request", result.error.issues) };
    };
}

function invalid(code: ErrorCode, part: string, issues: readonly $ZodIssue[]): AppError {
  const details = issues.slice(0, VIOLATIONS_MAX).map((issue) => violationOf(issue, part));
  const [first] = details;
  const message = first === undefined ? `Invalid ${part}` : `${first.field}: ${first.reason}`;
  return new AppError(code, message, { details });
}

function violationOf(issue: $ZodIssue, part: string): FieldViolation {
  const field = issue.path.reduce<string>(
    (path, key) => (typeof key === "number" ? `${path}[${String(key)}]` : join(path, String(key))),
    "",
  );
  return { field: field === "" ? part : field, reason: reasonOf(issue) };
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** zod's own words, without the ones every message starts with. */
function reasonOf({ message }: $ZodIssue): string {
  const reason = message.replace(/^Invalid (input|option): /, "");
  return reason.replace(/, received undefined$/, ", but it is missing");
}
