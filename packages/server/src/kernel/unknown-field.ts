import { nearMiss } from "./near-miss.js";

/**
 * Longest name for which a similar known name is searched, in characters. No field's name comes
 * close.
 */
const NAME_LENGTH_MAX = 64;

/**
 * A suggestion for an unknown name: the known name that was probably meant, else the list of known
 * names.
 */
export function expectedInstead(name: string, known: readonly string[]): string {
  const meant = name.length > NAME_LENGTH_MAX ? undefined : fieldMeant(name, known);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return known.length === 0 ? "none is expected here" : `expected ${known.join(", ")}`;
}

/**
 * The known name that was misspelt, or whose words the given name contains: `step_id` means `id`.
 */
function fieldMeant(name: string, known: readonly string[]): string | undefined {
  const near = nearMiss(name, known);
  if (near !== undefined) return near;
  const words = new Set(wordsOf(name));
  return known.find((field) => wordsOf(field).every((word) => words.has(word)));
}

/** Splits a snake_case or camelCase name into words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_-]/);
}
