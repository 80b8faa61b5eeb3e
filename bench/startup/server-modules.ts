import type * as LoadedModulesModule from "../../packages/server/src/testing/loaded-modules.js";

/** The module counter is not part of the installed server, so it is loaded from the build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { loadedModules }: typeof LoadedModulesModule = await part(
  "testing/loaded-modules.js",
);
/** The installed program. */
export const BIN: string = new URL("../bin/steward.js", dist).pathname;
/** The API to embed a server. */
export const SERVER: string = new URL("index.js", dist).href;
/** The modules that the process of a data source loads for its first schema change. */
export const SCHEMA_WATCH: string = new URL(
  "adapters/sql-target-sqlite/child/schema-watch.js",
  dist,
).pathname;
