import { SEARCH_WORDS_MAX, WORD_ENTRIES_MAX } from "../limits.js";
import { compareHits, type Hit } from "./top-k.js";

/**
 * The words of a text by which entries are ranked, in lower case, without repetitions. Punctuation
 * separates words.
 */
export function queryWords(text: string): readonly string[] {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu));
  return [...words].slice(0, SEARCH_WORDS_MAX);
}

/** An entry that has words of a query. */
export interface WordMatch<Key> {
  readonly key: Key;
  /** The sum of the weights of its words. */
  readonly score: number;
}

/**
 * Ranks entries by the words of a query. A word weighs ln(1 + {@link WORD_ENTRIES_MAX} / n), where n
 * entries have it, so that rare words count most. A word in more entries than that says little about any of them and is
 * left out. When all words are that frequent, the newest entries that contain each of them are ranked. A search
 * therefore reads a bounded number of entries for each word, however many there are.
 * @param lists of each word, the newest entries that have it, at most {@link WORD_ENTRIES_MAX} + 1.
 * @returns the best `limit` entries and those that tie with the last of them, in no order.
 */
export function bestWordMatches<Key>(
  lists: readonly (readonly Key[])[],
  limit: number,
): readonly WordMatch<Key>[] {
  const rare = lists.filter((list) => list.length <= WORD_ENTRIES_MAX);
  const ranking = rare.some((list) => list.length > 0) ? rare : lists;
  const scores = new Map<Key, number>();
  for (const list of ranking) {
    const weight = Math.log1p(WORD_ENTRIES_MAX / list.length);
    for (const key of list) scores.set(key, (scores.get(key) ?? 0) + weight);
  }
  const least = [...scores.values()].sort((a, b) => b - a)[limit - 1] ?? 0;
  const matches: WordMatch<Key>[] = [];
  for (const [key, score] of scores) if (score >= least) matches.push({ key, score });
  return matches;
}

/** The ids of the first `limit` entries: the higher score, then the newer entry, then the smaller id. */
export function firstByWords(matches: readonly Hit[], limit: number): readonly string[] {
  return matches
    .toSorted(compareHits)
    .slice(0, limit)
    .map(({ entryId }) => entryId);
}
