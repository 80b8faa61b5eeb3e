import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { createSampleDatabase } from "../../../adapters/sample-database/index.js";
import { openApp, type App, type AppOptions } from "../../../app/app.js";

/** What a tool is called with. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A server with the sample database "shop", for tests of MCP. */
export interface McpApp extends AsyncDisposable {
  readonly app: App;
  /**
   * A client of the official SDK. @param mode `legacy`: as of 2025-11-25 and before. @param query what the
   * client adds to the address; absent: `EVERYTHING`.
   */
  connected(
    headers: Readonly<Record<string, string>>,
    mode?: "auto" | "legacy",
    capabilities?: ClientCapabilities,
    query?: string,
  ): Promise<Client>;
}

/** What a client adds to the address to get every tool, and structured content for programs. */
export const EVERYTHING = "?toolsets=all&structured=true";

/**
 * Opens a server in a directory of its own, which is deleted with it.
 * @param options with data sources beside the sample database.
 */
export async function openMcpApp(
  options: Pick<
    AppOptions,
    "publicUrl" | "dataSources" | "organization" | "mcpToolsets" | "tools"
  > = {},
): Promise<McpApp> {
  const directory = mkdtempSync(join(tmpdir(), "steward-mcp-"));
  createSampleDatabase(join(directory, "shop.db"));
  const app = await openApp({
    ...options,
    port: 0,
    logLevel: "silent",
    dataDir: directory,
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataSources: [
      { name: "shop", url: `sqlite:${join(directory, "shop.db")}` },
      ...(options.dataSources ?? []),
    ],
  });
  return {
    app,
    connected: async (headers, mode = "auto", capabilities = {}, query = EVERYTHING) => {
      const url = new URL(`http://127.0.0.1:${String(app.address.port)}/mcp${query}`);
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { capabilities, versionNegotiation: { mode } },
      );
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Calls a tool. @returns its structured content, which the SDK has checked against the tool's schema. */
export async function callTool(
  client: Client,
  name: string,
  args: ToolArguments,
  // The caller knows the type of the answer.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
): Promise<any> {
  const result = await client.callTool({ name, arguments: args });
  const { isError = false, structuredContent = {} } = result as CallToolResult & {
    structuredContent?: object;
  };
  expect(isError).toBe("error" in structuredContent);
  return structuredContent;
}
