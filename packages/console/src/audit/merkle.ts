/**
 * Proofs of a Merkle tree (RFC 6962), computed with the browser's own SHA-256, so that a reader need
 * not believe what the server says about its log.
 */

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;

/** The hash of a leaf (RFC 6962 §2.1). */
export function leafHash(entry: Uint8Array): Promise<Uint8Array> {
  return sha256(Uint8Array.of(LEAF_PREFIX), entry);
}

/** A leaf's place in a tree of a size, and the hashes that lead from it to the root. */
export interface Inclusion {
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Uint8Array[];
}

/** The root that a leaf and its inclusion proof lead to (RFC 9162 §2.1.3.2); `undefined` when the proof has another length. */
export async function rootOfInclusion(
  leaf: Uint8Array,
  { index, size, proof }: Inclusion,
): Promise<Uint8Array | undefined> {
  if (index >= size) return undefined;
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const hash of proof) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = await nodeHash(hash, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = await nodeHash(root, hash);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : undefined;
}

/** The number of leaves of a tree, and its root. */
export interface TreeState {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether a proof shows that the newer tree begins with the older one (RFC 9162 §2.1.4.2). */
export async function isConsistent(
  older: TreeState,
  newer: TreeState,
  proof: readonly Uint8Array[],
): Promise<boolean> {
  if (older.size === 0) return proof.length === 0;
  if (older.size === newer.size) return proof.length === 0 && isEqual(older.root, newer.root);
  if (older.size > newer.size) return false;
  // A complete older tree is its own first hash.
  const isComplete = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isComplete ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let node = older.size - 1;
  let last = newer.size - 1;
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  let [olderRoot, newerRoot] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      olderRoot = await nodeHash(hash, olderRoot);
      newerRoot = await nodeHash(hash, newerRoot);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else newerRoot = await nodeHash(newerRoot, hash);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isEqual(olderRoot, older.root) && isEqual(newerRoot, newer.root);
}

/** The hash of an inner node (RFC 6962 §2.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Promise<Uint8Array> {
  return sha256(Uint8Array.of(NODE_PREFIX), left, right);
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** SHA-256 of these bytes one after the other. */
export async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function half(value: number): number {
  return Math.floor(value / 2);
}
