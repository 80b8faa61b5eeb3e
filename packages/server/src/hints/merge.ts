import type { Correction } from "./correction.js";

/**
 * The hints of a failure with its corrections. A correction replaces what the data source has guessed,
 * unless both name the same candidate.
 */
export function withCorrections(
  hints: readonly string[],
  message: string,
  corrections: readonly Correction[],
): readonly string[] {
  const [first, ...rest] = corrections;
  if (first === undefined) return hints;
  const own = hints.find((hint) => hint.startsWith(message));
  if (own !== undefined && isSame(own, first.sentence)) return hints;
  const others = hints.filter((hint) => hint !== own);
  return [`${message}. ${first.sentence}`, ...rest.map(({ sentence }) => sentence), ...others];
}

/** Whether a data source's `did you mean name?` names the fragment that a sentence advises. */
function isSame(hint: string, sentence: string): boolean {
  const meant = /; did you mean (.+?)\?/.exec(hint)?.[1];
  const fragment = /^Use `(.+?)`/.exec(sentence)?.[1];
  return meant !== undefined && (fragment === meant || fragment?.endsWith(`.${meant}`) === true);
}

/** Hints without those that begin with the error, because these may name columns of any kind. */
export function withoutNames(hints: readonly string[], message: string): readonly string[] {
  return hints.filter((hint) => !hint.startsWith(message));
}
