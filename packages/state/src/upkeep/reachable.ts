import { checkedBlock, EMPTY_ROOT } from "../tree/block-cache.js";
import { bodyHash, mayNameBody } from "../terms/codec.js";
import type { Commit } from "../datasets/commit.js";
import { walkCommits } from "../datasets/commit-walk.js";
import type { Hash } from "../blocks/hash.js";
import { EntryCursor, Node } from "../tree/node.js";
import type { BlockReader, BlockStore } from "../ports.js";
import { splitKey } from "../terms/quad-key.js";

/**
 * Collects all blocks reachable from commits: the commits, their ancestors, their trees, and the
 * texts of long literals.
 * @param found known blocks, which are not visited again; new blocks are added.
 * @throws AppError `STATE_CORRUPTED` when a block is missing or damaged.
 */
export function collectReachable(
  store: BlockStore,
  commits: Iterable<Hash>,
  found: Set<Hash>,
): void {
  for (const commit of walkCommits(store, commits, { isKnown: (hash) => found.has(hash) })) {
    collectTrees(store, commit, found);
    // A commit is marked after its trees, so that a failure leaves no gaps.
    found.add(commit.hash);
  }
}

function collectTrees(store: BlockReader, { roots }: Commit, found: Set<Hash>): void {
  for (const root of [roots.spog, roots.posg, roots.ospg]) {
    const open = [root];
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      if (found.has(hash) || hash === EMPTY_ROOT) continue;
      found.add(hash);
      const node = new Node(checkedBlock(store, hash));
      if (node.level > 0) open.push(...node.children.hashes);
      // Texts are found through the subject tree, which names all of them.
      else if (root === roots.spog) for (const body of bodiesOf(node)) found.add(body);
    }
  }
}

/** The text blocks that a leaf of the subject tree names. */
export function* bodiesOf(leaf: Node): Generator<Hash> {
  if (!mayNameBody(leaf.bytes)) return;
  const cursor = new EntryCursor(leaf);
  while (cursor.next()) {
    const body = bodyHash(splitKey("spog", cursor.copyKey()).object, 0);
    if (body !== undefined) yield body;
  }
}
