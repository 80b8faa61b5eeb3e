import { CorruptedBlock } from "../blocks/corrupted-block.js";
import { type Hash, hashOf } from "../blocks/hash.js";
import { Node } from "./node.js";
import { EMPTY_NODE } from "./node-writer.js";
import type { BlockReader } from "../ports.js";

/** Default size of the cache of nodes, in bytes. */
const CACHE_BYTES: number = 32 * 1024 * 1024;

/**
 * A cache of blocks between a store and its trees. Blocks are verified when they are read, recently read nodes are cached,
 * and new nodes are buffered until a commit stores them.
 */
export class BlockCache {
  readonly #store: BlockReader;
  readonly #bytesMax: number;
  /**
   * Two generations: a node that is used moves to the young generation, and the old generation is
   * evicted as a whole.
   */
  #young = new Map<Hash, Node>();
  #old = new Map<Hash, Node>();
  readonly #pending = new Map<Hash, Uint8Array>();
  #bytes = 0;
  #pendingBytes = 0;

  constructor(store: BlockReader, bytesMax: number = CACHE_BYTES) {
    this.#store = store;
    this.#bytesMax = bytesMax;
  }

  /**
   * The node with this hash.
   * @throws AppError `STATE_CORRUPTED`, naming the block, when it is missing or damaged.
   */
  load(hash: Hash): Node {
    const young = this.#young.get(hash);
    if (young !== undefined) return young;
    const node = this.#old.get(hash) ?? new Node(this.read(hash));
    this.#keep(hash, node);
    return node;
  }

  /** A block's bytes. @throws AppError `STATE_CORRUPTED`, naming the block. */
  read(hash: Hash): Uint8Array {
    const pending = this.#pending.get(hash);
    if (pending !== undefined) return pending;
    if (hash === EMPTY_ROOT) return EMPTY_NODE;
    return checkedBlock(this.#store, hash);
  }

  /** Buffers a new node until a commit stores it. */
  save(bytes: Uint8Array): Hash {
    const hash = hashOf(bytes);
    if (hash !== EMPTY_ROOT && !this.#pending.has(hash)) {
      this.#pending.set(hash, bytes);
      this.#pendingBytes += bytes.length;
    }
    return hash;
  }

  /** Bytes of all buffered nodes. */
  get heldBytes(): number {
    return this.#pendingBytes;
  }

  /** All buffered nodes. */
  get held(): ReadonlyMap<Hash, Uint8Array> {
    return this.#pending;
  }

  /**
   * The buffered nodes that are reachable from these roots. A commit of the roots has to store
   * them.
   */
  heldBelow(roots: Iterable<Hash>): Map<Hash, Uint8Array> {
    const found = new Map<Hash, Uint8Array>();
    const open = [...roots];
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      const bytes = found.has(hash) ? undefined : this.#pending.get(hash);
      if (bytes === undefined) continue;
      found.set(hash, bytes);
      // The node is cached, because the next change starts from these roots.
      const node = this.load(hash);
      if (node.level > 0) open.push(...node.children.hashes);
    }
    return found;
  }

  /** Drops the buffered nodes, after they were stored or abandoned. */
  release(): void {
    this.#pending.clear();
    this.#pendingBytes = 0;
  }

  #keep(hash: Hash, node: Node): void {
    if (this.#bytes + node.bytes.length > this.#bytesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    this.#young.set(hash, node);
    this.#bytes += node.bytes.length;
  }
}

/** The root of every empty tree. Its block is never stored. */
export const EMPTY_ROOT: Hash = hashOf(EMPTY_NODE);

/**
 * Reads and verifies a block.
 * @throws AppError `STATE_CORRUPTED` when it is missing or damaged.
 */
export function checkedBlock(store: BlockReader, hash: Hash): Uint8Array {
  const bytes = store.get(hash);
  if (bytes === undefined) throw new CorruptedBlock(hash, "missing");
  if (hashOf(bytes) !== hash) throw new CorruptedBlock(hash, "damaged");
  return bytes;
}
