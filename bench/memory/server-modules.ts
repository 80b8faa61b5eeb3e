import type * as IndexModule from "../../packages/server/src/adapters/vector-index-wasm/index.js";
import type * as TelemetryModule from "../../packages/server/src/kernel/telemetry.js";
import type * as EmbeddingModule from "../../packages/server/src/embedding/index.js";
import type * as MemoryModule from "../../packages/server/src/memory/index.js";
import type * as PostgresModule from "../../packages/server/src/storage/postgres/store.js";
import type * as StoreModule from "../../packages/server/src/storage/sqlite/store.js";

/** Internal parts of the server, loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { WorkerVectorIndex }: typeof IndexModule = await part(
  "adapters/vector-index-wasm/index.js",
);
export { silentLog } from "@steward/kernel/log.js";
export const { silentTelemetry }: typeof TelemetryModule = await part("kernel/telemetry.js");
export const { HashProvider }: typeof EmbeddingModule = await part("embedding/index.js");
export const { encodeVector, packCode }: typeof MemoryModule = await part("memory/index.js");
export { systemIds } from "@steward/kernel/ids.js";
export const { openPostgresStore }: typeof PostgresModule = await part("storage/postgres/store.js");
export const { openSqliteStore }: typeof StoreModule = await part("storage/sqlite/store.js");

/** The module with which the search thread reads the store. */
export const sourceUrl: string = new URL("storage/sqlite/memory/memory-index-source.js", dist).href;
