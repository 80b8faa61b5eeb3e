/** One half of a pair of UTF-16 code units, which no encoding can carry. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What is wrong with a text that holds a NUL character. */
export const NUL_DEFECT = "holds a NUL character, which no text may";

/**
 * Why no text of a request may be like this one. PostgreSQL cannot store a NUL, parsers and drivers end
 * a text there, and a lone surrogate becomes another character as soon as it is encoded.
 */
export function textDefect(text: string): string | undefined {
  if (text.includes("\0")) return NUL_DEFECT;
  return LONE_SURROGATE.test(text) ? "is not valid Unicode" : undefined;
}
