import { deflateRawSync } from "node:zlib";

/**
 * The fastest compression level, because a caller waits for the write. The window is as large as a
 * block.
 */
const DEFLATE = { level: 1, windowBits: 14, memLevel: 7 };

/**
 * The compressed bytes of a block (raw DEFLATE); `undefined` when compression does not make it
 * smaller.
 */
export function deflatedBlock(bytes: Uint8Array): Uint8Array | undefined {
  const deflated = deflateRawSync(bytes, DEFLATE);
  return deflated.length < bytes.length ? deflated : undefined;
}
