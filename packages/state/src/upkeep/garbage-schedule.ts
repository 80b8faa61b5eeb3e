import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Repositories } from "../ports.js";

/** Interval of garbage collection. */
const COLLECTION_INTERVAL_MS = 60 * 60 * 1000;

export interface ScheduleParts {
  readonly repositories: Repositories;
  readonly log: Log;
}

/** Periodically collects the garbage of every organization, one after the other. */
export class GarbageSchedule implements AsyncDisposable {
  readonly #parts: ScheduleParts;
  readonly #loop: WorkerLoop;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#loop = new WorkerLoop({
      name: "collecting state garbage",
      work: () => this.#collectAll(),
      pollMs: COLLECTION_INTERVAL_MS,
      begin: "later",
      end: "finish",
      log: parts.log,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  async #collectAll(): Promise<BatchEnd> {
    // Organizations that another server has collected recently are skipped.
    const due = await this.#parts.repositories.due(COLLECTION_INTERVAL_MS / 2);
    await this.#loop.setAside.each(due, String, (orgId) => this.#collect(orgId));
    return "idle";
  }

  async #collect(orgId: string): Promise<void> {
    if (this.#loop.isEnding) return;
    const { repositories, log } = this.#parts;
    const { kept, deleted } = await repositories.collect(orgId);
    if (deleted > 0) log.info({ orgId, kept, deleted }, "state garbage collected");
  }
}
