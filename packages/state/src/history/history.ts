import { AppError } from "@steward/kernel/errors.js";
import { type LogEntry, walkCommits } from "../datasets/commit-walk.js";
import { type Hash, isHash } from "../blocks/hash.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { Blocks, BlockStore, Refs } from "../ports.js";
import { commitOfId } from "../datasets/commit.js";

/** A commit and its ancestors, each once, newest first; parents follow their children. */
export function* log(store: BlockStore, from: Hash): Generator<LogEntry> {
  yield* walkCommits(store, [from], { take: takeNewest });
}

function takeNewest(open: LogEntry[]): LogEntry | undefined {
  let newest = 0;
  for (const [index, entry] of open.entries()) {
    if (entry.timeMs > (open[newest]?.timeMs ?? 0)) newest = index;
  }
  return open.splice(newest, 1)[0];
}

/**
 * The best common ancestor of two commits: one from which no other common ancestor descends. Of
 * several, the newest; undefined without a common ancestor.
 */
export function mergeBase(store: BlockStore, ours: Hash, theirs: Hash): Hash | undefined {
  return withoutPauses(findingMergeBase(store, ours, theirs));
}

/** Like {@link mergeBase}, but pauses after each commit. */
export function* findingMergeBase(
  store: BlockStore,
  ours: Hash,
  theirs: Hash,
): Pausing<Hash | undefined> {
  const common = new Set<Hash>();
  for (const { hash } of log(store, ours)) {
    common.add(hash);
    yield;
  }
  const shared: LogEntry[] = [];
  for (const entry of log(store, theirs)) {
    if (common.has(entry.hash)) shared.push(entry);
    yield;
  }
  const passed = new Set<Hash>();
  for (const { hash, parents } of shared) {
    if (!passed.has(hash)) return hash;
    for (const parent of parents) passed.add(parent);
  }
  return undefined;
}

/**
 * Resolves a commit's name: a branch, a tag, a full ref name, a content id, or a hash.
 * @throws AppError `NOT_FOUND` when no such ref or commit exists.
 */
export function resolve(store: Blocks & Refs, name: string): Hash {
  const ref = store.ref(`heads/${name}`) ?? store.ref(`tags/${name}`) ?? store.ref(name);
  if (ref !== undefined) return ref;
  const hash = isHash(name) ? name : name.startsWith("bagu") ? commitOfId(name) : undefined;
  if (hash !== undefined && store.has(hash)) return hash;
  throw new AppError("NOT_FOUND", `There is no branch, tag or commit ${JSON.stringify(name)}`);
}
