import type { BlockCache } from "./block-cache.js";
import type { Hash } from "../blocks/hash.js";
import { childOf, EntryCursor } from "./node.js";
import { TreeCursor } from "./tree-cursor.js";

/** A half-open range of keys: `from` is included, `to` is not. */
export interface KeyRange {
  readonly from: Buffer;
  /** Undefined: no upper bound. */
  readonly to: Buffer | undefined;
}

const ALL_KEYS: KeyRange = { from: Buffer.alloc(0), to: undefined };

/** The keys with this prefix. */
export function prefixRange(prefix: Buffer): KeyRange {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  if (length === 0) return { from: prefix, to: undefined };
  const to = Buffer.from(prefix.subarray(0, length));
  to[length - 1] = to.readUInt8(length - 1) + 1;
  return { from: prefix, to };
}

/**
 * An immutable set of keys, identified by its root: a changed set has another root. Reading throws
 * AppError `STATE_CORRUPTED` at a missing or damaged block.
 */
export class Tree {
  readonly root: Hash;
  readonly #blocks: BlockCache;

  constructor(blocks: BlockCache, root: Hash) {
    this.#blocks = blocks;
    this.root = root;
  }

  /** Number of keys. */
  get size(): number {
    return this.#blocks.load(this.root).total;
  }

  has(key: Buffer): boolean {
    let node = this.#blocks.load(this.root);
    while (node.level > 0) {
      const child = node.children.hashes[childOf(node.children, key)];
      if (child === undefined) return false;
      node = this.#blocks.load(child);
    }
    const cursor = new EntryCursor(node);
    return cursor.seek(key) && cursor.compare(key) === 0;
  }

  /** Number of keys in the range, in O(log n). */
  count(range: KeyRange): number {
    const end = range.to === undefined ? this.size : this.#rank(range.to);
    return Math.max(0, end - this.#rank(range.from));
  }

  /** Copies of the keys in the range, in ascending order. */
  *keys(range: KeyRange = ALL_KEYS): Generator<Buffer> {
    const cursor = this.cursor();
    let isAtKey = cursor.seek(range.from);
    while (isAtKey && (range.to === undefined || cursor.entry.compare(range.to) < 0)) {
      yield cursor.entry.copyKey();
      isAtKey = cursor.next();
    }
  }

  /** A cursor before the first key. */
  cursor(): TreeCursor {
    return new TreeCursor(this.#blocks, this.root);
  }

  /** Number of smaller keys. */
  #rank(key: Buffer): number {
    let node = this.#blocks.load(this.root);
    let rank = 0;
    while (node.level > 0) {
      const index = childOf(node.children, key);
      rank += node.children.before[index] ?? 0;
      const child = node.children.hashes[index];
      if (child === undefined) return rank;
      node = this.#blocks.load(child);
    }
    const cursor = new EntryCursor(node);
    return rank + (cursor.seek(key) ? cursor.index : node.size);
  }
}
