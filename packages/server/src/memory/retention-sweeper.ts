import type { Clock } from "@steward/kernel/clock.js";
import { ENTRIES_DELETED_MAX } from "./limits.js";
import type { Log } from "@steward/kernel/log.js";
import { WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { MemoryRetention } from "./ports.js";
import type { VectorIndex } from "./vector-index.js";

/**
 * Pause between two sweeps, in ms. A minute is precise enough, because retention is set in days.
 */
const SWEEP_EVERY_MS = 60_000;

/** Dependencies of the sweeper. */
export interface RetentionSweeperOptions {
  readonly store: MemoryRetention;
  readonly index: VectorIndex;
  readonly clock: Clock;
  readonly log: Log;
}

/** Deletes entries beyond their organization's retention, in batches. */
export class RetentionSweeper implements AsyncDisposable {
  readonly #options: RetentionSweeperOptions;
  readonly #loop: WorkerLoop;

  constructor(options: RetentionSweeperOptions) {
    this.#options = options;
    this.#loop = new WorkerLoop({
      name: "deleting old memory entries",
      work: async () => {
        const entries = await this.sweep();
        if (entries > 0) options.log.info({ entries }, "old memory entries deleted");
        return "idle";
      },
      pollMs: SWEEP_EVERY_MS,
      begin: "later",
      end: "finish",
      log: options.log,
    });
  }

  /** Deletes expired entries. @returns their number. @throws AppError `STORE_UNAVAILABLE`. */
  async sweep(): Promise<number> {
    const { store, index, clock } = this.#options;
    for (let count = 0; ;) {
      const deleted = await store.deleteExpired(clock.nowMs(), ENTRIES_DELETED_MAX);
      if (deleted.length > 0) await index.remove(deleted);
      count += deleted.length;
      if (deleted.length < ENTRIES_DELETED_MAX || this.#loop.isEnding) return count;
    }
  }

  /** Waits for the batch in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }
}
