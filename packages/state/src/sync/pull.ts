import { EMPTY_ROOT } from "../tree/block-cache.js";
import { decodeCommit } from "../datasets/commit.js";
import { type Hash, hashOf } from "../blocks/hash.js";
import { Node } from "../tree/node.js";
import type { Blocks, BlockStore, OriginSync } from "../ports.js";
import { bodiesOf } from "../upkeep/reachable.js";

/** Blocks per request to the origin. */
const BATCH_BLOCKS = 128;

/** How to decode a block to find its links. */
type Kind = "commit" | "tree" | "tree of subjects" | "text";

interface Wanted {
  readonly hash: Hash;
  readonly kind: Kind;
  /** Blocks that wait for this block's subtree. */
  readonly above: Wanted[];
  bytes: Uint8Array | undefined;
  /** Number of directly linked blocks that are not complete. */
  open: number;
}

/**
 * Fetches commits and everything reachable from them, as far as the store lacks it, from the top
 * down and many blocks at a time. A block is stored after all blocks that it links to, so stored
 * blocks are complete even after an interruption and are not visited again. Blocks that the origin
 * has lost stay missing, and damaged blocks stay damaged; all others are fetched nevertheless.
 * Reading a missing or damaged block is an error.
 * @throws AppError `STORE_UNAVAILABLE`.
 */
export async function pull(
  origin: Pick<OriginSync, "blocks">,
  orgId: string,
  to: BlockStore,
  commits: Iterable<Hash>,
): Promise<void> {
  const work = new Pull(to);
  for (const commit of commits) work.want(commit, "commit", undefined);
  for (let batch = work.batch(); batch.length > 0; batch = work.batch()) {
    const { blocks, rest } = await origin.blocks(orgId, batch);
    const later = new Set(rest);
    for (const hash of batch) {
      if (later.has(hash)) work.postpone(hash);
      else work.arrive(hash, blocks.get(hash));
    }
    work.keep();
  }
}

class Pull {
  readonly #to: Blocks;
  readonly #wanted = new Map<Hash, Wanted>();
  /** Blocks to request, last first. Depth first limits the number of waiting nodes. */
  readonly #stack: Hash[] = [];
  /** Complete blocks, in the order of completion. */
  readonly #ready = new Map<Hash, Uint8Array>();

  constructor(to: Blocks) {
    this.#to = to;
  }

  want(hash: Hash, kind: Kind, above: Wanted | undefined): void {
    if (hash === EMPTY_ROOT || this.#ready.has(hash)) return;
    let wanted = this.#wanted.get(hash);
    if (wanted === undefined) {
      if (this.#to.has(hash)) return;
      wanted = { hash, kind, above: [], bytes: undefined, open: 0 };
      this.#wanted.set(hash, wanted);
      this.#stack.push(hash);
    }
    if (above === undefined) return;
    wanted.above.push(above);
    above.open += 1;
  }

  batch(): readonly Hash[] {
    return this.#stack.splice(-BATCH_BLOCKS);
  }

  postpone(hash: Hash): void {
    this.#stack.push(hash);
  }

  /** @param bytes undefined when the origin lacks the block. */
  arrive(hash: Hash, bytes: Uint8Array | undefined): void {
    const wanted = this.#wanted.get(hash);
    if (wanted === undefined) return;
    const links = bytes && hashOf(bytes) === hash ? linksOf(bytes, wanted.kind) : [];
    // A block that was requested as a commit but is none is not stored, because its links are
    // unknown.
    if (links !== undefined) wanted.bytes = bytes;
    for (const { hash: below, kind } of links ?? []) this.want(below, kind, wanted);
    if (wanted.open === 0) this.#complete(wanted);
  }

  /** Stores complete blocks. */
  keep(): void {
    if (this.#ready.size > 0) this.#to.put(this.#ready);
    this.#ready.clear();
  }

  /** Iterative, because a history may be too long for recursion. */
  #complete(first: Wanted): void {
    const open = [first];
    for (let wanted = open.pop(); wanted !== undefined; wanted = open.pop()) {
      const { hash, bytes, above } = wanted;
      this.#wanted.delete(hash);
      if (bytes !== undefined) this.#ready.set(hash, bytes);
      for (const waiting of above) {
        waiting.open -= 1;
        if (waiting.open === 0) open.push(waiting);
      }
    }
  }
}

interface Link {
  readonly hash: Hash;
  readonly kind: Kind;
}

/** The links of a block; undefined when it should be a commit and is none. */
function linksOf(bytes: Uint8Array, kind: Kind): readonly Link[] | undefined {
  if (kind === "text") return [];
  if (kind === "commit") {
    const commit = decodeCommit(Buffer.from(bytes));
    if (commit === undefined) return undefined;
    const { spog, posg, ospg } = commit.roots;
    return [
      ...commit.parents.map((hash): Link => ({ hash, kind: "commit" })),
      { hash: spog, kind: "tree of subjects" },
      { hash: posg, kind: "tree" },
      { hash: ospg, kind: "tree" },
    ];
  }
  const node = new Node(bytes);
  if (node.level > 0) return node.children.hashes.map((hash): Link => ({ hash, kind }));
  // Texts are found through the subject tree, which names all of them.
  if (kind === "tree") return [];
  return [...bodiesOf(node)].map((hash): Link => ({ hash, kind: "text" }));
}
