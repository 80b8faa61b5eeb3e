import type { ErrorCode } from "@steward/protocol";
import { $ZodObject, $ZodType, safeParse, type $ZodIssue, type $ZodRawIssue } from "zod/v4/core";
import { assert } from "@steward/kernel/assert.js";
import { AppError, type FieldViolation } from "@steward/kernel/errors.js";
import { expectedInstead } from "../../../kernel/unknown-field.js";
import { issueReason, valueAt } from "./issue-reason.js";
import { fieldPath, fieldWithin } from "./field-path.js";
import { textViolations } from "./text-violations.js";

/** Maximum number of invalid fields in one answer, which is enough to repair any request. */
const VIOLATIONS_MAX = 100;

/** Maximum length of an unknown field's name in a message, in characters. */
const NAME_SHOWN_MAX = 64;

/** One part of a request to check, in Fastify's terms. */
interface RoutePart {
  readonly schema: unknown;
  /** `body`, `querystring` or `params`. */
  readonly httpPart?: string;
  /** The route's path. */
  readonly url?: string;
}

/** The checked value, or the error. */
type Checked = { readonly value: unknown } | { readonly error: AppError };

/**
 * Validates bodies, queries and paths with their schemas. An invalid value is an AppError whose
 * details name each field (Decision §4).
 * @param code of errors in a body; elsewhere it is `INVALID_ARGUMENT`.
 * @param bodyName The name of a body that is itself a list in field paths: `events` in
 * `events[0].id`.
 */
export function zodValidation(
  code: ErrorCode,
  bodyName = "",
): (part: RoutePart) => (value: unknown) => Checked {
  return ({ schema, httpPart, url = "" }) =>
    (value) => {
      assert(schema instanceof $ZodType, "routes are described by zod schemas");
      const known: KnownFields = new Map();
      const result = safeParse(schema, value, { error: (issue) => noteKnownFields(issue, known) });
      const isBody = httpPart === "body";
      const part = { name: httpPart ?? "request", root: isBody ? bodyName : "", value };
      const wrong = isBody ? code : "INVALID_ARGUMENT";
      if (!result.success) return { error: invalid(wrong, part, result.error.issues, known) };
      // The texts of path parameters are not checked here: a route answers an impossible id like an
      // unknown one, with 404.
      const texts = httpPart === "params" ? [] : textViolations(result.data, part, url);
      return texts.length === 0 ? { value: result.data } : { error: refused(wrong, part, texts) };
    };
}

/** A part of a request: its name, the prefix of its fields, and its value. */
interface Part {
  readonly name: string;
  readonly root: string;
  readonly value: unknown;
}

/** The allowed fields of an object with unknown ones, by the object's path. */
type KnownFields = Map<string, readonly string[]>;

function noteKnownFields(issue: $ZodRawIssue, known: KnownFields): undefined {
  if (issue.code !== "unrecognized_keys" || !(issue.inst instanceof $ZodObject)) return;
  known.set(fieldPath(issue.path ?? []), Object.keys(issue.inst._zod.def.shape));
}

function invalid(
  code: ErrorCode,
  part: Part,
  issues: readonly $ZodIssue[],
  known: KnownFields,
): AppError {
  const details: FieldViolation[] = [];
  for (const issue of issues) {
    const room = VIOLATIONS_MAX - details.length;
    if (room === 0) break;
    details.push(...violationsOf(issue, part, known, room));
  }
  return refused(code, part, details);
}

function refused(code: ErrorCode, part: Part, violations: readonly FieldViolation[]): AppError {
  const details = violations.slice(0, VIOLATIONS_MAX);
  const [first] = details;
  const message = first === undefined ? `Invalid ${part.name}` : `${first.field}: ${first.reason}`;
  return new AppError(code, message, { details });
}

function violationsOf(
  issue: $ZodIssue,
  part: Part,
  known: KnownFields,
  room: number,
): readonly FieldViolation[] {
  const path = fieldPath(issue.path, part.root);
  if (issue.code !== "unrecognized_keys") {
    // Fastify uses null for a missing body.
    const given = valueAt(part.value ?? undefined, issue.path);
    const reason = issueReason(issue, given);
    return [{ field: path === "" ? part.name : path, reason }];
  }
  const fields = known.get(fieldPath(issue.path)) ?? [];
  return issue.keys.slice(0, room).map((key) => {
    const shown = key.length <= NAME_SHOWN_MAX ? key : `${key.slice(0, NAME_SHOWN_MAX)}…`;
    return {
      field: fieldWithin(path, shown),
      reason: `unknown field; ${expectedInstead(key, fields)}`,
    };
  });
}
