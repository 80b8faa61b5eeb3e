import { AppError } from "@steward/kernel/errors.js";
import type { BlockCache } from "../tree/block-cache.js";
import { type Commit, encodeCommit, type Roots } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { moved } from "./named-commit.js";
import type { BlockStore, Refs } from "../ports.js";

/** The branch to move. */
export interface BranchOrder {
  readonly branch: string;
  /** The commit at which the branch must be; absent: any. */
  readonly expected?: Hash | undefined;
}

/** The target of a branch's move. */
export interface BranchMove {
  readonly branch: string;
  readonly from: Hash;
  /** An existing commit, or a new one. */
  readonly to: Hash | Commit;
  /** The roots of the target's trees. */
  readonly roots: Roots;
}

/**
 * The commit of a branch.
 * @throws AppError `NOT_FOUND` when the branch does not exist; `STATE_CONFLICT` when it is not at
 * the expected commit.
 */
export function headOf(store: BlockStore, { branch, expected }: BranchOrder): Hash {
  const name = `heads/${branch}`;
  const head = store.ref(name);
  if (expected !== undefined && expected !== head) throw moved(name, head);
  if (head !== undefined) return head;
  throw new AppError("NOT_FOUND", `There is no branch ${JSON.stringify(branch)}`);
}

/**
 * Moves a branch.
 * @returns its new commit.
 * @throws AppError `STATE_CONFLICT` when another writer has moved it meanwhile.
 */
export function moveBranch(
  store: Refs,
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
