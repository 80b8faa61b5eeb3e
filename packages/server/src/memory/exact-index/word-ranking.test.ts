import { describe, expect, it } from "vitest";
import { WORD_ENTRIES_MAX } from "../limits.js";
import { bestWordMatches, firstByWords, queryWords } from "./word-ranking.js";

/** `count` entries, from `first` downwards: the newest first. */
function entries(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_entry, index) => first - index);
}

function keysOf(lists: readonly (readonly number[])[], limit: number): readonly number[] {
  return bestWordMatches(lists, limit)
    .map(({ key }) => key)
    .toSorted((a, b) => a - b);
}

describe("the words of a query", () => {
  it("are each taken once, whatever their case, and punctuation separates them", () => {
    expect(queryWords('Paid, "paid" invoice_7 (OR)')).toEqual(["paid", "invoice", "7", "or"]);
    expect(queryWords("?!")).toEqual([]);
  });
});

describe("ranking by words", () => {
  it("sums the words of an entry, and a rare word counts more than two frequent ones", () => {
    const lists = [entries(400, 400), entries(401, 400), [5]];
    const matches = new Map(bestWordMatches(lists, 2000).map(({ key, score }) => [key, score]));
    expect(matches.get(5)).toBeGreaterThan(matches.get(400) ?? Infinity);
    expect(matches.get(400)).toBeGreaterThan(matches.get(401) ?? Infinity);
    expect(keysOf(lists, 1)).toEqual([5]);
  });

  it("leaves out a word that too many entries have, unless there is no other", () => {
    const frequent = entries(5000, WORD_ENTRIES_MAX + 1);
    expect(keysOf([frequent, [7, 4999]], 10)).toEqual([7, 4999]);
    expect(bestWordMatches([frequent, [7]], 10)).toEqual(bestWordMatches([[7]], 10));
    expect(keysOf([frequent, []], 10)).toHaveLength(WORD_ENTRIES_MAX + 1);
    expect(keysOf([frequent, entries(5000, WORD_ENTRIES_MAX + 2)], 1)).toHaveLength(
      WORD_ENTRIES_MAX + 1,
    );
  });

  it("keeps all entries that tie with the last one", () => {
    expect(keysOf([[3, 2, 1], [3]], 2)).toEqual([1, 2, 3]);
    expect(keysOf([[3, 2, 1], [3]], 1)).toEqual([3]);
  });

  it("puts the newer of two equal entries first, then the smaller id", () => {
    const match = (entryId: string, createdAtMs: number) => ({ entryId, createdAtMs, score: 1 });
    const matches = [match("b", 1), match("a", 1), match("c", 2)];
    expect(firstByWords(matches, 2)).toEqual(["c", "a"]);
  });
});
