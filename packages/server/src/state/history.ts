import { AppError } from "../kernel/errors.js";
import { type Commit, readCommit } from "./commit.js";
import { type Hash, isHash } from "./hash.js";
import { type Pausing, withoutPauses } from "../kernel/pausing.js";
import type { BlockStore } from "./ports.js";
import { commitOfId } from "./commit.js";

/** A commit with its name. */
export interface LogEntry extends Commit {
  readonly hash: Hash;
}

/** A commit and those it came from, each once, the newest first; parents follow their children. */
export function* log(store: BlockStore, from: Hash): Generator<LogEntry> {
  const seen = new Set<Hash>([from]);
  const open: LogEntry[] = [{ hash: from, ...readCommit(store, from) }];
  for (let entry = takeNewest(open); entry !== undefined; entry = takeNewest(open)) {
    yield entry;
    for (const hash of entry.parents) {
      if (seen.has(hash)) continue;
      seen.add(hash);
      open.push({ hash, ...readCommit(store, hash) });
    }
  }
}

function takeNewest(open: LogEntry[]): LogEntry | undefined {
  let newest = 0;
  for (const [index, entry] of open.entries()) {
    if (entry.timeMs > (open[newest]?.timeMs ?? 0)) newest = index;
  }
  return open.splice(newest, 1)[0];
}

/**
 * The commit that two histories have in common and that no other such commit comes from; undefined
 * when they have nothing in common. Of several, the newest.
 */
export function mergeBase(store: BlockStore, ours: Hash, theirs: Hash): Hash | undefined {
  return withoutPauses(findingMergeBase(store, ours, theirs));
}

/** Finds what {@link mergeBase} does, with a pause after each commit. */
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
 * The commit that a person means: a branch, a tag, the name of a ref, a content id, or a hash.
 * @throws AppError `NOT_FOUND` when there is no such ref or commit.
 */
export function resolve(store: BlockStore, name: string): Hash {
  const ref = store.ref(`heads/${name}`) ?? store.ref(`tags/${name}`) ?? store.ref(name);
  if (ref !== undefined) return ref;
  const hash = isHash(name) ? name : name.startsWith("bagu") ? commitOfId(name) : undefined;
  if (hash !== undefined && store.has(hash)) return hash;
  throw new AppError("NOT_FOUND", `There is no branch, tag or commit ${JSON.stringify(name)}`);
}
