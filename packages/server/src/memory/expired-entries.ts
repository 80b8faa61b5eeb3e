import type { ExpiredMemory, ExpiredScope, MemoryEntries } from "./ports.js";
import type { VectorIndex } from "./vector-index.js";

/** Deletes expired entries in the store, and in this process's search index. */
export class ExpiredEntries {
  readonly #store: ExpiredMemory & Pick<MemoryEntries, "deleteEntry">;
  readonly #index: Pick<VectorIndex, "remove">;

  constructor(
    store: ExpiredMemory & Pick<MemoryEntries, "deleteEntry">,
    index: Pick<VectorIndex, "remove">,
  ) {
    this.#store = store;
    this.#index = index;
  }

  /** @returns the number of deleted entries; fewer than `limit` when no more are left. */
  async deleteEntries(orgId: string, which: ExpiredScope, limit: number): Promise<number> {
    const deleted = await this.#store.deleteExpired(orgId, which, limit);
    if (deleted.length > 0) await this.#index.remove(deleted);
    return deleted.length;
  }

  /** Deletes the entries with these ids that exist. @returns their number. */
  async deleteThese(orgId: string, entryIds: readonly string[]): Promise<number> {
    let deleted = 0;
    for (const entryId of entryIds) {
      if (!(await this.#store.deleteEntry(orgId, entryId))) continue;
      await this.#index.remove([entryId]);
      deleted += 1;
    }
    return deleted;
  }
}
