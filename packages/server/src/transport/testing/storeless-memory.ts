import { ZeroProvider } from "../../embedding/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { MemoryService, noMemoryStore, noVectorIndex } from "../../memory/index.js";

/** Memory of a server without a store. */
export function storelessMemory(): MemoryService {
  return new MemoryService({
    store: noMemoryStore,
    index: noVectorIndex,
    provider: new ZeroProvider(8),
    model: { name: "zero@8", dimension: 8 },
    clock: systemClock,
    ids: systemIds(systemClock),
  });
}
