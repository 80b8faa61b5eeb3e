import { AppError } from "../kernel/errors.js";
import { commitId, readCommit } from "./commit.js";
import type { Hash } from "./hash.js";
import { resolve } from "./history.js";
import type { BlockStore } from "./ports.js";

/** The commit that a ref or an id names. @throws AppError `NOT_FOUND`. */
export function commitNamed(store: BlockStore, name: string): Hash {
  const hash = resolve(store, name);
  const isRef = [`heads/${name}`, `tags/${name}`, name].some((ref) => store.ref(ref) === hash);
  // A ref leads to a commit; of a hash that a caller brings, that has to be seen.
  if (!isRef && !isCommit(store, hash)) throw unknownRef(name);
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

/** The answer to whoever expected a ref elsewhere. */
export function moved(name: string, at: Hash | undefined): AppError {
  const now = at === undefined ? "does not exist" : `is at ${commitId(at)}`;
  return new AppError("STATE_CONFLICT", `The ref ${name} ${now}: look again, then try again`);
}
