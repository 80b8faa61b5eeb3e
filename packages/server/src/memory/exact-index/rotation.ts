/**
 * Rotates a vector, which spreads the magnitude of each component over many. The largest component
 * sets the step between two code levels, so without the rotation one outlier would make the codes
 * of all other components coarse. Random signs followed by a Walsh-Hadamard transform are
 * orthogonal, so dot products and norms do not change. Two overlapping windows cover a length that
 * is not a power of two. The order of operations is fixed, so that stored codes have the same bits
 * on every machine.
 */
export function rotate(vector: Float32Array): Float64Array {
  const rotated = new Float64Array(vector);
  const width = largestPowerOfTwo(vector.length);
  for (const start of new Set([0, vector.length - width])) {
    mix(rotated.subarray(start, start + width), start);
  }
  return rotated;
}

function largestPowerOfTwo(length: number): number {
  return 2 ** (31 - Math.clz32(length));
}

function mix(window: Float64Array, seed: number): void {
  const scale = 1 / Math.sqrt(window.length);
  for (let index = 0; index < window.length; index += 1) {
    const value = (window[index] ?? 0) * scale;
    window[index] = isNegative(index + seed) ? -value : value;
  }
  hadamard(window);
}

/** A pseudo-random sign: the top bit of a multiplicative hash (Knuth, TAOCP 6.4). */
function isNegative(index: number): boolean {
  return Math.imul(index + 1, 0x9e3779b1) < 0;
}

/** The unnormalised fast Walsh-Hadamard transform, in place. */
function hadamard(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let index = start; index < start + half; index += 1) {
        const a = values[index] ?? 0;
        const b = values[index + half] ?? 0;
        values[index] = a + b;
        values[index + half] = a - b;
      }
    }
  }
}
