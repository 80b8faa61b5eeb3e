import { assert } from "../kernel/assert.js";
import { cosineTo } from "./cosine.js";
import type { Suspect } from "./scan.js";
import { compareHits, TopK, type Hit } from "./top-k.js";
import type { IndexQuery, IndexSource } from "./vector-index.js";

/** Vectors read at once. */
const BATCH = 16;

/** What reading and scoring the suspects came to. */
export interface Rescored {
  readonly hits: readonly Hit[];
  /** Suspects whose entry is gone. */
  readonly gone: readonly string[];
  /** Suspects whose vector has another length, or components that are not finite. */
  readonly damaged: readonly string[];
}

/**
 * Scores the suspects exactly, the most promising first, until no bound reaches the last hit's score.
 * @param suspects by falling upper bound.
 */
export async function rescore(
  suspects: readonly Suspect[],
  query: IndexQuery,
  source: IndexSource,
): Promise<Rescored> {
  const score = cosineTo(query.vector);
  const best = new TopK<Hit>(query.limit, compareHits);
  const gone: string[] = [];
  const damaged: string[] = [];
  for (let start = 0; start < suspects.length; start += BATCH) {
    const worst = best.last()?.score ?? query.scoreMin ?? -Infinity;
    // A bound that equals the score may belong to a tie that comes first.
    const batch = suspects.slice(start, start + BATCH).filter(({ upper }) => upper >= worst);
    if (batch.length === 0) break;
    const vectors = await source.vectors(batch.map(({ entryId }) => entryId));
    assert(vectors.length === batch.length, "the source answers for each id");
    for (const [index, { entryId, createdAtMs }] of batch.entries()) {
      const vector = vectors[index];
      if (vector === undefined) gone.push(entryId);
      else if (!isWhole(vector, query.vector.length)) damaged.push(entryId);
      else add(best, { entryId, createdAtMs, score: score(vector) }, query.scoreMin);
    }
  }
  return { hits: best.items(), gone, damaged };
}

/** Whether a stored vector can be compared at all. */
export function isWhole(vector: Float32Array, dimension: number): boolean {
  return vector.length === dimension && vector.every(Number.isFinite);
}

function add(best: TopK<Hit>, hit: Hit, scoreMin: number | undefined): void {
  if (scoreMin === undefined || hit.score >= scoreMin) best.add(hit);
}
