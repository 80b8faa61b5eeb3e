/** The distribution of a run's vectors. */
export type VectorKind = "random" | "clustered";

/** Consecutive float32 vectors. */
export interface VectorSet {
  readonly data: Float32Array;
  readonly dimension: number;
  readonly rows: number;
}

/** Rows around one centre, in clustered data. */
const CLUSTER_ROWS = 1000;

/** Equal vectors for equal seeds; `clustered` ones lie around centres, like texts on a topic. */
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

/** Approximately normal numbers from xorshift32. */
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
