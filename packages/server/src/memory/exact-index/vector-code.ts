import { assert } from "@steward/kernel/assert.js";
import { EMBEDDING_DIMENSION_MAX } from "../limits.js";
import { quantize } from "./quantize.js";
import { rotate } from "./rotation.js";

/**
 * A stored vector in a quarter of its bytes, with the error of that approximation. The rotated vector r̃
 * is `step * codes` plus a residual; `query-code.ts` derives the bounds of a score from it.
 */
export interface VectorCode {
  /** One signed byte per component. */
  readonly codes: Int8Array;
  /** step / |r|, rounded to float32; 0 for the zero vector. */
  readonly scale: number;
  /** |residual| / |r|, rounded up to float32; 0 for the zero vector. */
  readonly residual: number;
}

/** Codes go from -127 to 127, so that negating a vector negates its codes. */
export const CODE_MAX: number = 127;

/** The code of a vector whose components are finite. */
export function encodeVector(vector: Float32Array): VectorCode {
  const { levels, step, norm, residual } = quantize(rotate(vector), CODE_MAX);
  const codes = new Int8Array(levels);
  if (norm === 0) return { codes, scale: 0, residual: 0 };
  return {
    codes,
    scale: Math.fround(step / norm),
    // One part in 2^22 is more than rounding to float32 can lose (one part in 2^24).
    residual: Math.fround((residual / norm) * (1 + 2 ** -22)),
  };
}

/**
 * The stored form of a code, all little-endian: version (uint8), zero (uint8), dimension (uint16),
 * scale (float32), residual (float32), checksum (uint32), codes (int8 each).
 */
const VERSION = 1;
const SCALE_AT = 4;
const RESIDUAL_AT = 8;
const CHECKSUM_AT = 12;
const CODES_AT = 16;

/** Bytes of a stored code. */
export function packedLength(dimension: number): number {
  return CODES_AT + dimension;
}

/** A code as bytes to be stored. */
export function packCode(code: VectorCode): Uint8Array {
  const dimension = code.codes.length;
  assert(dimension <= EMBEDDING_DIMENSION_MAX, "a dimension is checked when it is configured");
  const bytes = new Uint8Array(packedLength(dimension));
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint16(2, dimension, true);
  view.setFloat32(SCALE_AT, code.scale, true);
  view.setFloat32(RESIDUAL_AT, code.residual, true);
  bytes.set(code.codes, CODES_AT);
  view.setUint32(CHECKSUM_AT, checksum(view), true);
  return bytes;
}

/**
 * Reads stored codes. A code that passes was written by `packCode`, so a search may trust its
 * bound.
 * @returns `undefined` when the bytes are damaged, or of another version or dimension: encode the
 * vector again. The codes are a view of the bytes.
 */
export function unpackCode(bytes: Uint8Array, dimension: number): VectorCode | undefined {
  if (bytes.length !== packedLength(dimension)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const intact =
    view.getUint8(0) === VERSION &&
    view.getUint16(2, true) === dimension &&
    view.getUint32(CHECKSUM_AT, true) === checksum(view);
  if (!intact) return undefined;
  return {
    codes: new Int8Array(bytes.buffer, bytes.byteOffset + CODES_AT, dimension),
    scale: view.getFloat32(SCALE_AT, true),
    residual: view.getFloat32(RESIDUAL_AT, true),
  };
}

/** FNV-1a over the 32-bit words except the checksum itself, then over the remaining bytes. */
function checksum(view: DataView): number {
  let hash = 0x811c9dc5;
  const wordsEnd = view.byteLength - (view.byteLength % 4);
  for (let at = 0; at < wordsEnd; at += 4) {
    if (at !== CHECKSUM_AT) hash = Math.imul(hash ^ view.getUint32(at, true), 0x01000193);
  }
  for (let at = wordsEnd; at < view.byteLength; at += 1) {
    hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  }
  return hash >>> 0;
}
