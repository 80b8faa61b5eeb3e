import type { Infer } from "@steward/operations";
import type { ErrorCode } from "@steward/protocol";
import type { z } from "zod";
import { AppError } from "@steward/kernel/errors.js";
import { REQUEST_BYTES_MAX } from "../limits.js";
import { present } from "../../kernel/present.js";
import { requireModestJson } from "../rest/json-bounds.js";
import { zodValidation } from "../rest/validation/validation.js";

/** Reads a body at once, as {@link jsonCheck} does. The result checks it as REST does. */
export function bodyCheck<Schema extends z.ZodType>(
  schema: Schema,
): (given: Infer<Schema>) => () => Infer<Schema> {
  return jsonCheck(checkOf(schema, "body", "INVALID_PLAN"));
}

/**
 * Reads a request at once, as JSON: that bounds its size, drops members without a value, and makes a copy that the
 * program no longer changes. The result checks the copy.
 */
export function jsonCheck<Input>(check: (copy: object) => Input): (given: unknown) => () => Input {
  return (given) => {
    const text = jsonOf(given);
    return () => {
      if (text instanceof AppError) throw text;
      const bytes = Buffer.from(text);
      if (bytes.length > REQUEST_BYTES_MAX) {
        const most = String(REQUEST_BYTES_MAX / 1024 / 1024);
        throw new AppError("LIMIT_EXCEEDED", `The request is larger than ${most} MiB as JSON`);
      }
      requireModestJson(bytes);
      return check(JSON.parse(text) as object);
    };
  };
}

/** Checks the members of a query by its schema; members without a value are left out. */
export function queryCheck<Schema extends z.ZodType<object>>(
  schema: Schema,
): (given: Infer<Schema>) => () => Infer<Schema> {
  const check = checkOf(schema, "querystring", "INVALID_ARGUMENT");
  return (given) => {
    const query = present(given);
    return () => check(query);
  };
}

function checkOf<Schema extends z.ZodType>(
  schema: Schema,
  httpPart: "body" | "querystring",
  code: ErrorCode,
): (given: unknown) => Infer<Schema> {
  const validate = zodValidation(code)({ schema, httpPart });
  return (given) => {
    const checked = validate(given);
    if ("error" in checked) throw checked.error;
    // The schema has accepted the value.
    return checked.value as Infer<Schema>;
  };
}

/** The value as JSON, or the error of a request that is none. */
function jsonOf(value: unknown): string | AppError {
  try {
    // In a list, what JSON has no word for becomes null.
    return JSON.stringify([value]).slice(1, -1);
  } catch (cause) {
    return new AppError("INVALID_ARGUMENT", "The request cannot be written as JSON", { cause });
  }
}
