import type { Log } from "../kernel/log.js";
import type { BlockStores } from "./ports.js";
import type { StateService } from "./state-service.js";

/** How often garbage is collected, unless said otherwise. */
export const COLLECTION_INTERVAL_MS: number = 60 * 60 * 1000;

/** What the schedule works with. */
export interface ScheduleParts {
  readonly stores: BlockStores;
  readonly service: StateService;
  readonly log: Log;
  readonly intervalMs?: number;
}

/** Collects every organization's garbage from time to time, one after the other. */
export class GarbageSchedule implements AsyncDisposable {
  readonly #parts: ScheduleParts;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    const intervalMs = parts.intervalMs ?? COLLECTION_INTERVAL_MS;
    // A process that has nothing else to do may end.
    this.#timer = setInterval(() => {
      this.#round = this.#round.then(() => this.#collectAll());
    }, intervalMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  async #collectAll(): Promise<void> {
    const { stores, service, log } = this.#parts;
    for (const orgId of stores.organizations()) {
      if (this.#closed) return;
      try {
        const { kept, deleted } = await service.collect({ orgId });
        if (deleted > 0) log.info({ orgId, kept, deleted }, "state garbage collected");
      } catch (error) {
        log.error({ err: error, orgId }, "state garbage could not be collected");
      }
    }
  }
}
