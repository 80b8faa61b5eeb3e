import { checkedBlock, EMPTY_ROOT } from "../tree/block-cache.js";
import { parentsFirst, walkCommits } from "../datasets/commit-walk.js";
import type { Hash } from "../blocks/hash.js";
import { Node } from "../tree/node.js";
import type { Blocks, BlockStore } from "../ports.js";
import { bodiesOf } from "../upkeep/reachable.js";

/** Blocks copied per batch. */
const BATCH_BLOCKS = 256;

/**
 * Copies a commit and everything reachable from it, as far as the other store lacks it. A block is
 * copied after all blocks that it links to, so copied blocks are complete even after an
 * interruption and are not visited again.
 * @returns the number of copied blocks.
 * @throws AppError `STATE_CORRUPTED` when a source block is missing or damaged.
 */
export function copyMissing(from: BlockStore, to: Blocks, commit: Hash): number {
  const copy = new Copy(from, to);
  copy.commit(commit);
  return copy.finish();
}

class Copy {
  readonly #from: BlockStore;
  readonly #to: Blocks;
  readonly #batch = new Map<Hash, Uint8Array>();
  #copied = 0;

  constructor(from: BlockStore, to: Blocks) {
    this.#from = from;
    this.#to = to;
  }

  commit(newest: Hash): void {
    const missing = walkCommits(this.#from, [newest], { isKnown: (hash) => this.#to.has(hash) });
    for (const { hash, roots } of parentsFirst(missing)) {
      const { spog, posg, ospg } = roots;
      for (const root of [spog, posg, ospg]) this.#tree(root, root === spog);
      this.#send(hash, checkedBlock(this.#from, hash));
    }
  }

  finish(): number {
    this.#flush();
    return this.#copied;
  }

  #tree(hash: Hash, hasBodies: boolean): void {
    if (hash === EMPTY_ROOT || this.#has(hash)) return;
    const bytes = checkedBlock(this.#from, hash);
    const node = new Node(bytes);
    if (node.level > 0) for (const child of node.children.hashes) this.#tree(child, hasBodies);
    else if (hasBodies) for (const body of bodiesOf(node)) this.#body(body);
    this.#send(hash, bytes);
  }

  #body(hash: Hash): void {
    if (!this.#has(hash)) this.#send(hash, checkedBlock(this.#from, hash));
  }

  #has(hash: Hash): boolean {
    return this.#batch.has(hash) || this.#to.has(hash);
  }

  #send(hash: Hash, bytes: Uint8Array): void {
    this.#batch.set(hash, bytes);
    this.#copied += 1;
    if (this.#batch.size >= BATCH_BLOCKS) this.#flush();
  }

  #flush(): void {
    if (this.#batch.size > 0) this.#to.put(this.#batch);
    this.#batch.clear();
  }
}
