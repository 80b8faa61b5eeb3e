import { base32 } from "multiformats/bases/base32";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { HASH_BYTES, type Hash, hashAt } from "./hash.js";

/** The multicodec of a block: bytes without links, or DAG-JSON. */
export type BlockCodec = "raw" | "dag-json";

/** The bytes before the digest: CIDv1, the codec, and a multihash of sha2-256 with its length. */
const PREFIX: Readonly<Record<BlockCodec, Buffer>> = {
  raw: Buffer.from([0x01, 0x55, 0x12, HASH_BYTES]),
  // The codec is 0x0129 as an unsigned varint.
  "dag-json": Buffer.from([0x01, 0xa9, 0x02, 0x12, HASH_BYTES]),
};

/** A block's hash as a CIDv1, which includes the codec. */
export function cidOf(hash: Hash, codec: BlockCodec): string {
  return base32.encode(Buffer.concat([PREFIX[codec], Buffer.from(hash, "hex")]));
}

/**
 * The hash in a CIDv1 with this codec.
 * @param field the request field, for the error message; absent: no field.
 * @throws AppError `INVALID_ARGUMENT` for any other text.
 */
export function hashOfCid(cid: string, codec: BlockCodec, field?: string): Hash {
  const bytes = decoded(cid);
  const digestAt = PREFIX[codec].length;
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

/** The bytes that a base32 text stands for; undefined for any other text. */
function decoded(text: string): Buffer | undefined {
  try {
    return Buffer.from(base32.decode(text));
  } catch {
    return undefined;
  }
}
