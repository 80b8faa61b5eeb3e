import { hash } from "node:crypto";

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** The root of a tree without leaves (RFC 6962 §2.1): SHA-256 of nothing. */
export const EMPTY_ROOT: Buffer = hash("sha256", "", "buffer");

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = 1;

/** The hash of a leaf (RFC 6962 §2.1). */
export function leafHash(entry: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([LEAF_PREFIX, entry]), "buffer");
}

/** The hash of an inner node (RFC 6962 §2.1). Its prefix differs from a leaf's, so no node can pass for a leaf. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  NODE.set(left, 1);
  NODE.set(right, 1 + HASH_BYTES);
  return hash("sha256", NODE, "buffer");
}

/** The bytes of the node that is being hashed; reused, because verifying a log hashes millions. */
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX);
