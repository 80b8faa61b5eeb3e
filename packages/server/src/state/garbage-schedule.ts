import type { Log } from "../kernel/log.js";
import type { Repositories } from "./ports.js";

/** How often garbage is collected. */
const COLLECTION_INTERVAL_MS = 60 * 60 * 1000;

/** What the schedule works with. */
export interface ScheduleParts {
  readonly repositories: Repositories;
  readonly log: Log;
}

/** Collects every organization's garbage from time to time, one after the other. */
export class GarbageSchedule implements AsyncDisposable {
  readonly #parts: ScheduleParts;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    // A process that has nothing else to do may end.
    this.#timer = setInterval(() => {
      this.#round = this.#round.then(() => this.#collectAll());
    }, COLLECTION_INTERVAL_MS).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  async #collectAll(): Promise<void> {
    const { repositories, log } = this.#parts;
    try {
      // What another server has collected since its own last round needs nothing from this one.
      for (const orgId of await repositories.due(COLLECTION_INTERVAL_MS / 2)) {
        if (this.#closed) return;
        await this.#collect(orgId);
      }
    } catch (error) {
      log.error({ err: error }, "whose state has garbage could not be found out");
    }
  }

  async #collect(orgId: string): Promise<void> {
    const { repositories, log } = this.#parts;
    try {
      const { kept, deleted } = await repositories.collect(orgId);
      if (deleted > 0) log.info({ orgId, kept, deleted }, "state garbage collected");
    } catch (error) {
      log.error({ err: error, orgId }, "state garbage could not be collected");
    }
  }
}
