import { AppError } from "../kernel/errors.js";
import type { IdentityHeaders } from "./services.js";

/**
 * The text of one header, or `undefined` when it is absent or empty. A header sent twice reads as
 * one list, as RFC 9110 §5.3 joins it.
 * @param lengthMax In characters.
 * @throws AppError `INVALID_ARGUMENT` when it is longer, or holds control characters.
 */
export function headerText(
  headers: IdentityHeaders,
  name: string,
  lengthMax: number,
): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  const text = (typeof value === "string" ? value : value.join(",")).trim();
  if (text === "") return undefined;
  if (text.length > lengthMax) {
    throw malformedHeader(name, `it is longer than ${String(lengthMax)} characters`);
  }
  if (CONTROL_CHARACTER.test(text)) throw malformedHeader(name, "it holds a control character");
  return text;
}

/** An `INVALID_ARGUMENT` that names the header. */
export function malformedHeader(name: string, reason: string): AppError {
  return new AppError("INVALID_ARGUMENT", `The header ${name} is malformed: ${reason}`, {
    details: [{ field: name, reason }],
  });
}

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
