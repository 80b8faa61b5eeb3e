/** How the vectors of a run are made. */
export type VectorKind = "random" | "clustered";

/** Vectors one after the other, float32. */
export interface VectorSet {
  readonly data: Float32Array;
  readonly dimension: number;
  readonly rows: number;
}

/** Rows around one centre, in clustered data. */
const CLUSTER_ROWS = 1000;

/** The same vectors for the same seed; `clustered` ones lie around centres, as topics do. */
export function makeVectors(
  kind: VectorKind,
  rows: number,
  dimension: number,
  seed: number,
): VectorSet {
  const random = gaussian(seed);
  const data = new Float32Array(rows * dimension);
  const centre = new Float32Array(dimension);
  for (let row = 0; row < rows; row += 1) {
    if (kind === "clustered" && row % CLUSTER_ROWS === 0) fill(centre, () => 2 * random());
    const vector = rowOf({ data, dimension, rows }, row);
    fill(vector, (component) => (centre[component] ?? 0) + random());
  }
  return { data, dimension, rows };
}

/** A view of one vector. */
export function rowOf(set: VectorSet, row: number): Float32Array {
  return set.data.subarray(row * set.dimension, (row + 1) * set.dimension);
}

function fill(vector: Float32Array, component: (index: number) => number): void {
  for (let index = 0; index < vector.length; index += 1) vector[index] = component(index);
}

/** Nearly normal numbers from xorshift32. */
function gaussian(seed: number): () => number {
  let state = seed | 1;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return () => uniform() + uniform() + uniform() + uniform() - 2;
}
