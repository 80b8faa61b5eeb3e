import type { Clock } from "../kernel/clock.js";
import { BlockCache } from "./block-cache.js";
import { readCommit } from "./commit.js";
import type { Hash } from "./hash.js";
import { mergingTrees, type MergePreview } from "./merge.js";
import { type BranchOrder, headOf, moveBranch } from "./move-branch.js";
import type { Pausing } from "../kernel/pausing.js";
import type { BlockStore } from "./ports.js";
import { EMPTY_ROOTS } from "./triple-store.js";

/** Characters of the undone commit's message that the new one's has. */
const QUOTED_MAX = 200;

/** What is to be undone. */
export interface RevertOrder extends BranchOrder {
  /** The commit whose changes are undone. */
  readonly undone: Hash;
  readonly author: string;
  /** Left out: it names the undone commit's message. */
  readonly message?: string | undefined;
  /** IRIs of the properties that have one value. */
  readonly singleValued: ReadonlySet<string>;
}

/** What a revert comes to. Of its conflicts' two sides, ours is the branch and theirs is the revert. */
export interface RevertOutcome extends MergePreview {
  /** `none`: nothing of what the commit changed is still there. */
  readonly kind: "none" | "revert";
  /** Where the branch stands afterwards; where it stood when there are conflicts. */
  readonly commit: Hash;
}

/**
 * Undoes one commit on a branch, as a new one, with pauses: a merge of what the branch has made of the commit since with the way
 * back from it. Of a commit with several parents, what it changed in the first one is undone. With conflicts, nothing
 * changes. Where the commit gave a property another value, the property has one value: if the branch has changed it
 * since, that is a conflict.
 * @param isPreview whether to tell only what would be.
 * @throws AppError `NOT_FOUND` when there is no such branch, `STATE_CONFLICT` when it is not where it was expected.
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
