import { type Hash, hashOf } from "../blocks/hash.js";
import type { BlockCache } from "./block-cache.js";
import { childOf, EntryCursor, Node } from "./node.js";

/**
 * Proves that a set contains a key, or that it does not, to a verifier who knows only the set's
 * root. It consists of the blocks from the root to the key's position.
 */
export interface Proof {
  readonly nodes: readonly Uint8Array[];
}

/** Creates a proof that the set with this root contains the key, or that it does not. */
export function prove(blocks: BlockCache, root: Hash, key: Buffer): Proof {
  const nodes: Uint8Array[] = [];
  for (let hash = root as Hash | undefined; hash !== undefined;) {
    const node = blocks.load(hash);
    nodes.push(node.bytes);
    hash = node.level === 0 ? undefined : node.children.hashes[childOf(node.children, key)];
  }
  return { nodes };
}

/**
 * Verifies a proof against a root that the caller trusts; needs no store.
 * @returns whether the set contains the key; undefined when the proof is invalid.
 */
export function verifyProof(root: Hash, key: Buffer, proof: Proof): boolean | undefined {
  try {
    return follow(root, key, proof.nodes);
  } catch {
    // Blocks that are no valid nodes prove nothing.
    return undefined;
  }
}

function follow(root: Hash, key: Buffer, nodes: readonly Uint8Array[]): boolean | undefined {
  let wanted: Hash | undefined = root;
  let level: number | undefined;
  for (const [index, bytes] of nodes.entries()) {
    if (hashOf(bytes) !== wanted) return undefined;
    const node = new Node(bytes);
    if (level !== undefined && node.level !== level - 1) return undefined;
    level = node.level;
    const isLast = index === nodes.length - 1;
    if (level === 0) return isLast ? leafHas(node, key) : undefined;
    wanted = node.children.hashes[childOf(node.children, key)];
    // No key is larger than the last key of an inner node.
    if (wanted === undefined) return isLast ? false : undefined;
  }
  return undefined;
}

function leafHas(node: Node, key: Buffer): boolean {
  const cursor = new EntryCursor(node);
  return cursor.seek(key) && cursor.compare(key) === 0;
}
