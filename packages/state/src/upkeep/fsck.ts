import { AppError } from "@steward/kernel/errors.js";
import { BlockCache, EMPTY_ROOT } from "../tree/block-cache.js";
import { checkedBlock } from "../tree/block-cache.js";
import { buildTrees, tableOf } from "../datasets/bulk-load.js";
import { readCommit, type Roots } from "../datasets/commit.js";
import { type LogEntry, parentsFirst, walkCommits } from "../datasets/commit-walk.js";
import { diffTrees } from "../tree/diff.js";
import type { Hash } from "../blocks/hash.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { EntryCursor, Node } from "../tree/node.js";
import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockReader, BlockStore } from "../ports.js";
import { isKeptIn, keyIn, splitKey } from "../terms/quad-key.js";
import { Snapshot } from "../datasets/snapshot.js";
import { bodiesOf } from "./reachable.js";
import { updateTree } from "../tree/tree-update.js";

/** A defect of a store. */
export interface Fault {
  /** The ref under which the defect was found. */
  readonly ref: string;
  /** The affected block. */
  readonly hash: Hash;
  readonly reason: string;
}

/**
 * Checks everything reachable from refs: every block exists and is intact, every tree is the one
 * that its keys produce, and the derived trees match the first tree.
 * @returns the defects; empty for an intact store.
 */
export function checkStore(store: BlockStore): readonly Fault[] {
  const faults: Fault[] = [];
  const checked = new Set<Hash>();
  const sound = new Map<Hash, Roots>();
  for (const { name, commit } of store.refs()) {
    const report: Report = (hash, reason) => void faults.push({ ref: name, hash, reason });
    // Parents first: a commit whose parent is intact is checked incrementally.
    for (const each of parentsFirst(newCommits(store, commit, checked, report))) {
      checkCommit(store, each, checked, sound, report);
    }
  }
  return faults;
}

type Report = (hash: Hash, reason: string) => void;

/** A commit and its ancestors, as far as they were not checked before; unreadable ones are reported. */
function newCommits(
  store: BlockStore,
  newest: Hash,
  checked: Set<Hash>,
  report: Report,
): Iterable<LogEntry> {
  return walkCommits(store, [newest], {
    isKnown: (hash) => checked.has(hash),
    read: (hash) => {
      checked.add(hash);
      return attempt(() => readCommit(store, hash), hash, report);
    },
  });
}

function checkCommit(
  store: BlockStore,
  { hash, roots, parents }: LogEntry,
  checked: Set<Hash>,
  sound: Map<Hash, Roots>,
  report: Report,
): void {
  let faults = 0;
  const count: Report = (at, reason) => {
    faults += 1;
    report(at, reason);
  };
  for (const root of [roots.spog, roots.posg, roots.ospg]) {
    checkTree(store, root, root === roots.spog, checked, count);
  }
  // Trees that cannot be read are not compared.
  if (faults > 0) return;
  const [base] = parents.flatMap((parent) => sound.get(parent) ?? []);
  const compare = (): void => {
    if (base === undefined || !follows(store, base, roots)) checkDerivation(store, roots, count);
  };
  // A block missing below a node that another commit shares was reported there.
  attempt(compare, hash, count);
  if (faults === 0) sound.set(hash, roots);
}

/**
 * Whether trees equal the trees that result from applying the first tree's difference to an intact
 * base.
 */
function follows(store: BlockReader, base: Roots, roots: Roots): boolean {
  const blocks = new BlockCache(store);
  const changes = [...diffTrees(blocks, base.spog, roots.spog)].map(({ key, added }) => ({
    bytes: splitKey("spog", key),
    present: added,
  }));
  return EVERY_ORDER.every((order) => {
    const edits = changes
      .filter(({ bytes }) => isKeptIn(order, bytes.object))
      .map(({ bytes, present }) => ({ key: keyIn(order, bytes), present }))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    return updateTree(blocks, base[order], edits) === roots[order];
  });
}

const EVERY_ORDER = ["spog", "posg", "ospg"] as const;

function checkTree(
  store: BlockReader,
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

/** Reads a node and checks that all its entries can be decoded. */
function readNode(store: BlockReader, hash: Hash): Node {
  const node = new Node(checkedBlock(store, hash));
  const cursor = new EntryCursor(node);
  let size = 0;
  while (cursor.next()) size += 1;
  if (size !== node.size)
    throw new AppError("STATE_CORRUPTED", "It has fewer entries than it says");
  return node;
}

/**
 * Rebuilds all trees from the quads of the first and compares the roots; equal sets have equal
 * roots.
 */
function checkDerivation(store: BlockReader, roots: Roots, report: Report): void {
  const scratch = new MemoryBlockStore({ nowMs: () => 0 });
  const table = tableOf(new Snapshot(new BlockCache(store), roots).match(), scratch);
  const blocks = new BlockCache(scratch);
  const wanted = withoutPauses(buildTrees(table, blocks, () => blocks.release()));
  for (const order of EVERY_ORDER) {
    if (wanted[order] === roots[order]) continue;
    report(roots[order], `The index ${order} does not match the quads: ${wanted[order]}`);
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
