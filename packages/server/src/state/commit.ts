import { isoTime } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { checkedBlock } from "./block-cache.js";
import { cidOf, hashOfCid } from "./cid.js";
import { type Hash, hashOf } from "./hash.js";
import type { BlockStore } from "./ports.js";

/** The trees of one dataset. The first is its identity; the others follow from it. */
export interface Roots {
  /** Subject, predicate, object, graph. */
  readonly spog: Hash;
  /** Predicate, object, subject, graph. */
  readonly posg: Hash;
  /** Object, subject, predicate, graph; of the quads whose object is an IRI or a blank node. */
  readonly ospg: Hash;
}

/** A dataset at one point of its history. */
export interface Commit {
  readonly roots: Roots;
  /** The commits it came from: none for the first, two or more for a merge. */
  readonly parents: readonly Hash[];
  readonly author: string;
  readonly message: string;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
}

/** What a store keeps of a commit. */
export interface CommitBlock {
  readonly hash: Hash;
  readonly bytes: Uint8Array;
}

/**
 * A commit as a block: DAG-JSON, so that any reader of that format can follow its links. Its keys are
 * written in the order that format demands.
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

/** A commit's content id, as people and programs are told it. */
export function commitId(hash: Hash): string {
  return cidOf(hash, "dag-json");
}

/**
 * The commit that a content id names.
 * @param field What held the text, for the message.
 * @throws AppError `INVALID_ARGUMENT` when it is no content id.
 */
export function commitOfId(id: string, field?: string): Hash {
  return hashOfCid(id, "dag-json", field);
}

/** Reads a commit. @throws AppError `STATE_CORRUPTED` when its block is missing, damaged or none. */
export function readCommit(store: BlockStore, hash: Hash): Commit {
  const bytes = Buffer.from(checkedBlock(store, hash));
  const commit = decodeCommit(bytes);
  // Only what encodes to the same bytes is a commit: there is one spelling of each.
  if (commit !== undefined && encodeCommit(commit).hash === hash) return commit;
  throw new AppError("STATE_CORRUPTED", `The block ${hash} of the state is no commit`);
}

/** A commit from its bytes, which are not compared with its encoding; undefined when they are none. */
export function decodeCommit(bytes: Buffer): Commit | undefined {
  try {
    // Compared with its own encoding by the caller, which no other shape survives.
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
