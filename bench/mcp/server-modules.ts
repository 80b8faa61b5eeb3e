import type * as AppModule from "../../packages/server/src/app/app.js";
import type * as TokensModule from "../../packages/server/src/transport/mcp/testing/o200k.js";
import type * as SampleModule from "../../packages/server/src/adapters/sample-database/index.js";

/** The parts of the server that are measured: internal ones, so they are loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { openApp }: typeof AppModule = await part("app/app.js");
export const { createSampleDatabase: createTarget }: typeof SampleModule = await part(
  "adapters/sample-database/index.js",
);

const { listTokens, o200kTokens, openMcpClient, textOf }: typeof TokensModule = await part(
  "transport/mcp/testing/o200k.js",
);
export const tokens = { of: o200kTokens, ofList: listTokens, textOf };
export { openMcpClient };
