import { systemClock } from "@steward/kernel/clock.js";
import { checkStore } from "../upkeep/fsck.js";
import { collectGarbage } from "../upkeep/garbage.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { OwnRepositories } from "../sync/own-repositories.js";
import type { Repositories } from "../ports.js";

/**
 * Repositories in memory.
 * @param stores existing stores by organization; others are created on demand.
 */
export function memoryRepositories(
  stores: Map<string, MemoryBlockStore> = new Map(),
): Repositories {
  const storeOf = (orgId: string): MemoryBlockStore => {
    const store = stores.get(orgId) ?? new MemoryBlockStore(systemClock);
    stores.set(orgId, store);
    return store;
  };
  return new OwnRepositories(
    {
      open: (orgId, create) => (create || stores.has(orgId) ? storeOf(orgId) : undefined),
      organizations: () => [...stores.keys()],
      discard: (orgId) => stores.delete(orgId),
    },
    {
      check: async (orgId) => checkStore(storeOf(orgId)),
      collect: async (orgId) => collectGarbage(storeOf(orgId), systemClock),
      [Symbol.asyncDispose]: async () => undefined,
    },
  );
}
