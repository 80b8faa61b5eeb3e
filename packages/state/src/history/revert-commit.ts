import type { Clock } from "@steward/kernel/clock.js";
import { BlockCache } from "../tree/block-cache.js";
import { readCommit } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { mergingTrees, type MergePreview } from "./merge.js";
import { type BranchOrder, headOf, moveBranch } from "./move-branch.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore } from "../ports.js";
import { EMPTY_ROOTS } from "../datasets/triple-store.js";

/** Characters of the reverted commit's message quoted in the new message. */
const QUOTED_MAX = 200;

/** A revert of a commit on a branch. */
export interface RevertOrder extends BranchOrder {
  /** The commit to revert. */
  readonly undone: Hash;
  readonly author: string;
  /** Absent: a message that quotes the reverted commit's. */
  readonly message?: string | undefined;
  /** IRIs of single-valued properties. */
  readonly singleValued: ReadonlySet<string>;
}

/** Result of a revert. In its conflicts, "ours" is the branch and "theirs" is the revert. */
export interface RevertOutcome extends MergePreview {
  /** `none`: none of the commit's changes is still in effect. */
  readonly kind: "none" | "revert";
  /** The branch's commit after the revert; its previous commit when there are conflicts. */
  readonly commit: Hash;
}

/**
 * Reverts a commit on a branch by a new commit. Pauses regularly. The revert is a three-way merge:
 * the base is the reverted commit, one side is the branch, the other side is the commit's first
 * parent. With conflicts, nothing changes. A property whose value the commit replaced counts as
 * single-valued, so a later change of it on the branch is a conflict.
 * @param isPreview only computes the result.
 * @throws AppError `NOT_FOUND` when the branch does not exist; `STATE_CONFLICT` when it is not at
 * the expected commit.
 */
export function* revertOnBranch(
  store: BlockStore,
  clock: Clock,
  order: RevertOrder,
  isPreview: boolean,
): Pausing<RevertOutcome> {
  const head = headOf(store, order);
  const { undone, singleValued, author } = order;
  const blocks = new BlockCache(store);
  const { roots: base, parents, message: said } = readCommit(store, undone);
  const [parent] = parents;
  const { roots: ours } = readCommit(store, head);
  const preview = yield* mergingTrees(blocks, {
    ...{ base, ours, singleValued, hasOneWhereReplaced: true },
    theirs: parent === undefined ? EMPTY_ROOTS : readCommit(store, parent).roots,
  });
  const { roots } = preview;
  const kind = roots.spog === ours.spog ? "none" : "revert";
  if (isPreview || kind === "none" || preview.conflicts.length > 0) {
    return { ...preview, kind, commit: head };
  }
  const message = order.message ?? `Revert "${shortened(said)}"`;
  const to = { roots, parents: [head], author, message, timeMs: clock.nowMs() };
  const commit = moveBranch(store, blocks, { branch: order.branch, from: head, to, roots });
  return { ...preview, kind, commit };
}

function shortened(message: string): string {
  const [line = ""] = message.split("\n");
  return line.length > QUOTED_MAX ? `${line.slice(0, QUOTED_MAX)}…` : line;
}
