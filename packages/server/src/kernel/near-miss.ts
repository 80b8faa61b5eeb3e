import { COMPARED_NAME_LENGTH_MAX } from "./limits.js";

/** Shortest word that is searched as a part of another one, in characters. */
const PART_LENGTH_MIN = 3;

/**
 * The candidate that a misspelt word most probably means, ignoring case. A candidate qualifies when
 * it is at most one edit per three letters away, or when one of the two words contains the other
 * (`email` and `email_address`). A candidate that differs only in case and separators
 * (`InvoiceLine` and `invoice_line`) wins over all others. Words of more than
 * {@link COMPARED_NAME_LENGTH_MAX} characters are not compared: callers choose their length, and the
 * distance of two words costs the product of their lengths.
 * @returns `undefined` when no candidate qualifies; the first one of a tie.
 */
export function nearMiss(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > COMPARED_NAME_LENGTH_MAX) return undefined;
  const [lower, letters] = [word.toLowerCase(), lettersOf(word)];
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > COMPARED_NAME_LENGTH_MAX) continue;
    const distance =
      letters === lettersOf(candidate)
        ? 0
        : Math.max(1, distanceOf(lower, candidate.toLowerCase(), bestDistance));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Removes case and separators from a word. */
function lettersOf(word: string): string {
  return word.toLowerCase().replaceAll(/[_\- ]/g, "");
}

/**
 * Edit distance of two words. The computation stops early when the distance reaches `limit`, and
 * returns at least `limit` then.
 */
function distanceOf(word: string, candidate: string, limit: number): number {
  const [short, long] = word.length < candidate.length ? [word, candidate] : [candidate, word];
  const difference = long.length - short.length;
  if (short.length >= PART_LENGTH_MIN && long.includes(short)) return Math.min(1, difference);
  return difference >= limit ? limit : editDistance(word, candidate, limit);
}

/**
 * Edit distance by optimal string alignment: insertions, deletions, substitutions and
 * transpositions. It stops when two rows in succession reach `limit`, because a transposition looks
 * back two rows, and no further.
 */
function editDistance(a: string, b: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  let isPreviousFar = false;
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(beforePrevious, j - 2) + 1
          : Infinity;
      const distance = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, replaced, swapped);
      current.push(distance);
      least = Math.min(least, distance);
    }
    const isFar = least >= limit;
    if (isFar && isPreviousFar) return limit;
    isPreviousFar = isFar;
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
