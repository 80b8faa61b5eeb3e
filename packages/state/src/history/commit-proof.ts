import { AppError } from "@steward/kernel/errors.js";
import type { BlockCache } from "../tree/block-cache.js";
import { checkedBlock } from "../tree/block-cache.js";
import { commitId, commitOfId, decodeCommit, readCommit } from "../datasets/commit.js";
import { type Hash, hashOf } from "../blocks/hash.js";
import type { BlockStore } from "../ports.js";
import { prove, verifyProof } from "../tree/proof.js";
import { keyIn, quadBytes } from "../terms/quad-key.js";
import type { QuadLike } from "../terms/term.js";

/**
 * Proves that a commit's dataset contains a quad, or that it does not, to a verifier who knows only
 * the commit's id. It consists of the commit's block and the blocks from its root to the quad's
 * position, all in base64.
 */
export interface CommitProof {
  /** The commit's content id. */
  readonly commit: string;
  /** Whether the dataset has the quad. */
  readonly present: boolean;
  readonly commitBlock: string;
  readonly nodes: readonly string[];
}

/** Creates a proof that a commit's dataset contains a quad, or that it does not. */
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
 * Verifies a proof against a commit id that the caller trusts. It needs no store and no server, and
 * ignores the proof's own claims.
 * @returns whether the commit's dataset contains the quad; undefined when the proof is invalid.
 * @throws AppError `INVALID_ARGUMENT` when the trusted id or the quad is malformed.
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
