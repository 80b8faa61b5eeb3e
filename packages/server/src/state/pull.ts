import { EMPTY_ROOT } from "./block-cache.js";
import { decodeCommit } from "./commit.js";
import { type Hash, hashOf } from "./hash.js";
import { Node } from "./node.js";
import type { BlockStore, Origin } from "./ports.js";
import { bodiesOf } from "./reachable.js";

/** Blocks asked for at once. */
const BATCH_BLOCKS = 128;

/** How a block is to be read, to see what it leads to. */
type Kind = "commit" | "tree" | "tree of subjects" | "text";

interface Wanted {
  readonly hash: Hash;
  readonly kind: Kind;
  /** What waits for this block and all below it. */
  readonly above: Wanted[];
  bytes: Uint8Array | undefined;
  /** Blocks directly below that are not complete. */
  open: number;
}

/**
 * Brings commits and all they lead to from an origin, as far as the store has it not: many blocks at a time, from
 * the top. A block is kept after all those below it, so what is there is complete even when this is interrupted,
 * and is not gone through again. Blocks that the origin itself has lost or damaged stay away or damaged, and
 * the others come nevertheless: whoever reads such a block is told.
 * @throws AppError `STORE_UNAVAILABLE`.
 */
export async function pull(
  origin: Pick<Origin, "blocks">,
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
  readonly #to: BlockStore;
  readonly #wanted = new Map<Hash, Wanted>();
  /** To be asked for, the last first: so few nodes wait for those below them. */
  readonly #stack: Hash[] = [];
  /** Complete, in the order of their completion. */
  readonly #ready = new Map<Hash, Uint8Array>();

  constructor(to: BlockStore) {
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

  /** @param bytes undefined when the origin has none. */
  arrive(hash: Hash, bytes: Uint8Array | undefined): void {
    const wanted = this.#wanted.get(hash);
    if (wanted === undefined) return;
    const links = bytes && hashOf(bytes) === hash ? linksOf(bytes, wanted.kind) : [];
    // A block that is no commit, though somebody asked for one, is not brought: what is below it would not be.
    if (links !== undefined) wanted.bytes = bytes;
    for (const { hash: below, kind } of links ?? []) this.want(below, kind, wanted);
    if (wanted.open === 0) this.#complete(wanted);
  }

  /** Stores what is complete. */
  keep(): void {
    if (this.#ready.size > 0) this.#to.put(this.#ready);
    this.#ready.clear();
  }

  /** Without recursion: a history may be long. */
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

/** What a block leads to; undefined when it is no commit and should be. */
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
  // Every text is named in the tree of subjects, and there it is enough.
  if (kind === "tree") return [];
  return [...bodiesOf(node)].map((hash): Link => ({ hash, kind: "text" }));
}
