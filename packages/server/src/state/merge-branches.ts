import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { BlockCache } from "./block-cache.js";
import { commitId, encodeCommit, readCommit, type Roots } from "./commit.js";
import type { Hash } from "./hash.js";
import { mergeBase } from "./history.js";
import { type MergePreview, mergeTrees } from "./merge.js";
import type { BlockStore } from "./ports.js";
import { type CommitNote, EMPTY_ROOTS } from "./triple-store.js";

/** What is to be merged into what. */
export interface MergeOrder extends CommitNote {
  /** The branch that moves. */
  readonly branch: string;
  /** The commit whose history it takes in. */
  readonly theirs: Hash;
  /** IRIs of the properties that have one value. */
  readonly singleValued: ReadonlySet<string>;
}

/** What a merge comes to. */
export interface MergeOutcome extends MergePreview {
  /** `none`: there was nothing to take in. `forward`: the branch had nothing of its own. */
  readonly kind: "none" | "forward" | "merge";
  /** Where the branch stands afterwards; where it stood when there are conflicts. */
  readonly commit: Hash;
}

/**
 * Merges a commit into a branch. With conflicts, nothing changes.
 * @param isPreview whether to tell only what would be.
 * @throws AppError `NOT_FOUND` when there is no such branch, `STATE_CONFLICT` when it has moved meanwhile.
 */
export function mergeIntoBranch(
  store: BlockStore,
  clock: Clock,
  order: MergeOrder,
  isPreview: boolean,
): MergeOutcome {
  const name = `heads/${order.branch}`;
  const ours = store.ref(name);
  if (ours === undefined) {
    throw new AppError("NOT_FOUND", `There is no branch ${JSON.stringify(order.branch)}`);
  }
  const blocks = new BlockCache(store);
  const base = mergeBase(store, ours, order.theirs);
  const rootsOf = (commit: Hash | undefined): Roots =>
    commit === undefined ? EMPTY_ROOTS : readCommit(store, commit).roots;
  const preview = mergeTrees(blocks, {
    base: rootsOf(base),
    ours: rootsOf(ours),
    theirs: rootsOf(order.theirs),
    singleValued: order.singleValued,
  });
  const kind = base === order.theirs ? "none" : base === ours ? "forward" : "merge";
  if (isPreview || kind === "none" || preview.conflicts.length > 0) {
    return { ...preview, kind, commit: ours };
  }
  const { author, message } = order;
  const roots = preview.roots;
  const commit =
    kind === "forward"
      ? undefined
      : encodeCommit({
          ...{ roots, author, message, timeMs: clock.nowMs() },
          parents: [ours, order.theirs],
        });
  const written = blocks.heldBelow([roots.spog, roots.posg, roots.ospg]);
  if (commit !== undefined) written.set(commit.hash, commit.bytes);
  const next = commit?.hash ?? order.theirs;
  if (store.move({ name, expected: ours, next }, written)) {
    return { ...preview, kind, commit: next };
  }
  const at = store.ref(name);
  throw new AppError(
    "STATE_CONFLICT",
    `The branch ${order.branch} ${at === undefined ? "is gone" : `has moved to ${commitId(at)}`}`,
  );
}
