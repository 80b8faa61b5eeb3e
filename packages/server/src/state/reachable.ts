import { checkedBlock, EMPTY_ROOT } from "./block-cache.js";
import { bodyHash, mayNameBody } from "./codec.js";
import { type Commit, readCommit } from "./commit.js";
import type { Hash } from "./hash.js";
import { EntryCursor, Node } from "./node.js";
import type { BlockStore } from "./ports.js";
import { splitKey } from "./quad-key.js";

/**
 * Collects every block that commits lead to: the commits, those they came from, their trees, and the
 * texts of long literals.
 * @param found what is known already, and is not gone through again; it is added to.
 * @throws AppError `STATE_CORRUPTED` when a block on the way is missing or damaged.
 */
export function collectReachable(
  store: BlockStore,
  commits: Iterable<Hash>,
  found: Set<Hash>,
): void {
  const open = [...commits];
  for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
    if (found.has(hash)) continue;
    const commit = readCommit(store, hash);
    collectTrees(store, commit, found);
    // A commit is marked when all below it is, so that a failure on the way leaves no gap.
    found.add(hash);
    open.push(...commit.parents);
  }
}

function collectTrees(store: BlockStore, { roots }: Commit, found: Set<Hash>): void {
  for (const root of [roots.spog, roots.posg, roots.ospg]) {
    const open = [root];
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      if (found.has(hash) || hash === EMPTY_ROOT) continue;
      found.add(hash);
      const node = new Node(checkedBlock(store, hash));
      if (node.level > 0) open.push(...node.children.hashes);
      // Every text is named in the tree of subjects, and there it is enough.
      else if (root === roots.spog) for (const body of bodiesOf(node)) found.add(body);
    }
  }
}

/** The blocks of long literals that a leaf of the tree of subjects names. */
export function* bodiesOf(leaf: Node): Generator<Hash> {
  if (!mayNameBody(leaf.bytes)) return;
  const cursor = new EntryCursor(leaf);
  while (cursor.next()) {
    const body = bodyHash(splitKey("spog", cursor.copyKey()).object, 0);
    if (body !== undefined) yield body;
  }
}
