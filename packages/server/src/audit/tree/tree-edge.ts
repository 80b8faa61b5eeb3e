import { EMPTY_ROOT, HASH_BYTES, nodeHash } from "./hashing.js";
import { TILE_WIDTH } from "./tiles.js";

/** A tile with new content: the concatenation of its hashes. */
export interface ChangedTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
}

/**
 * The right edge of a tree: the incomplete tile of each level. It is all that is needed to append
 * leaves and to compute the root, whatever the size of the tree.
 */
export class TreeEdge {
  #size: number;
  /** The hashes of the incomplete tile of each level; empty after a full tile. */
  readonly #levels: Buffer[][];

  /** @param partials the incomplete tile of each level, from level 0 on; empty where there is none. */
  constructor(size = 0, partials: readonly Uint8Array[] = []) {
    this.#size = size;
    this.#levels = partials.map(hashesOf);
  }

  get size(): number {
    return this.#size;
  }

  /** The incomplete tile of each level, from which another object can continue. */
  get partials(): readonly Buffer[] {
    return this.#levels.map((hashes) => Buffer.concat(hashes));
  }

  /** Appends the hashes of leaves. @returns the tiles that are new or have changed. */
  append(leaves: readonly Buffer[]): readonly ChangedTile[] {
    const changed = new Map<string, ChangedTile>();
    for (const leaf of leaves) this.#add(0, leaf, changed);
    for (const [level, hashes] of this.#levels.entries()) {
      if (hashes.length > 0) this.#note(changed, level, hashes);
    }
    return [...changed.values()];
  }

  /** The root of the tree (RFC 6962 §2.1). */
  root(): Buffer {
    let root: Buffer | undefined;
    for (const hashes of this.#levels) {
      // Complete subtrees from right to left; the widths are the bits of the tile's width.
      for (let end = hashes.length; end > 0; end -= end & -end) {
        const subtree = subtreeRoot(hashes.slice(end - (end & -end), end));
        root = root === undefined ? subtree : nodeHash(subtree, root);
      }
    }
    return root ?? EMPTY_ROOT;
  }

  #add(level: number, hash: Buffer, changed: Map<string, ChangedTile>): void {
    if (level === 0) this.#size += 1;
    const hashes = (this.#levels[level] ??= []);
    hashes.push(hash);
    if (hashes.length < TILE_WIDTH) return;
    this.#note(changed, level, hashes);
    this.#levels[level] = [];
    this.#add(level + 1, subtreeRoot(hashes), changed);
  }

  /** The last tile of a level; all hashes of the level were counted before. */
  #note(changed: Map<string, ChangedTile>, level: number, hashes: readonly Buffer[]): void {
    const count = Math.floor(this.#size / TILE_WIDTH ** level);
    const index = Math.floor((count - 1) / TILE_WIDTH);
    changed.set(`${String(level)}/${String(index)}`, {
      level,
      index,
      hashes: Buffer.concat(hashes),
    });
  }
}

/** The root of a complete subtree. @param hashes 2^n hashes of one level. */
export function subtreeRoot(hashes: readonly Buffer[]): Buffer {
  let level = hashes;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at + 1 < level.length; at += 2) {
      above.push(nodeHash(level[at] ?? EMPTY_ROOT, level[at + 1] ?? EMPTY_ROOT));
    }
    level = above;
  }
  return level[0] ?? EMPTY_ROOT;
}

/** The hashes of a tile. */
export function hashesOf(tile: Uint8Array): Buffer[] {
  const bytes = Buffer.from(tile.buffer, tile.byteOffset, tile.byteLength);
  const hashes: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    hashes.push(bytes.subarray(at, at + HASH_BYTES));
  }
  return hashes;
}
