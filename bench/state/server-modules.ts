import type * as StoreModule from "../../packages/server/src/storage/sqlite/state/block-store.js";

/** Internal parts of the server, loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export * as state from "@steward/state";
export { systemClock } from "@steward/kernel/clock.js";
export const { openSqliteBlockStore }: typeof StoreModule = await part(
  "storage/sqlite/state/block-store.js",
);
