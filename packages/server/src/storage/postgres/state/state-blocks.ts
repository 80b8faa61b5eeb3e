import { inflateRawSync } from "node:zlib";
import type { Hash } from "@steward/state";
import { deflatedBlock } from "../../deflated-block.js";

/** Maximum size of a block in bytes: the longest text of a request, with room to spare. */
const BLOCK_BYTES_MAX = 16 * 1024 * 1024;

/** Blocks as columns: hashes, whether they are compressed, bytes. */
export function packed(
  blocks: ReadonlyMap<Hash, Uint8Array>,
): [hashes: Buffer[], deflated: boolean[], bytes: Uint8Array[]] {
  const columns: [Buffer[], boolean[], Uint8Array[]] = [[], [], []];
  for (const [hash, bytes] of blocks) {
    const deflated = deflatedBlock(bytes);
    columns[0].push(Buffer.from(hash, "hex"));
    columns[1].push(deflated !== undefined);
    columns[2].push(deflated ?? bytes);
  }
  return columns;
}

/**
 * The bytes of a compressed block. When they cannot be decompressed, the stored bytes are returned,
 * which match no hash.
 */
export function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: BLOCK_BYTES_MAX });
  } catch {
    return bytes;
  }
}
