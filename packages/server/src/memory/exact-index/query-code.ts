import { quantize } from "./quantize.js";
import { rotate } from "./rotation.js";
import { CODE_MAX } from "./vector-code.js";

/**
 * A query prepared for the filter, which bounds its cosine with a stored vector by
 *
 *     gain * (levels · codes) * scale  ±  (reach * residual + slack)
 *
 * Proof. Let q̃ = t·k + f be the rotated query, k its levels, and r̃ = s·c + e a rotated stored vector,
 * c its codes. Rotation keeps products and norms, so the cosine is q̃·r̃ / |q||r|, and
 *
 *     q̃·r̃ - (t·k)·(s·c)  =  f·r̃ + (t·k)·e  ≤  |f||r| + |t·k||e|        (Cauchy-Schwarz)
 *
 * Divided by |q||r|: with gain = t/|q|, scale = s/|r|, reach = |t·k|/|q| and residual = |e|/|r| that is
 * the bound above, its slack |f|/|q| but for rounding; the same holds with the signs turned.
 */
export interface QueryCode {
  readonly levels: Int16Array;
  readonly gain: number;
  readonly reach: number;
  readonly slack: number;
}

/**
 * Upper bound of the rounding error, for at most `EMBEDDING_DIMENSION_MAX` = 2^14 components.
 * `scale` is a float32 (one part in 2^24) of an estimate whose magnitude is at most reach * (1 +
 * residual) < 2, as residual ≤ sqrt(2^14) / 254 and |f|/|q| ≤ 1/64. That makes 2^-23. Everything
 * else, including the score that is compared with the bound, is float64, with sums of at most 2^14
 * terms that have errors of a few times 2^14 · 2^-53. Together these are far below 2^-30, so the
 * sum is below 2^-22.
 */
const ROUNDING_SLACK = 2 ** -22;

/** The code of a query whose components are finite and whose norm is not 0. */
export function encodeQuery(query: Float32Array): QueryCode {
  const { levels, step, norm, reach, residual } = quantize(
    rotate(query),
    queryLevelMax(query.length),
  );
  return {
    levels,
    gain: step / norm,
    reach: reach / norm,
    slack: residual / norm + ROUNDING_SLACK,
  };
}

/**
 * The finest levels for which a 32-bit sum cannot overflow. The WASM kernel takes eight components
 * at a time and adds each pair of products to one of four sums, so a sum holds two products for
 * every eight components.
 */
export function queryLevelMax(dimension: number): number {
  const productsPerSum = 2 * Math.ceil(dimension / 8);
  return Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / (CODE_MAX * productsPerSum)));
}
