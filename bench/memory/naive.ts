import { rowOf, type VectorSet } from "./vectors.js";

/** A row and its cosine. */
export interface NaiveHit {
  readonly row: number;
  readonly score: number;
}

/**
 * Compares every vector in float64, as the contract says. Rows count as created in their order, so
 * among equal scores the newer comes first.
 */
export function naiveSearch(
  set: VectorSet,
  query: Float32Array,
  limit: number,
  isCandidate: (row: number) => boolean,
): readonly NaiveHit[] {
  const hits: NaiveHit[] = [];
  const querySquare = product(query, query);
  for (let row = 0; row < set.rows; row += 1) {
    if (!isCandidate(row)) continue;
    const vector = rowOf(set, row);
    const square = querySquare * product(vector, vector);
    const cosine = square === 0 ? 0 : product(query, vector) / Math.sqrt(square);
    hits.push({ row, score: Math.max(-1, Math.min(1, cosine)) });
  }
  return hits.sort((a, b) => b.score - a.score || b.row - a.row).slice(0, limit);
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
