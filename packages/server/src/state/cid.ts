import { AppError, invalidField } from "../kernel/errors.js";
import { HASH_BYTES, type Hash, hashAt } from "./hash.js";

/** What a block is, by its code in the multicodec table: bytes without links, or DAG-JSON. */
export type BlockCodec = "raw" | "dag-json";

const CODEC: Readonly<Record<BlockCodec, readonly number[]>> = {
  raw: [0x55],
  // 0x0129 as an unsigned varint.
  "dag-json": [0xa9, 0x02],
};
const VERSION = 0x01;
/** sha2-256, and the length of its digest. */
const MULTIHASH = [0x12, HASH_BYTES];
/** RFC 4648 §6 in lower case, unpadded; multibase marks it with a "b". */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** A block's hash as a content id of version 1, which says by itself what it is the hash of. */
export function cidOf(hash: Hash, codec: BlockCodec): string {
  const bytes = [VERSION, ...CODEC[codec], ...MULTIHASH, ...Buffer.from(hash, "hex")];
  return `b${base32(bytes)}`;
}

/**
 * The hash in a content id of this codec.
 * @param field What held the text, for the message; absent: nobody's field.
 * @throws AppError `INVALID_ARGUMENT` for anything else.
 */
export function hashOfCid(cid: string, codec: BlockCodec, field?: string): Hash {
  const bytes = cid.startsWith("b") ? unbase32(cid.slice(1)) : undefined;
  const digestAt = 1 + CODEC[codec].length + MULTIHASH.length;
  if (bytes?.length === digestAt + HASH_BYTES) {
    const hash = hashAt(bytes, digestAt);
    // One spelling only: two ids of one block would make two blocks of those that name it.
    if (cidOf(hash, codec) === cid) return hash;
  }
  const shown = JSON.stringify(cid.slice(0, 80));
  const kind = codec === "dag-json" ? "the id of a commit" : "the id of a block";
  const reason = `must be ${kind} (a content id: CIDv1, ${codec}, sha2-256), not ${shown}`;
  throw field === undefined
    ? new AppError("INVALID_ARGUMENT", `A content id ${reason}`)
    : invalidField(field, reason);
}

function base32(bytes: readonly number[]): string {
  let text = "";
  let bits = 0;
  let rest = 0;
  for (const byte of bytes) {
    rest = ((rest << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((rest >> (bits - 5)) & 31);
  }
  return bits === 0 ? text : text + BASE32.charAt((rest << (5 - bits)) & 31);
}

function unbase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let rest = 0;
  for (const char of text) {
    const value = BASE32.indexOf(char);
    if (value === -1) return undefined;
    rest = ((rest << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((rest >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
