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

/** The form of a commit's content id: CIDv1, dag-json, sha2-256 in base32. */
const COMMIT_ID = /^bagu[a-z2-7]{57}$/;

/**
 * Resolves a commit's name: a content id or a hash, a full ref name, a branch, or a tag. An id means its
 * commit whatever branches are called, and a full ref name its ref, so that nobody who may make a branch can
 * put it in the place of either.
 * @throws AppError `NOT_FOUND` when no such ref or commit exists; `INVALID_ARGUMENT` for a malformed id and for a
 * name that is both a branch's and a tag's.
 */
export function resolve(store: Blocks & Refs, name: string): Hash {
  const id = hashOfId(name);
  const found = id === undefined ? refNamed(store, name) : store.has(id) ? id : undefined;
  if (found !== undefined) return found;
  // This tells what is wrong with an id that was cut or mistyped.
  if (id === undefined && name.startsWith("bagu")) commitOfId(name);
  throw new AppError("NOT_FOUND", `There is no branch, tag or commit ${JSON.stringify(name)}`);
}

/** The hash in an id, which is of a commit or of any block; `undefined` for a name of another form. */
export function hashOfId(name: string): Hash | undefined {
  if (isHash(name)) return name;
  return COMMIT_ID.test(name) ? commitOfId(name) : undefined;
}

function refNamed(store: Refs, name: string): Hash | undefined {
  if (/^(heads|tags)\//.test(name)) return store.ref(name);
  const branch = store.ref(`heads/${name}`);
  const tag = store.ref(`tags/${name}`);
  if (branch === undefined || tag === undefined) return branch ?? tag ?? store.ref(name);
  throw new AppError(
    "INVALID_ARGUMENT",
    `${JSON.stringify(name)} is a branch and a tag: write ${JSON.stringify(`heads/${name}`)} or ${JSON.stringify(`tags/${name}`)}`,
  );
}
