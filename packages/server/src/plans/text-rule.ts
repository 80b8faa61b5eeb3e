import { overLimit, invalid, type PlanViolation } from "./violation.js";

/** How long a text may be: in characters (code points) or in bytes of UTF-8. */
export type TextLimit = { readonly charactersMax: number } | { readonly bytesMax: number };

/** Half of a pair of UTF-16 code units, which no encoding can carry. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What is wrong with a text of a plan, whatever it is for: at most one violation. */
export function textViolation(
  field: string,
  text: string,
  limit: TextLimit,
): PlanViolation | undefined {
  const tooLong = lengthViolation(field, text, limit);
  if (tooLong !== undefined) return tooLong;
  // Parsers and drivers end a text at a NUL, so that what runs would not be what was checked.
  if (text.includes("\0")) return invalid(field, "holds a NUL character, which no text may");
  if (LONE_SURROGATE.test(text)) return invalid(field, "is not valid Unicode");
  return undefined;
}

function lengthViolation(field: string, text: string, limit: TextLimit): PlanViolation | undefined {
  if ("bytesMax" in limit) {
    const bytes = Buffer.byteLength(text);
    return bytes > limit.bytesMax ? overLimit(field, bytes, limit.bytesMax, "bytes") : undefined;
  }
  const { charactersMax } = limit;
  // There are never more code points than code units, so that most texts need no counting.
  const characters = text.length > charactersMax ? Array.from(text).length : text.length;
  return characters > charactersMax
    ? overLimit(field, characters, charactersMax, "characters")
    : undefined;
}
