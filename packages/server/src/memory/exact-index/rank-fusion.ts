import { compareHits, type Hit, type Ranks } from "./top-k.js";

/**
 * Reduces the weight of the first ranks, so that one list alone does not decide (Cormack et al.,
 * 2009).
 */
const K = 60;

/**
 * Reciprocal rank fusion of two lists, each best first. Equally ranked hits are ordered as by
 * score. Scores remain cosines.
 */
export function fuse(byVector: readonly Hit[], byText: readonly Hit[]): readonly Hit[] {
  const fused = new Map<string, Hit>();
  for (const [index, hit] of byVector.entries()) {
    fused.set(hit.entryId, { ...hit, ranks: fusedRanks({ vector: index + 1 }) });
  }
  for (const [index, hit] of byText.entries()) {
    const { vector } = fused.get(hit.entryId)?.ranks ?? {};
    const ranks = fusedRanks({ ...(vector === undefined ? {} : { vector }), text: index + 1 });
    fused.set(hit.entryId, { ...hit, ranks });
  }
  return [...fused.values()].sort(compareFused);
}

/**
 * Fuses what is left of fused hits once more, with ranks among each other: gaps in the ranks would
 * tell of the hits that were taken out.
 * @param depth entries of each list at most.
 */
export function fusedAgain<Item extends Hit>(
  hits: readonly Item[],
  depth: number,
): readonly Item[] {
  const listed = (by: "vector" | "text"): ReadonlyMap<string, number> => {
    const ranked = hits.filter(({ ranks }) => ranks?.[by] !== undefined);
    ranked.sort((a, b) => (a.ranks?.[by] ?? 0) - (b.ranks?.[by] ?? 0));
    return new Map(ranked.slice(0, depth).map(({ entryId }, index) => [entryId, index + 1]));
  };
  const [byVector, byText] = [listed("vector"), listed("text")];
  return hits
    .filter(({ entryId }) => byVector.has(entryId) || byText.has(entryId))
    .map((hit) => {
      const [vector, text] = [byVector.get(hit.entryId), byText.get(hit.entryId)];
      return { ...hit, ranks: fusedRanks({ ...(vector && { vector }), ...(text && { text }) }) };
    })
    .sort(compareFused);
}

/** The ranks with the sort key that follows from them. */
function fusedRanks(ranks: Pick<Ranks, "vector" | "text">): Ranks {
  return { ...ranks, fused: share(ranks.vector) + share(ranks.text) };
}

/** Order of fused hits: the higher sort key, then as {@link compareHits}. */
function compareFused(a: Hit, b: Hit): number {
  return fusedOf(b) - fusedOf(a) || compareHits(a, b);
}

function share(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (K + rank);
}

function fusedOf(hit: Hit): number {
  return hit.ranks?.fused ?? 0;
}
