import { endianness } from "node:os";

const isBigEndian = endianness() === "BE";

/** The stored form of a vector: little-endian float32, dimension × 4 bytes (Contract §2.8). */
export function vectorBlob(vector: Float32Array): Uint8Array {
  const bytes = Buffer.from(new Float32Array(vector).buffer);
  return isBigEndian ? bytes.swap32() : bytes;
}

/**
 * The vector of a blob; empty when the blob is not a sequence of whole float32 values, because no
 * real vector is empty.
 */
export function vectorOfBlob(blob: Uint8Array): Float32Array {
  if (blob.byteLength % Float32Array.BYTES_PER_ELEMENT !== 0) return new Float32Array();
  // A view must start at a multiple of four bytes; the driver's buffers usually do.
  const isAligned = blob.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const bytes = isAligned && !isBigEndian ? blob : new Uint8Array(blob);
  if (isBigEndian) Buffer.from(bytes.buffer).swap32();
  const length = bytes.byteLength / Float32Array.BYTES_PER_ELEMENT;
  return new Float32Array(bytes.buffer, bytes.byteOffset, length);
}
