/** Shortest word that is searched as a part of another one, in characters. */
const PART_LENGTH_MIN = 3;

/**
 * The candidate that a misspelt word most probably means, ignoring case. A candidate qualifies when
 * it is at most one edit per three letters away, or when one of the two words contains the other
 * (`email` and `email_address`). A candidate that differs only in case and separators
 * (`InvoiceLine` and `invoice_line`) wins over all others.
 * @returns `undefined` when no candidate qualifies; the first one of a tie.
 */
export function nearMiss(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance =
      lettersOf(word) === lettersOf(candidate)
        ? 0
        : Math.max(1, distanceOf(word.toLowerCase(), candidate.toLowerCase(), bestDistance));
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
  return difference >= limit ? limit : editDistance(word, candidate);
}

/**
 * Edit distance by optimal string alignment: insertions, deletions, substitutions and
 * transpositions.
 */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(beforePrevious, j - 2) + 1
          : Infinity;
      current.push(Math.min(at(previous, j) + 1, at(current, j - 1) + 1, replaced, swapped));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
