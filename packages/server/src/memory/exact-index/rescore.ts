import { assert } from "@steward/kernel/assert.js";
import { cosineTo } from "./cosine.js";
import type { Suspect } from "./scan.js";
import { compareHits, TopK, type Hit } from "./top-k.js";
import type { IndexQuery, IndexSource } from "../vector-index.js";

/** Vectors read at once. */
const BATCH = 32;

/** The result of reading and scoring the suspects. */
export interface Rescored {
  readonly hits: readonly Hit[];
  /** Suspects whose entry was deleted. */
  readonly gone: readonly string[];
  /** Suspects whose vector has another length, or components that are not finite. */
  readonly damaged: readonly string[];
}

/**
 * Scores the suspects exactly, the highest upper bound first, until no upper bound reaches the score of
 * the last hit.
 * @param suspects by falling upper bound.
 */
export async function rescore(
  suspects: readonly Suspect[],
  query: IndexQuery,
  source: IndexSource,
): Promise<Rescored> {
  const { limit, scoreMin = -Infinity } = query;
  const cosine = cosineTo(query.vector);
  const scoreOf = (vector: Float32Array): number =>
    vector.length === query.vector.length ? cosine(vector) : NaN;
  const best = new TopK<Hit>(limit, compareHits);
  const gone: string[] = [];
  const damaged: string[] = [];
  for (let start = 0; start < suspects.length; start += BATCH) {
    const worst = best.last()?.score ?? scoreMin;
    // `>=`: a suspect whose exact score ties with the last hit's may still rank before it.
    const batch = suspects.slice(start, start + BATCH).filter(({ upper }) => upper >= worst);
    if (batch.length === 0) break;
    const entryIds = batch.map(({ entryId }) => entryId);
    const vectors = await source.vectors(entryIds, query.orgId);
    assert(vectors.length === batch.length, "the source answers for each id");
    for (const [index, { entryId, createdAtMs }] of batch.entries()) {
      const vector = vectors[index];
      if (vector === undefined) {
        gone.push(entryId);
        continue;
      }
      const hit = { entryId, createdAtMs, score: scoreOf(vector) };
      if (Number.isNaN(hit.score)) damaged.push(entryId);
      else if (hit.score >= scoreMin) best.add(hit);
    }
  }
  return { hits: best.items(), gone, damaged };
}
