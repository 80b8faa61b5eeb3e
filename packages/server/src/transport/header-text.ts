import { AppError } from "@steward/kernel/errors.js";
import type { IdentityHeaders } from "./services.js";

/** Maximum length of the id of a user or an agent, in characters. */
export const ID_LENGTH_MAX: number = 255;
/**
 * Maximum length of an API key or a token, in characters: Node's limit for all headers together.
 */
export const CREDENTIAL_LENGTH_MAX: number = 16 * 1024;
/** Maximum length of a role, a list of permissions or the proxy secret, in characters. */
export const HEADER_LENGTH_MAX: number = 4096;

/**
 * The text of one header, or `undefined` when it is absent or empty.
 * @param lengthMax In characters.
 * @throws AppError `INVALID_ARGUMENT` when it is too long, contains control characters, or was sent
 * more than once: a proxy that adds its own header leaves the client's in place, and the two cannot
 * be told apart.
 */
export function headerText(
  headers: IdentityHeaders,
  name: string,
  lengthMax: number,
): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw malformedHeader(name, "it is sent more than once");
  const text = value.trim();
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
