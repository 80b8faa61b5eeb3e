import { compareHits, type Hit } from "./top-k.js";

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
    const vector = index + 1;
    fused.set(hit.entryId, { ...hit, ranks: { vector, fused: share(vector) } });
  }
  for (const [index, hit] of byText.entries()) {
    const text = index + 1;
    const ranks = fused.get(hit.entryId)?.ranks;
    fused.set(hit.entryId, {
      ...hit,
      ranks: { ...ranks, text, fused: (ranks?.fused ?? 0) + share(text) },
    });
  }
  return [...fused.values()].sort((a, b) => fusedOf(b) - fusedOf(a) || compareHits(a, b));
}

function share(rank: number): number {
  return 1 / (K + rank);
}

function fusedOf(hit: Hit): number {
  return hit.ranks?.fused ?? 0;
}
