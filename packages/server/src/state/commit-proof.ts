import { AppError } from "../kernel/errors.js";
import type { BlockCache } from "./block-cache.js";
import { checkedBlock } from "./block-cache.js";
import { commitId, commitOfId, decodeCommit, readCommit } from "./commit.js";
import { type Hash, hashOf } from "./hash.js";
import type { BlockStore } from "./ports.js";
import { prove, verifyProof } from "./proof.js";
import { keyIn, quadBytes } from "./quad-key.js";
import type { QuadLike } from "./term.js";

/**
 * Shows that a commit's dataset has a quad, or has it not, to somebody who knows nothing but the commit's id: the
 * commit's block, and the blocks from its root to where the quad is or would be. All in base64.
 */
export interface CommitProof {
  /** The commit's content id. */
  readonly commit: string;
  /** Whether the dataset has the quad. */
  readonly present: boolean;
  readonly commitBlock: string;
  readonly nodes: readonly string[];
}

/** Proves that a commit's dataset has the quad, or that it has it not. */
export function proveQuad(
  store: BlockStore,
  blocks: BlockCache,
  commit: Hash,
  quad: QuadLike,
): CommitProof {
  const { roots } = readCommit(store, commit);
  const key = keyOf(quad);
  const proof = prove(blocks, roots.spog, key);
  return {
    commit: commitId(commit),
    present: verifyProof(roots.spog, key, proof) === true,
    commitBlock: Buffer.from(checkedBlock(store, commit)).toString("base64"),
    nodes: proof.nodes.map((node) => Buffer.from(node).toString("base64")),
  };
}

/**
 * Checks a proof against a commit that the caller trusts. Needs no store and no server; what the proof says of
 * itself is not believed.
 * @returns whether the commit's dataset has the quad; undefined when this proves neither.
 * @throws AppError `INVALID_ARGUMENT` when the trusted id or the quad are none.
 */
export function verifyQuad(
  trusted: string,
  quad: QuadLike,
  proof: Pick<CommitProof, "commitBlock" | "nodes">,
): boolean | undefined {
  const commit = commitOfId(trusted);
  const key = keyOf(quad);
  const block = Buffer.from(proof.commitBlock, "base64");
  const roots = hashOf(block) === commit ? decodeCommit(block)?.roots : undefined;
  if (roots === undefined) return undefined;
  const nodes = proof.nodes.map((node) => Buffer.from(node, "base64"));
  return verifyProof(roots.spog, key, { nodes });
}

function keyOf(quad: QuadLike): Buffer {
  try {
    return keyIn(
      "spog",
      quadBytes(quad, () => undefined),
    );
  } catch (error) {
    const { message } = AppError.from(error);
    throw new AppError("INVALID_ARGUMENT", message, { cause: error });
  }
}
