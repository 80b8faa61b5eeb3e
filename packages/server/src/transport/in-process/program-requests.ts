import type { ErrorCode } from "@steward/protocol";
import type { z } from "zod";
import { AppError } from "@steward/kernel/errors.js";
import { REQUEST_BYTES_MAX } from "../limits.js";
import { present } from "../../kernel/present.js";
import { requireModestJson } from "../rest/json-bounds.js";
import { zodValidation } from "../rest/validation/validation.js";

/**
 * Reads a body at once, as JSON: that bounds its size, drops members without a value, and makes a copy that the program
 * no longer changes. The result checks it as REST does.
 */
export function bodyCheck<Body>(schema: z.ZodType<Body>): (given: Body) => () => Body {
  const check = checkOf(schema, "body", "INVALID_PLAN");
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
      return check(JSON.parse(text));
    };
  };
}

/** The same for a query; members without a value are left out. */
export function queryCheck<Query extends object>(
  schema: z.ZodType<Query>,
): (given: Query) => () => Query {
  const check = checkOf(schema, "querystring", "INVALID_ARGUMENT");
  return (given) => {
    const query = present(given);
    return () => check(query);
  };
}

function checkOf<Value>(
  schema: z.ZodType<Value>,
  httpPart: "body" | "querystring",
  code: ErrorCode,
): (given: unknown) => Value {
  const validate = zodValidation(code)({ schema, httpPart });
  return (given) => {
    const checked = validate(given);
    if ("error" in checked) throw checked.error;
    // The schema has accepted the value.
    return checked.value as Value;
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
