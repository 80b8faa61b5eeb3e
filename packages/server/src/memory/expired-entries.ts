import type { ExpiredMemory } from "./ports.js";
import type { VectorIndex } from "./vector-index.js";

/** Deletes expired entries in the store, and in this process's search index. */
export class ExpiredEntries {
  readonly #store: ExpiredMemory;
  readonly #index: Pick<VectorIndex, "remove">;

  constructor(store: ExpiredMemory, index: Pick<VectorIndex, "remove">) {
    this.#store = store;
    this.#index = index;
  }

  /** @returns the number of deleted entries; fewer than `limit` when no more are left. */
  async deleteEntries(orgId: string, beforeMs: number, limit: number): Promise<number> {
    const deleted = await this.#store.deleteExpired(orgId, beforeMs, limit);
    if (deleted.length > 0) await this.#index.remove(deleted);
    return deleted.length;
  }
}
