import { nearMiss } from "./near-miss.js";

/** Longest name for which a near miss is looked for; no field is nearly as long. */
const NAME_LENGTH_MAX = 64;

/** What to write instead of an unknown name: the known one that was probably meant, or which there are. */
export function expectedInstead(name: string, known: readonly string[]): string {
  const meant = name.length > NAME_LENGTH_MAX ? undefined : fieldMeant(name, known);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return known.length === 0 ? "none is expected here" : `expected ${known.join(", ")}`;
}

/** A misspelt field, or one whose words include all words of the known one: `step_id` and `id`. */
function fieldMeant(name: string, known: readonly string[]): string | undefined {
  const near = nearMiss(name, known);
  if (near !== undefined) return near;
  const words = new Set(wordsOf(name));
  return known.find((field) => wordsOf(field).every((word) => words.has(word)));
}

/** The words of a name in snake case or in camel case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_-]/);
}
