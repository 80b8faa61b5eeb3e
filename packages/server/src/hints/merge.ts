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

/**
 * Whether a data source's `did you mean name?` names the fragment that a sentence advises. A message in another language
 * may not name what is wrong.
 */
function isSame(hint: string, sentence: string): boolean {
  const [said = "", meant] = /^(.*); did you mean (.+?)\?/s.exec(hint)?.slice(1) ?? [];
  const [fragment, written = ""] = /^Use `(.+?)` instead of `(.+?)`/.exec(sentence)?.slice(1) ?? [];
  // A name in quotes is not in the message as the statement writes it.
  if (written.includes('"')) return false;
  if (!said.includes(written.slice(written.lastIndexOf(".") + 1))) return false;
  return meant !== undefined && (fragment === meant || fragment?.endsWith(`.${meant}`) === true);
}

/** Hints without those that begin with the error, because these may name columns of any kind. */
export function withoutNames(hints: readonly string[], message: string): readonly string[] {
  return hints.filter((hint) => !hint.startsWith(message));
}
