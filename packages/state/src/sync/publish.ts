import { checkedBlock } from "../tree/block-cache.js";
import { walkCommits } from "../datasets/commit-walk.js";
import type { Hash } from "../blocks/hash.js";
import { log } from "../history/history.js";
import type {
  BlockReader,
  BlockStore,
  MoveOutcome,
  OriginRefs,
  OriginSync,
  RefMove,
} from "../ports.js";
import { collectReachable } from "../upkeep/reachable.js";
import type { WorkingCopy } from "./working-copy.js";

/**
 * Most new blocks sent with the move itself. When there are more, the blocks that the origin lacks
 * are sent first.
 */
const WITH_MOVE_BLOCKS = 128;
/** Hashes per request to the origin. */
const ASKED_AT_ONCE = 1000;
/**
 * Blocks, and bytes, sent per request. Compressing them blocks the event loop for a few
 * milliseconds.
 */
const SENT_BLOCKS = 128;
const SENT_BYTES = 512 * 1024;

/**
 * Publishes a working copy to an origin: first every block reachable from the new refs, then all
 * moves of refs in one transaction, provided that each ref is still where the work saw it.
 * @param seen the refs with which the work began.
 */
export async function publish(
  origin: OriginSync,
  orgId: string,
  seen: OriginRefs,
  copy: WorkingCopy,
): Promise<MoveOutcome> {
  const { moves } = copy;
  const written = copy.written();
  const unknown = [...written.keys(), ...blocksWithoutRef(copy, written, seen)];
  const bytes = [...written.values()].reduce((sum, { length }) => sum + length, 0);
  if (unknown.length <= WITH_MOVE_BLOCKS && bytes <= SENT_BYTES) {
    const blocks = new Map(unknown.map((hash) => [hash, checkedBlock(copy, hash)]));
    return origin.move(orgId, seen.swept, moves, blocks);
  }
  for (let at = 0; at < unknown.length; at += ASKED_AT_ONCE) {
    const asked = unknown.slice(at, at + ASKED_AT_ONCE);
    const there = await origin.has(orgId, asked);
    for (const batch of sendable(
      copy,
      asked.filter((hash) => !there.has(hash)),
    )) {
      await origin.send(orgId, batch);
    }
  }
  return origin.move(orgId, seen.swept, moves, new Map());
}

/**
 * Whether moves took effect, judged by the current refs: each ref is at its target, or has moved on
 * from there.
 */
export function haveHappened(moves: readonly RefMove[], now: BlockStore): boolean {
  const goals = new Map(moves.map(({ name, next }) => [name, next]));
  return [...goals].every(([name, next]) => {
    const at = now.ref(name);
    if (at === next) return true;
    return at !== undefined && next !== undefined && isBehind(now, at, next);
  });
}

function isBehind(store: BlockStore, newest: Hash, sought: Hash): boolean {
  for (const { hash } of log(store, newest)) if (hash === sought) return true;
  return false;
}

/** Splits blocks into batches of the size of one request. */
export function* sendable(
  store: BlockReader,
  hashes: readonly Hash[],
): Generator<ReadonlyMap<Hash, Uint8Array>> {
  let batch = new Map<Hash, Uint8Array>();
  let bytes = 0;
  for (const hash of hashes) {
    const block = checkedBlock(store, hash);
    if (batch.size === SENT_BLOCKS || (batch.size > 0 && bytes + block.length > SENT_BYTES)) {
      yield batch;
      batch = new Map();
      bytes = 0;
    }
    batch.set(hash, block);
    bytes += block.length;
  }
  if (batch.size > 0) yield batch;
}

/**
 * Blocks reachable from commits that a caller named by hash and that no ref leads to. The origin
 * may have deleted any of them while this clone retains them.
 */
function blocksWithoutRef(
  copy: WorkingCopy,
  written: ReadonlyMap<Hash, Uint8Array>,
  { refs }: OriginRefs,
): Iterable<Hash> {
  const heads = new Set(refs.map(({ commit }) => commit));
  const found = commitsBehind(copy, written).filter((hash) => !heads.has(hash));
  if (found.length === 0) return [];
  const known = new Set<Hash>();
  for (const head of heads) for (const { hash } of log(copy, head)) known.add(hash);
  const foreign = found.filter((hash) => !known.has(hash));
  const below = new Set<Hash>();
  collectReachable(copy, foreign, below);
  return below;
}

/** The parents of the new commits, and existing commits to which refs were moved. */
function commitsBehind(copy: WorkingCopy, written: ReadonlyMap<Hash, Uint8Array>): Hash[] {
  const heads = copy.moves.flatMap(({ next }) => next ?? []);
  const isKnown = (hash: Hash): boolean => !written.has(hash);
  const fresh = [...walkCommits(copy, heads, { isKnown })];
  return [...heads, ...fresh.flatMap(({ parents }) => parents)].filter(isKnown);
}
