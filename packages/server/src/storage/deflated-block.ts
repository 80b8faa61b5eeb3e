import { deflateRawSync } from "node:zlib";

/** Fast, for blocks are written on a caller's time; the window is as large as a block. */
const DEFLATE = { level: 1, windowBits: 14, memLevel: 7 };

/** A block's bytes compressed (raw DEFLATE); `undefined` when that does not make them fewer. */
export function deflatedBlock(bytes: Uint8Array): Uint8Array | undefined {
  const deflated = deflateRawSync(bytes, DEFLATE);
  return deflated.length < bytes.length ? deflated : undefined;
}
