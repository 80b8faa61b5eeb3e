import { AppError, invalidField } from "@steward/kernel/errors.js";
import { HASH_BYTES, type Hash, hashAt } from "./hash.js";

/** The multicodec of a block: bytes without links, or DAG-JSON. */
export type BlockCodec = "raw" | "dag-json";

const CODEC: Readonly<Record<BlockCodec, readonly number[]>> = {
  raw: [0x55],
  // 0x0129 as an unsigned varint.
  "dag-json": [0xa9, 0x02],
};
const VERSION = 0x01;
/** The multihash prefix: sha2-256 and the digest's length. */
const MULTIHASH = [0x12, HASH_BYTES];
/** The alphabet of base32 (RFC 4648 §6), lower case and unpadded. Its multibase prefix is "b". */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** A block's hash as a CIDv1, which includes the codec. */
export function cidOf(hash: Hash, codec: BlockCodec): string {
  const bytes = [VERSION, ...CODEC[codec], ...MULTIHASH, ...Buffer.from(hash, "hex")];
  return `b${base32(bytes)}`;
}

/**
 * The hash in a CIDv1 with this codec.
 * @param field the request field, for the error message; absent: no field.
 * @throws AppError `INVALID_ARGUMENT` for any other text.
 */
export function hashOfCid(cid: string, codec: BlockCodec, field?: string): Hash {
  const bytes = cid.startsWith("b") ? unbase32(cid.slice(1)) : undefined;
  const digestAt = 1 + CODEC[codec].length + MULTIHASH.length;
  if (bytes?.length === digestAt + HASH_BYTES) {
    const hash = hashAt(bytes, digestAt);
    // Only the canonical spelling is accepted. Two spellings of one id would give different hashes
    // to the blocks that contain it.
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
