import type { Hash } from "../blocks/hash.js";
import type { BlockStore } from "../ports.js";
import { type Commit, readCommit } from "./commit.js";

/** A commit and its hash. */
export interface LogEntry extends Commit {
  readonly hash: Hash;
}

/** How to walk a graph of commits. */
export interface CommitWalk {
  /**
   * Whether to leave a commit out, together with the ancestors that no other commit leads to. By
   * default none is left out.
   */
  readonly isKnown?: (hash: Hash) => boolean;
  /**
   * Removes the next commit from the list of found but unvisited commits, and returns it. By
   * default the walk is depth-first.
   */
  readonly take?: (open: LogEntry[]) => LogEntry | undefined;
  /** Reads a commit; undefined leaves it out. By default an unreadable commit ends the walk. */
  readonly read?: (hash: Hash) => Commit | undefined;
}

/**
 * Commits and their ancestors, each once. The parents of a commit are read after the caller has
 * handled the commit.
 * @throws AppError `STATE_CORRUPTED` when a commit is missing or damaged.
 */
export function* walkCommits(
  store: BlockStore,
  from: Iterable<Hash>,
  walk: CommitWalk = {},
): Generator<LogEntry> {
  const { isKnown = () => false, take = (open) => open.pop() } = walk;
  const { read = (hash) => readCommit(store, hash) } = walk;
  const seen = new Set<Hash>();
  const open: LogEntry[] = [];
  const find = (hash: Hash): void => {
    if (seen.has(hash) || isKnown(hash)) return;
    seen.add(hash);
    const commit = read(hash);
    if (commit !== undefined) open.push({ hash, ...commit });
  };
  for (const hash of from) find(hash);
  for (let entry = take(open); entry !== undefined; entry = take(open)) {
    yield entry;
    entry.parents.forEach(find);
  }
}

/** Sorts commits topologically: each commit comes after its parents. */
export function parentsFirst(commits: Iterable<LogEntry>): readonly LogEntry[] {
  const byHash = new Map([...commits].map((commit) => [commit.hash, commit]));
  /** Per commit, how many of its children are not sorted yet. */
  const children = new Map<Hash, number>();
  for (const { parents } of byHash.values()) {
    for (const parent of new Set(parents)) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const open = [...byHash.values()].filter(({ hash }) => !children.has(hash));
  const sorted: LogEntry[] = [];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    sorted.push(commit);
    for (const parent of new Set(commit.parents)) {
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      const next = byHash.get(parent);
      if (left === 0 && next !== undefined) open.push(next);
    }
  }
  return sorted.reverse();
}
