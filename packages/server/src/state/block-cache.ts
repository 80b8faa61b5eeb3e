import { CorruptedBlock } from "./corrupted-block.js";
import { type Hash, hashOf } from "./hash.js";
import { Node } from "./node.js";
import { EMPTY_NODE } from "./node-writer.js";
import type { BlockReader } from "./ports.js";

/** Bytes of nodes kept ready for reading, unless said otherwise. */
const CACHE_BYTES: number = 32 * 1024 * 1024;

/**
 * Blocks as trees use them: checked when they are read, the nodes read last kept ready, and the new
 * ones held back until a commit takes them.
 */
export class BlockCache {
  readonly #store: BlockReader;
  readonly #bytesMax: number;
  /** Two generations: what is used moves to the young one, and the old one is dropped as a whole. */
  #young = new Map<Hash, Node>();
  #old = new Map<Hash, Node>();
  readonly #pending = new Map<Hash, Uint8Array>();
  #bytes = 0;
  #pendingBytes = 0;

  constructor(store: BlockReader, bytesMax: number = CACHE_BYTES) {
    this.#store = store;
    this.#bytesMax = bytesMax;
  }

  /** A node. @throws AppError `STATE_CORRUPTED`, naming the block that is missing or damaged. */
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

  /** Holds a new node until a commit takes it. */
  save(bytes: Uint8Array): Hash {
    const hash = hashOf(bytes);
    if (hash !== EMPTY_ROOT && !this.#pending.has(hash)) {
      this.#pending.set(hash, bytes);
      this.#pendingBytes += bytes.length;
    }
    return hash;
  }

  /** Bytes of the blocks that are held. */
  get heldBytes(): number {
    return this.#pendingBytes;
  }

  /** Every held node. */
  get held(): ReadonlyMap<Hash, Uint8Array> {
    return this.#pending;
  }

  /** The held nodes that lead from these roots: what a commit of them has to store. */
  heldBelow(roots: Iterable<Hash>): Map<Hash, Uint8Array> {
    const found = new Map<Hash, Uint8Array>();
    const open = [...roots];
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      const bytes = found.has(hash) ? undefined : this.#pending.get(hash);
      if (bytes === undefined) continue;
      found.set(hash, bytes);
      // Kept ready: the next change begins at this one's roots.
      const node = this.load(hash);
      if (node.level > 0) open.push(...node.children.hashes);
    }
    return found;
  }

  /** Lets go of the held blocks: they were stored, or nobody wants them. */
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

/** The root of every empty tree. No store needs to keep its block. */
export const EMPTY_ROOT: Hash = hashOf(EMPTY_NODE);

/** A stored block's bytes. @throws AppError `STATE_CORRUPTED` when it is missing or damaged. */
export function checkedBlock(store: BlockReader, hash: Hash): Uint8Array {
  const bytes = store.get(hash);
  if (bytes === undefined) throw new CorruptedBlock(hash, "missing");
  if (hashOf(bytes) !== hash) throw new CorruptedBlock(hash, "damaged");
  return bytes;
}
