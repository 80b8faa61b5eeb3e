import { BlockCache } from "../tree/block-cache.js";
import { buildSpogTree, collecting } from "./bulk-load.js";
import type { Hash } from "../blocks/hash.js";
import { type Pausing } from "@steward/kernel/concurrency/pausing.js";
import { keyIn, quadBytes } from "../terms/quad-key.js";
import type { QuadLike } from "../terms/term.js";
import { updateTree } from "../tree/tree-update.js";

/**
 * The quads that a change removes from a dataset and adds to it. A quad that is in both lists
 * stays.
 */
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
 * Computes the roots of a dataset and of the changed dataset without storing anything. The cost of
 * the second root is proportional to the change.
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

/** The trees are in memory, and the texts of long literals are not needed. */
const NO_STORE = { get: () => undefined, put: () => undefined };

function keyOf(quad: QuadLike): string {
  return keyIn(
    "spog",
    quadBytes(quad, () => undefined),
  ).toString("latin1");
}
