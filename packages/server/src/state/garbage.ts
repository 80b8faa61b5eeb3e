import type { Clock } from "../kernel/clock.js";
import { bodyHash } from "./codec.js";
import type { Hash } from "./hash.js";
import type { BlockStore } from "./ports.js";
import { splitKey } from "./quad-key.js";
import { collectReachable } from "./reachable.js";

/**
 * How long a block that nothing leads to is kept, unless said otherwise: far longer than any commit
 * takes from its first block to the move of its ref.
 */
export const GRACE_MS: number = 60 * 60 * 1000;

/** What a collection found. */
export interface Collection {
  /** Blocks that refs lead to. */
  readonly kept: number;
  /** Blocks that were deleted. */
  readonly deleted: number;
}

/**
 * Deletes the blocks that neither a ref nor a journal leads to and that are older than the grace period. Others may read and
 * commit meanwhile: what a commit relies on was written, or written again, within that period.
 * @throws AppError `STATE_CORRUPTED`, having deleted nothing, when it cannot see all that is in use.
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

/** What waits for its commit may wait for longer than the grace period: the texts that it names stay. */
function keepJournaled(store: BlockStore, name: string, kept: Set<Hash>): void {
  for (const { key } of store.journal(name)) {
    const body = bodyHash(splitKey("spog", Buffer.from(key)).object, 0);
    if (body !== undefined) kept.add(body);
  }
}
