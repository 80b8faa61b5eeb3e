/** An unpaired UTF-16 surrogate, which no encoding can represent. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The reason given for a text with a NUL character. */
export const NUL_DEFECT = "holds a NUL character, which is not allowed";

/**
 * The reason why a text is not acceptable in a request; `undefined` for an acceptable text. A NUL
 * is refused because PostgreSQL cannot store it and parsers and drivers end a text at it. An
 * unpaired surrogate is refused because encoding replaces it.
 */
export function textDefect(text: string): string | undefined {
  if (text.includes("\0")) return NUL_DEFECT;
  return LONE_SURROGATE.test(text) ? "is not valid Unicode" : undefined;
}
