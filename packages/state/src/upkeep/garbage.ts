import type { Clock } from "@steward/kernel/clock.js";
import { bodyHash } from "../terms/codec.js";
import type { Hash } from "../blocks/hash.js";
import type { BlockStore } from "../ports.js";
import { splitKey } from "../terms/quad-key.js";
import { collectReachable } from "./reachable.js";

/**
 * Default age at which an unreachable block is deleted. It is far longer than any commit takes from
 * writing its first block to moving its ref.
 */
export const GRACE_MS: number = 60 * 60 * 1000;

/** Result of a garbage collection. */
export interface Collection {
  /** Number of reachable blocks. */
  readonly kept: number;
  /** Number of deleted blocks. */
  readonly deleted: number;
}

/**
 * Deletes blocks that are unreachable from refs and journals and older than the grace period. Reads
 * and commits may run concurrently, because a commit writes, or rewrites, all blocks that it relies
 * on within that period.
 * @throws AppError `STATE_CORRUPTED`, having deleted nothing, when not all reachable blocks can be
 * read.
 */
export function collectGarbage(
  store: BlockStore,
  clock: Clock,
  graceMs: number = GRACE_MS,
): Collection {
  const writtenBeforeMs = clock.nowMs() - graceMs;
  const kept = new Set<Hash>();
  collectReachable(
    store,
    store.refs().map(({ commit }) => commit),
    kept,
  );
  for (const name of store.journals()) keepJournaled(store, name, kept);
  return { kept: kept.size, deleted: store.sweep(kept, writtenBeforeMs) };
}

/**
 * Journaled changes may wait for their commit longer than the grace period, so the literal texts
 * that they name are retained.
 */
function keepJournaled(store: BlockStore, name: string, kept: Set<Hash>): void {
  for (const { key } of store.journal(name)) {
    const body = bodyHash(splitKey("spog", Buffer.from(key)).object, 0);
    if (body !== undefined) kept.add(body);
  }
}
