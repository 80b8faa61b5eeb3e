import { textDefect } from "../../kernel/text-defect.js";
import { overLimit, invalid, type PlanViolation } from "../violation.js";

/** Maximum length of a text: in characters (code points) or in bytes of UTF-8. */
export type TextLimit = { readonly charactersMax: number } | { readonly bytesMax: number };

/** The first violation of a plan's text, if any, independent of its purpose. */
export function textViolation(
  field: string,
  text: string,
  limit: TextLimit,
): PlanViolation | undefined {
  const tooLong = lengthViolation(field, text, limit);
  if (tooLong !== undefined) return tooLong;
  const defect = textDefect(text);
  return defect === undefined ? undefined : invalid(field, defect);
}

function lengthViolation(field: string, text: string, limit: TextLimit): PlanViolation | undefined {
  if ("bytesMax" in limit) {
    const bytes = Buffer.byteLength(text);
    return bytes > limit.bytesMax ? overLimit(field, bytes, limit.bytesMax, "bytes") : undefined;
  }
  const { charactersMax } = limit;
  // There are never more code points than code units, so most texts need no counting.
  const characters = text.length > charactersMax ? Array.from(text).length : text.length;
  return characters > charactersMax
    ? overLimit(field, characters, charactersMax, "characters")
    : undefined;
}
