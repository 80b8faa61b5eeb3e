import { isoTime } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { checkedBlock } from "../tree/block-cache.js";
import { cidOf, hashOfCid } from "../blocks/cid.js";
import { type Hash, hashOf } from "../blocks/hash.js";
import type { BlockStore } from "../ports.js";

/**
 * The roots of a dataset's trees. The first identifies the dataset; the others are derived from the
 * same quads.
 */
export interface Roots {
  /** Subject, predicate, object, graph. */
  readonly spog: Hash;
  /** Predicate, object, subject, graph. */
  readonly posg: Hash;
  /** Object, subject, predicate, graph; only quads whose object is an IRI or a blank node. */
  readonly ospg: Hash;
}

/** A version of a dataset. */
export interface Commit {
  readonly roots: Roots;
  /** The parent commits: none for the first commit, two or more for a merge. */
  readonly parents: readonly Hash[];
  readonly author: string;
  readonly message: string;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
}

/** A commit as a stored block. */
export interface CommitBlock {
  readonly hash: Hash;
  readonly bytes: Uint8Array;
}

/**
 * Encodes a commit as DAG-JSON, so that any reader of that format can follow its links. The keys
 * are in the order that DAG-JSON prescribes.
 */
export function encodeCommit(commit: Commit): CommitBlock {
  const link = (hash: Hash): object => ({ "/": cidOf(hash, "raw") });
  const json = {
    author: commit.author,
    message: commit.message,
    parents: commit.parents.map((parent) => ({ "/": commitId(parent) })),
    roots: {
      ospg: link(commit.roots.ospg),
      posg: link(commit.roots.posg),
      spog: link(commit.roots.spog),
    },
    time: isoTime(commit.timeMs),
  };
  const bytes = Buffer.from(JSON.stringify(json));
  return { hash: hashOf(bytes), bytes };
}

/** The content id of a commit, as shown on all interfaces. */
export function commitId(hash: Hash): string {
  return cidOf(hash, "dag-json");
}

/**
 * The hash in a commit's content id.
 * @param field the request field, for the error message.
 * @throws AppError `INVALID_ARGUMENT` when the text is no content id.
 */
export function commitOfId(id: string, field?: string): Hash {
  return hashOfCid(id, "dag-json", field);
}

/**
 * Reads a commit.
 * @throws AppError `STATE_CORRUPTED` when its block is missing, damaged or no commit.
 */
export function readCommit(store: BlockStore, hash: Hash): Commit {
  const bytes = Buffer.from(checkedBlock(store, hash));
  const commit = decodeCommit(bytes);
  // A block that is not the canonical encoding of its content is rejected, so that each commit has
  // one encoding.
  if (commit !== undefined && encodeCommit(commit).hash === hash) return commit;
  throw new AppError("STATE_CORRUPTED", `The block ${hash} of the state is not a commit`);
}

/**
 * Decodes a commit without checking that the bytes are its canonical encoding; undefined when they
 * are no commit.
 */
export function decodeCommit(bytes: Buffer): Commit | undefined {
  try {
    // The caller compares the result's encoding with the bytes, so any other shape is rejected.
    const json = JSON.parse(bytes.toString("utf8")) as CommitJson;
    return {
      roots: {
        spog: hashOfCid(json.roots.spog["/"], "raw"),
        posg: hashOfCid(json.roots.posg["/"], "raw"),
        ospg: hashOfCid(json.roots.ospg["/"], "raw"),
      },
      parents: json.parents.map((parent) => commitOfId(parent["/"])),
      author: json.author,
      message: json.message,
      timeMs: Date.parse(json.time),
    };
  } catch {
    return undefined;
  }
}

interface Link {
  readonly "/": string;
}

interface CommitJson {
  readonly author: string;
  readonly message: string;
  readonly parents: readonly Link[];
  readonly roots: { readonly ospg: Link; readonly posg: Link; readonly spog: Link };
  readonly time: string;
}
