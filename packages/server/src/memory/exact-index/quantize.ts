/** A vector approximated by `step` times small integers, and the error of the approximation. */
export interface Quantized {
  /** One integer for each component, in magnitude at most `levelMax`. */
  readonly levels: Int16Array;
  /** The difference between two neighbouring levels; 0 for the zero vector. */
  readonly step: number;
  /** Norm of the vector. */
  readonly norm: number;
  /** Norm of `step * levels`. */
  readonly reach: number;
  /** Norm of the vector less `step * levels`. */
  readonly residual: number;
}

/** Rounds every component to the nearest of `2 * levelMax + 1` evenly spaced levels. */
export function quantize(vector: Float64Array, levelMax: number): Quantized {
  const levels = new Int16Array(vector.length);
  const step = largestMagnitude(vector) / levelMax;
  let square = 0;
  let levelSquare = 0;
  let residualSquare = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] ?? 0;
    const level = step === 0 ? 0 : clamp(Math.round(value / step), levelMax);
    const left = value - step * level;
    levels[index] = level;
    square += value * value;
    levelSquare += level * level;
    residualSquare += left * left;
  }
  return {
    levels,
    step,
    norm: Math.sqrt(square),
    reach: step * Math.sqrt(levelSquare),
    residual: Math.sqrt(residualSquare),
  };
}

function largestMagnitude(vector: Float64Array): number {
  return vector.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
}

function clamp(level: number, levelMax: number): number {
  return Math.max(-levelMax, Math.min(levelMax, level));
}
