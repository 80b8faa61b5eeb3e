import type { BlockCache } from "./block-cache.js";
import { EMPTY_ROOT } from "./block-cache.js";
import type { Hash } from "../blocks/hash.js";
import { type Chunk, NodeWriter } from "./node-writer.js";

interface Level {
  readonly writer: NodeWriter;
  chunks: number;
  last: Chunk | undefined;
}

/** Builds a tree from its keys, or from the nodes of one level, in ascending order. */
export class TreeBuilder {
  readonly #blocks: BlockCache;
  readonly #lowest: number;
  readonly #levels: Level[] = [];

  /** @param lowest the level of the entries: 0 for keys. */
  constructor(blocks: BlockCache, lowest = 0) {
    this.#blocks = blocks;
    this.#lowest = lowest;
  }

  /**
   * Adds a key, the first `length` bytes of this buffer; larger than the previous one.
   * @param known a lower bound of the number of leading bytes that both keys share.
   */
  add(key: Buffer, length: number = key.length, known = 0): void {
    this.#level(0).writer.add(key, length, known);
  }

  /** Adds a node of the level below `lowest`. */
  addChild(chunk: Chunk): void {
    this.#level(0).writer.addChild(chunk.key, chunk.key.length, chunk.count, chunk.hash);
  }

  /** @returns the root: the lowest node whose subtree contains everything. */
  finish(): Hash {
    for (let index = 0; index < this.#levels.length; index++) {
      const level = this.#level(index);
      level.writer.finish();
      if (level.chunks === 1 && level.last !== undefined) return level.last.hash;
    }
    return EMPTY_ROOT;
  }

  #level(index: number): Level {
    let level = this.#levels[index];
    if (level === undefined) {
      level = this.#newLevel(index);
      this.#levels.push(level);
    }
    return level;
  }

  #newLevel(index: number): Level {
    const save = (bytes: Buffer): Hash => this.#blocks.save(bytes);
    const writer = new NodeWriter(this.#lowest + index, save, (chunk) => {
      level.chunks += 1;
      level.last = chunk;
      this.#level(index + 1).writer.addChild(chunk.key, chunk.key.length, chunk.count, chunk.hash);
    });
    const level: Level = { writer, chunks: 0, last: undefined };
    return level;
  }
}

/**
 * Builds a tree from keys in ascending order.
 * @returns its root.
 */
export function buildTree(blocks: BlockCache, keys: Iterable<Buffer>): Hash {
  const builder = new TreeBuilder(blocks);
  for (const key of keys) builder.add(key);
  return builder.finish();
}
