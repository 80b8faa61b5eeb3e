import { BlockCache } from "./block-cache.js";
import { buildSpogTree, collecting } from "./bulk-load.js";
import type { Hash } from "./hash.js";
import { type Pausing } from "../kernel/pausing.js";
import { keyIn, quadBytes } from "./quad-key.js";
import type { QuadLike } from "./term.js";
import { updateTree } from "./tree-update.js";

/** What a dataset loses and gains. A quad that is in both stays. */
export interface DatasetChange {
  readonly removed: Iterable<QuadLike>;
  readonly added: Iterable<QuadLike>;
}

/** The roots of a dataset before and after a change. */
export interface ChangedRoots {
  readonly before: Hash;
  readonly after: Hash;
}

/**
 * The roots, as a store's snapshots have them, of a dataset and of the same dataset changed. Nothing is stored, and the
 * second root costs as much as the change is large.
 */
export function* datasetRoots(
  quads: Iterable<QuadLike>,
  change: DatasetChange = { removed: [], added: [] },
): Pausing<ChangedRoots> {
  const blocks = new BlockCache(NO_STORE);
  const before = yield* buildSpogTree(yield* collecting(quads, NO_STORE), blocks);
  yield;
  const keys = new Map<string, boolean>();
  for (const quad of change.removed) keys.set(keyOf(quad), false);
  for (const quad of change.added) keys.set(keyOf(quad), true);
  const edits = [...keys]
    .map(([key, present]) => ({ key: Buffer.from(key, "latin1"), present }))
    .sort((a, b) => Buffer.compare(a.key, b.key));
  return { before, after: updateTree(blocks, before, edits) };
}

/** The trees are read from where they are held, and the texts of long literals not at all. */
const NO_STORE = { get: () => undefined, put: () => undefined };

function keyOf(quad: QuadLike): string {
  return keyIn(
    "spog",
    quadBytes(quad, () => undefined),
  ).toString("latin1");
}
