import { assert } from "../kernel/assert.js";

/**
 * Cosine similarity of two equally long vectors (Contract §4.4 rule 1, Decision §12): a float64 dot
 * product over the float32 components, in their order, divided by sqrt(|a|²·|b|²). Products of
 * float32 values are exact in float64 and neither overflow nor underflow, so identical vectors give
 * exactly 1 and the same input gives the same bits everywhere.
 * @returns a value in [-1, 1]; 0 when either norm is 0; NaN when a component is not finite.
 */
export function cosine(a: Float32Array, b: Float32Array): number {
  return cosineTo(a)(b);
}

/** `cosine` with its first argument fixed, whose norm is then computed once (Contract §4.4 rule 2). */
export function cosineTo(query: Float32Array): (vector: Float32Array) => number {
  const querySquare = dotProduct(query, query);
  return (vector) => {
    const square = querySquare * dotProduct(vector, vector);
    if (square === 0) return 0;
    return clamp(dotProduct(query, vector) / Math.sqrt(square));
  };
}

/** Sum of the products of the components, in their order, in float64. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  assert(a.length === b.length, "vectors that are compared have the same length");
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** Rounding can carry a cosine a few units beyond its range. */
function clamp(score: number): number {
  return score > 1 ? 1 : score < -1 ? -1 : score;
}
