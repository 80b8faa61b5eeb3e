import { assert } from "@steward/kernel/assert.js";

/**
 * Cosine similarity of a query vector and equally long vectors (Contract §4.4 rules 1 and 2, Decision
 * §12): a float64 dot product over the float32 components, in their order, divided by sqrt(|a|²·|b|²).
 * The query's norm is computed once. Products of
 * float32 values are exact in float64 and neither overflow nor underflow, so identical vectors give
 * exactly 1 and the same input gives the same bits everywhere.
 * @returns a value in [-1, 1]; 0 when either norm is 0; NaN when a component is not finite.
 */
export function cosineTo(query: Float32Array): (vector: Float32Array) => number {
  const querySquare = squareOf(query);
  return (vector) => {
    assert(query.length === vector.length, "vectors that are compared have the same length");
    let dot = 0;
    let square = 0;
    for (let index = 0; index < query.length; index += 1) {
      const component = vector[index] ?? 0;
      dot += (query[index] ?? 0) * component;
      square += component * component;
    }
    const squares = querySquare * square;
    return squares === 0 ? 0 : clamp(dot / Math.sqrt(squares));
  };
}

function squareOf(vector: Float32Array): number {
  return vector.reduce((sum, component) => sum + component * component, 0);
}

/** Rounding can move a cosine slightly out of its range. */
function clamp(score: number): number {
  return score > 1 ? 1 : score < -1 ? -1 : score;
}
