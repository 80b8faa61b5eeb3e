import type { BlockCache } from "./block-cache.js";
import type { Hash } from "../blocks/hash.js";
import { childOf, EntryCursor, type Node } from "./node.js";

interface Step {
  readonly node: Node;
  index: number;
}

/** Iterates over the keys of a tree in ascending order. One iteration at a time; reusable. */
export class TreeCursor {
  /** The current key; see {@link EntryCursor}. */
  readonly entry: EntryCursor;
  readonly #blocks: BlockCache;
  readonly #root: Hash;
  readonly #path: Step[] = [];

  constructor(blocks: BlockCache, root: Hash) {
    this.#blocks = blocks;
    this.#root = root;
    this.entry = new EntryCursor(blocks.load(root));
  }

  /**
   * Steps to the first key that is not smaller.
   * @returns false when there is none.
   */
  seek(key: Buffer): boolean {
    this.#path.length = 0;
    let node = this.#blocks.load(this.#root);
    while (node.level > 0) {
      const index = childOf(node.children, key);
      const child = node.children.hashes[index];
      if (child === undefined) return false;
      this.#path.push({ node, index });
      node = this.#blocks.load(child);
    }
    this.entry.open(node);
    return this.entry.seek(key);
  }

  /** Steps to the next key. @returns false at the end. */
  next(): boolean {
    return this.entry.next() || (this.#nextLeaf() && this.entry.next());
  }

  #nextLeaf(): boolean {
    for (let step = this.#path.at(-1); step !== undefined; step = this.#path.at(-1)) {
      step.index += 1;
      const child = step.node.children.hashes[step.index];
      if (child !== undefined) {
        this.#openFirst(child);
        return true;
      }
      this.#path.pop();
    }
    return false;
  }

  #openFirst(hash: Hash): void {
    let node = this.#blocks.load(hash);
    while (node.level > 0) {
      this.#path.push({ node, index: 0 });
      const first = node.children.hashes[0];
      if (first === undefined) return;
      node = this.#blocks.load(first);
    }
    this.entry.open(node);
  }
}
