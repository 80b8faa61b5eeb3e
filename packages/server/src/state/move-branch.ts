import { AppError } from "../kernel/errors.js";
import type { BlockCache } from "./block-cache.js";
import { type Commit, encodeCommit, type Roots } from "./commit.js";
import type { Hash } from "./hash.js";
import { moved } from "./named-commit.js";
import type { BlockStore } from "./ports.js";

/** Which branch is to move. */
export interface BranchOrder {
  readonly branch: string;
  /** Where it must be; left out: wherever it is. */
  readonly expected?: Hash | undefined;
}

/** How a branch moves on. */
export interface BranchMove {
  readonly branch: string;
  readonly from: Hash;
  /** A commit that there is, or a new one. */
  readonly to: Hash | Commit;
  /** The trees that it leads to. */
  readonly roots: Roots;
}

/**
 * Where a branch is.
 * @throws AppError `NOT_FOUND` when there is no such branch, `STATE_CONFLICT` when it is not where it was expected.
 */
export function headOf(store: BlockStore, { branch, expected }: BranchOrder): Hash {
  const name = `heads/${branch}`;
  const head = store.ref(name);
  if (expected !== undefined && expected !== head) throw moved(name, head);
  if (head !== undefined) return head;
  throw new AppError("NOT_FOUND", `There is no branch ${JSON.stringify(branch)}`);
}

/** Moves a branch. @returns where it is. @throws AppError `STATE_CONFLICT` when it has moved meanwhile. */
export function moveBranch(
  store: BlockStore,
  blocks: BlockCache,
  { branch, from, to, roots }: BranchMove,
): Hash {
  const name = `heads/${branch}`;
  const written = blocks.heldBelow([roots.spog, roots.posg, roots.ospg]);
  const next = typeof to === "string" ? to : encoded(to, written);
  if (store.move({ name, expected: from, next }, written)) return next;
  throw moved(name, store.ref(name));
}

function encoded(commit: Commit, written: Map<Hash, Uint8Array>): Hash {
  const { hash, bytes } = encodeCommit(commit);
  written.set(hash, bytes);
  return hash;
}
