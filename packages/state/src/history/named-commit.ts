import { AppError } from "@steward/kernel/errors.js";
import { commitId, readCommit } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { hashOfId, resolve } from "./history.js";
import type { BlockStore } from "../ports.js";

/**
 * The commit of a ref or an id.
 * @throws AppError `NOT_FOUND`.
 */
export function commitNamed(store: BlockStore, name: string): Hash {
  const hash = resolve(store, name);
  // A ref always names a commit. A hash given by a caller must be checked.
  if (hashOfId(name) !== undefined && !isCommit(store, hash)) throw unknownRef(name);
  return hash;
}

function isCommit(store: BlockStore, hash: Hash): boolean {
  try {
    readCommit(store, hash);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "STATE_CORRUPTED") return false;
    throw error;
  }
}

function unknownRef(name: string): AppError {
  return new AppError("NOT_FOUND", `There is no branch, tag or commit ${JSON.stringify(name)}`);
}

/** The error for a ref that is not at the expected commit. */
export function moved(name: string, at: Hash | undefined): AppError {
  const now = at === undefined ? "does not exist" : `is at ${commitId(at)}`;
  return new AppError("STATE_CONFLICT", `The ref ${name} ${now}: read it again, then retry`);
}
