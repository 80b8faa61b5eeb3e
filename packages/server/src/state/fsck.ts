import { AppError } from "../kernel/errors.js";
import { BlockCache, EMPTY_ROOT } from "./block-cache.js";
import { checkedBlock } from "./block-cache.js";
import { BulkLoad } from "./bulk-load.js";
import { readCommit, type Roots } from "./commit.js";
import type { Hash } from "./hash.js";
import { MemoryBlockStore } from "./memory-block-store.js";
import { EntryCursor, Node } from "./node.js";
import type { BlockStore } from "./ports.js";
import { Snapshot } from "./snapshot.js";
import { bodiesOf } from "./reachable.js";

/** Something that is not as it should be. */
export interface Fault {
  /** The ref it was found under. */
  readonly ref: string;
  /** The block concerned. */
  readonly hash: Hash;
  readonly reason: string;
}

/**
 * Checks everything that refs lead to: that every block is there and undamaged, that every tree is the
 * very one its keys make, and that the derived trees say what the first one does.
 * @returns the faults; none when all is well.
 */
export function checkStore(store: BlockStore): readonly Fault[] {
  const faults: Fault[] = [];
  const checked = new Set<Hash>();
  for (const { name, commit } of store.refs()) {
    const open = [commit];
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      if (checked.has(hash)) continue;
      checked.add(hash);
      const report = (at: Hash, reason: string): void =>
        void faults.push({ ref: name, hash: at, reason });
      const found = attempt(() => readCommit(store, hash), hash, report);
      if (found === undefined) continue;
      checkRoots(store, found.roots, checked, report);
      open.push(...found.parents);
    }
  }
  return faults;
}

type Report = (hash: Hash, reason: string) => void;

function checkRoots(store: BlockStore, roots: Roots, checked: Set<Hash>, report: Report): void {
  let faults = 0;
  const count: Report = (hash, reason) => {
    faults += 1;
    report(hash, reason);
  };
  for (const root of [roots.spog, roots.posg, roots.ospg]) {
    checkTree(store, root, root === roots.spog, checked, count);
  }
  // Trees that cannot be read cannot be compared.
  if (faults === 0) checkDerivation(store, roots, report);
}

function checkTree(
  store: BlockStore,
  root: Hash,
  hasBodies: boolean,
  checked: Set<Hash>,
  report: Report,
): void {
  const open = [root];
  for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
    if (hash === EMPTY_ROOT || checked.has(hash)) continue;
    const at = hash;
    const node = attempt(() => readNode(store, at), at, report);
    if (node === undefined) continue;
    checked.add(at);
    if (node.level > 0) open.push(...node.children.hashes);
    else if (hasBodies) {
      for (const body of bodiesOf(node)) attempt(() => checkedBlock(store, body), body, report);
    }
  }
}

/** A node whose entries can all be read. */
function readNode(store: BlockStore, hash: Hash): Node {
  const node = new Node(checkedBlock(store, hash));
  const cursor = new EntryCursor(node);
  let size = 0;
  while (cursor.next()) size += 1;
  if (size !== node.size)
    throw new AppError("STATE_CORRUPTED", "It has fewer entries than it says");
  return node;
}

/** Builds all trees anew from the quads of the first: equal sets have equal roots. */
function checkDerivation(store: BlockStore, roots: Roots, report: Report): void {
  const scratch = new MemoryBlockStore({ nowMs: () => 0 });
  const load = new BulkLoad(scratch);
  for (const quad of new Snapshot(new BlockCache(store), roots).match()) load.add(quad);
  const blocks = new BlockCache(scratch);
  const wanted = load.build(blocks, () => blocks.release());
  for (const order of ["spog", "posg", "ospg"] as const) {
    if (wanted[order] === roots[order]) continue;
    report(roots[order], `The tree ${order} is not the one that the quads make: ${wanted[order]}`);
  }
}

function attempt<T>(read: () => T, hash: Hash, report: Report): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "STATE_CORRUPTED") throw error;
    report(hash, error.message);
    return undefined;
  }
}
