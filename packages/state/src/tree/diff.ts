import type { BlockCache } from "./block-cache.js";
import type { Hash } from "../blocks/hash.js";
import { EntryCursor, type Node } from "./node.js";

/** A key that only one of two sets contains. */
export interface KeyChange {
  readonly key: Buffer;
  /** True when only the later set contains it. */
  readonly added: boolean;
}

/**
 * The keys in which two sets differ, in ascending order. Subtrees with equal hashes are skipped, so
 * the cost is proportional to the difference.
 */
export function* diffTrees(blocks: BlockCache, before: Hash, after: Hash): Generator<KeyChange> {
  const old = new Walk(blocks, before);
  const now = new Walk(blocks, after);
  while (!old.done && !now.done) {
    if (old.hash !== undefined && old.hash === now.hash) {
      old.skip();
      now.skip();
    } else if (old.level > now.level) {
      old.descend();
    } else if (now.level > old.level) {
      now.descend();
    } else if (old.level >= 0) {
      old.descend();
      now.descend();
    } else {
      yield* compareKeys(old, now);
    }
  }
  yield* rest(old, false);
  yield* rest(now, true);
}

function* compareKeys(old: Walk, now: Walk): Generator<KeyChange> {
  const order = old.compare(now);
  if (order < 0) yield { key: old.key(), added: false };
  if (order > 0) yield { key: now.key(), added: true };
  if (order <= 0) old.skip();
  if (order >= 0) now.skip();
}

function* rest(walk: Walk, added: boolean): Generator<KeyChange> {
  while (!walk.done) {
    if (walk.level >= 0) {
      walk.descend();
      continue;
    }
    yield { key: walk.key(), added };
    walk.skip();
  }
}

/** A position in a tree: before a node, or at a key. */
class Walk {
  /** Level of the node; -1 at a key. */
  level: number;
  /** The node's hash; undefined at a key. */
  hash: Hash | undefined;
  done: boolean;
  readonly #blocks: BlockCache;
  readonly #path: { readonly node: Node; index: number }[] = [];
  readonly #entry: EntryCursor;

  constructor(blocks: BlockCache, root: Hash) {
    const node = blocks.load(root);
    this.#blocks = blocks;
    this.#entry = new EntryCursor(node);
    this.hash = root;
    this.level = node.level;
    this.done = node.size === 0;
  }

  /** Moves to the first entry of the node. */
  descend(): void {
    if (this.hash === undefined) return;
    const node = this.#blocks.load(this.hash);
    if (node.level === 0) {
      this.#entry.open(node);
      this.#entry.next();
      this.hash = undefined;
      this.level = -1;
      return;
    }
    this.#path.push({ node, index: 0 });
    this.#standBefore(node, 0);
  }

  /** Moves past the node or the key. */
  skip(): void {
    if (this.level === -1 && this.#entry.next()) return;
    for (let step = this.#path.at(-1); step !== undefined; step = this.#path.at(-1)) {
      step.index += 1;
      if (step.index < step.node.size) {
        this.#standBefore(step.node, step.index);
        return;
      }
      this.#path.pop();
    }
    this.done = true;
  }

  /** Compares the current key with another walk's. */
  compare(other: Walk): number {
    return this.#entry.compare(other.#entry.key.subarray(0, other.#entry.keyLength));
  }

  /** A copy of the current key. */
  key(): Buffer {
    return this.#entry.copyKey();
  }

  #standBefore(parent: Node, index: number): void {
    this.hash = parent.children.hashes[index];
    this.level = parent.level - 1;
  }
}
