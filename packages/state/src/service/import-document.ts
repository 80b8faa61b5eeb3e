import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { STATE_QUADS_MAX, STATE_REFS_MAX } from "../limits.js";
import { EMPTY_ROOT } from "../tree/block-cache.js";
import { readCommit } from "../datasets/commit.js";
import { diffTrees } from "../tree/diff.js";
import type { Hash } from "../blocks/hash.js";
import { moved } from "../history/named-commit.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import type { Blocks, BlockStore, RdfDocument, Refs } from "../ports.js";
import type { ImportOrder, ImportOutcome } from "./state-answers.js";
import { TripleStore } from "../datasets/triple-store.js";

/** Bytes stored between two pauses, which takes a few milliseconds, mostly for compression. */
const STORED_AT_ONCE_BYTES = 256 * 1024;
/** Changes counted between two pauses. */
const COUNTED_AT_ONCE = 2000;

/** An import and its author. */
export interface ImportJob {
  readonly order: Omit<ImportOrder, "content" | "removed" | "format">;
  readonly document: RdfDocument;
  /** Quads to remove before the document's quads are added. */
  readonly removal?: RdfDocument | undefined;
  readonly author: string;
}

/**
 * Refuses an import that cannot be committed, whatever its document contains.
 * @throws AppError `STATE_CONFLICT` when the branch is not at the expected commit; `LIMIT_EXCEEDED`
 * when the branch is new and the organization has too many refs.
 */
export function checkTarget(
  store: Refs,
  { branch, expected }: Pick<ImportOrder, "branch" | "expected">,
): void {
  const name = `heads/${branch}`;
  const head = store.ref(name);
  if (expected !== undefined && (expected ?? undefined) !== head) throw moved(name, head);
  if (head === undefined) checkRoomForRef(store);
}

/** @throws AppError `LIMIT_EXCEEDED` when the organization has the maximum number of refs. */
export function checkRoomForRef(store: Refs): void {
  if (store.refs().length < STATE_REFS_MAX) return;
  const message = `There are already ${STATE_REFS_MAX} branches and tags, the maximum: delete one`;
  throw new AppError("LIMIT_EXCEEDED", message);
}

/**
 * Imports a document as one commit. No commit is made when the document changes nothing.
 * @throws as {@link checkTarget}.
 */
export function* importDocument(
  store: BlockStore,
  clock: Clock,
  { order, document, removal, author }: ImportJob,
): Pausing<ImportOutcome> {
  checkTarget(store, order);
  yield* storeBodies(store, document.bodies);
  const triples = new TripleStore(store, clock, order.branch);
  const before = triples.head;
  const sizeBefore = triples.now.size;
  for (const pause of changing(triples, order.mode, document, removal)) {
    triples.storeHeld(STORED_AT_ONCE_BYTES);
    yield pause;
  }
  const { size } = triples.now;
  if (size > STATE_QUADS_MAX) {
    throw new AppError(
      "LIMIT_EXCEEDED",
      `A dataset has ${STATE_QUADS_MAX} quads at most: remove some first, or import into another branch`,
    );
  }
  const growth = size - sizeBefore;
  // When quads were only added or only removed, the change of the dataset's size is their number.
  const added =
    order.mode === "replace" || removal !== undefined
      ? yield* countAdded(store, triples, before)
      : Math.max(0, growth);
  // There is no pause after the commit: an import that fails at a pause has changed nothing.
  const commit = triples.commitChanges({ author, message: order.message });
  return { commit, size, added, deleted: added - growth };
}

function* changing(
  triples: TripleStore,
  mode: ImportOrder["mode"],
  { quads }: RdfDocument,
  removal: RdfDocument | undefined,
): Pausing<void> {
  switch (mode) {
    case "add":
      if (removal !== undefined) yield* triples.unloading(removal.quads);
      return yield* triples.loading(quads);
    case "remove":
      return yield* triples.unloading(quads);
    case "replace":
      return yield* triples.replacing(quads);
  }
}

function* storeBodies(
  store: Pick<Blocks, "put">,
  bodies: ReadonlyMap<Hash, Uint8Array>,
): Pausing<void> {
  let batch = new Map<Hash, Uint8Array>();
  let bytes = 0;
  for (const [hash, body] of bodies) {
    batch.set(hash, body);
    bytes += body.length;
    if (bytes < STORED_AT_ONCE_BYTES) continue;
    store.put(batch);
    batch = new Map();
    bytes = 0;
    yield;
  }
  if (batch.size > 0) store.put(batch);
}

/** Number of quads that a dataset contains and a commit's dataset does not. */
function* countAdded(
  store: BlockStore,
  { blocks, now }: TripleStore,
  before: Hash | undefined,
): Pausing<number> {
  const old = before === undefined ? EMPTY_ROOT : readCommit(store, before).roots.spog;
  let [added, seen] = [0, 0];
  for (const change of diffTrees(blocks, old, now.roots.spog)) {
    if (change.added) added += 1;
    if (++seen % COUNTED_AT_ONCE === 0) yield;
  }
  return added;
}
