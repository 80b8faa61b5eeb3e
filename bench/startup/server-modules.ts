import type * as LoadedModulesModule from "../../packages/server/src/testing/loaded-modules.js";

/** What counts modules is not part of the server that is installed: it is loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { loadedModules }: typeof LoadedModulesModule = await part(
  "testing/loaded-modules.js",
);
/** The program as it is installed. */
export const BIN: string = new URL("../bin/steward.js", dist).pathname;
/** The API to embed a server. */
export const SERVER: string = new URL("index.js", dist).href;
/** What the process of a data source loads for the first statement that changes the schema. */
export const SCHEMA_WATCH: string = new URL(
  "adapters/sql-target-sqlite/child/schema-watch.js",
  dist,
).pathname;
