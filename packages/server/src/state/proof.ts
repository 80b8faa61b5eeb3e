import { type Hash, hashOf } from "./hash.js";
import type { BlockCache } from "./block-cache.js";
import { childOf, EntryCursor, Node } from "./node.js";

/**
 * Shows that a set of keys has a key, or that it has it not, to somebody who knows nothing of the set
 * but its root: the blocks on the way from the root to where the key is or would be.
 */
export interface Proof {
  readonly nodes: readonly Uint8Array[];
}

/** Proves that the key is in the set with this root, or that it is not. */
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
 * Checks a proof against a root that the caller trusts. Needs no store.
 * @returns whether the set has the key; undefined when this proves neither.
 */
export function verifyProof(root: Hash, key: Buffer, proof: Proof): boolean | undefined {
  try {
    return follow(root, key, proof.nodes);
  } catch {
    // Blocks that are no nodes prove nothing.
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
    // Beyond the last key of an inner node there is nothing.
    if (wanted === undefined) return isLast ? false : undefined;
  }
  return undefined;
}

function leafHas(node: Node, key: Buffer): boolean {
  const cursor = new EntryCursor(node);
  return cursor.seek(key) && cursor.compare(key) === 0;
}
