import type * as PostgresModule from "../../packages/server/src/adapters/introspect-postgres/index.js";
import type * as SchemaModule from "../../packages/server/src/schema/index.js";

/** The parts of the server that are measured: internal ones, so they are loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export { NIL_ORG_ID } from "@steward/kernel/caller.js";
export { systemClock } from "@steward/kernel/clock.js";
export { systemIds } from "@steward/kernel/ids.js";
export const { PostgresSchemaDatabase }: typeof PostgresModule = await part(
  "adapters/introspect-postgres/index.js",
);
export const { MigrationService }: typeof SchemaModule = await part("schema/index.js");
export { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
