import type { Clock } from "@steward/kernel/clock.js";
import { BlockCache } from "../tree/block-cache.js";
import { readCommit } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { findingMergeBase } from "./history.js";
import { mergingTrees, type MergePreview } from "./merge.js";
import { type BranchOrder, headOf, moveBranch } from "./move-branch.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore } from "../ports.js";
import { type CommitNote, EMPTY_ROOTS } from "../datasets/triple-store.js";

/** A merge of a commit into a branch. */
export interface MergeOrder extends CommitNote, BranchOrder {
  /** The commit to merge. */
  readonly theirs: Hash;
  /** IRIs of single-valued properties. */
  readonly singleValued: ReadonlySet<string>;
}

/** Result of a merge. */
export interface MergeOutcome extends MergePreview {
  /** `none`: nothing to merge. `forward`: the branch was fast-forwarded. */
  readonly kind: "none" | "forward" | "merge";
  /** The branch's commit after the merge; its previous commit when there are conflicts. */
  readonly commit: Hash;
}

/**
 * Merges a commit into a branch. With conflicts, nothing changes.
 * @param isPreview only computes the result.
 * @throws AppError `NOT_FOUND` when the branch does not exist; `STATE_CONFLICT` when it is not at
 * the expected commit.
 */
export function mergeIntoBranch(
  store: BlockStore,
  clock: Clock,
  order: MergeOrder,
  isPreview: boolean,
): MergeOutcome {
  return withoutPauses(mergingIntoBranch(store, clock, order, isPreview));
}

/** Like {@link mergeIntoBranch}, but pauses regularly. */
export function* mergingIntoBranch(
  store: BlockStore,
  clock: Clock,
  order: MergeOrder,
  isPreview: boolean,
): Pausing<MergeOutcome> {
  const ours = headOf(store, order);
  const { theirs, singleValued } = order;
  const blocks = new BlockCache(store);
  const base = yield* findingMergeBase(store, ours, theirs);
  const preview = yield* mergingTrees(blocks, {
    base: base === undefined ? EMPTY_ROOTS : readCommit(store, base).roots,
    ours: readCommit(store, ours).roots,
    theirs: readCommit(store, theirs).roots,
    singleValued,
  });
  const kind = base === theirs ? "none" : base === ours ? "forward" : "merge";
  if (isPreview || kind === "none" || preview.conflicts.length > 0) {
    return { ...preview, kind, commit: ours };
  }
  const { roots } = preview;
  const { branch, author, message } = order;
  const merged = { roots, parents: [ours, theirs], author, message, timeMs: clock.nowMs() };
  const to = kind === "forward" ? theirs : merged;
  return { ...preview, kind, commit: moveBranch(store, blocks, { branch, from: ours, to, roots }) };
}
