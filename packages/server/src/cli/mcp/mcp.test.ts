import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { EXIT } from "../exit-code.js";
import { runHere } from "../testing/run-here.js";
import { BIN } from "../testing/steward-process.js";

const directory = mkdtempSync(join(tmpdir(), "steward-cli-mcp-"));
let app: App;
let url: string;
beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  app = await openApp({
    port: 0,
    logLevel: "silent",
    dataDir: directory,
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    organization: NIL_ORG_ID,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
  });
  url = `http://127.0.0.1:${String(app.address.port)}`;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Starts the command as an MCP client does. */
async function started(
  env: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", ...options],
    env: { SERVICE_URL: url, ...env },
    stderr: "ignore",
  });
  await client.connect(transport);
  return client;
}

describe("steward mcp", () => {
  it("serves the tools on standard input and output, as the caller whose key is in the environment, of the toolsets that the command names", async () => {
    const headers = { "content-type": "application/json", "x-user-role": "admin" };
    const body = JSON.stringify({ name: "desktop", roles: ["agent"] });
    const created = await fetch(`${url}/api/keys`, { method: "POST", headers, body });
    const { data } = (await created.json()) as { data: { api_key: string } };
    const client = await started({ STEWARD_API_KEY: data.api_key });
    expect(client.getServerVersion()).toMatchObject({ name: "steward" });
    expect(client.getInstructions()).toContain("explore_data");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["explore_data", "query", "get_result"]);
    const sql = "SELECT 1 AS one";
    const { content } = await client.callTool({ name: "query", arguments: { sql } });
    expect(content).toEqual([{ type: "text", text: '{"columns":["one"],"rows":[[1]]}' }]);
    await client.close();
    const limited = JSON.stringify({ name: "reader", roles: ["agent"], scopes: ["catalog:read"] });
    const reader = await fetch(`${url}/api/keys`, { method: "POST", headers, body: limited });
    const { data: key } = (await reader.json()) as { data: { api_key: string } };
    const narrow = await started({ STEWARD_API_KEY: key.api_key }, "--toolsets", "all");
    expect((await narrow.listTools()).tools.map(({ name }) => name)).toEqual(["explore_data"]);
    await narrow.close();
    const other = await started({ STEWARD_API_KEY: data.api_key }, "--toolsets", "memory,admin");
    const { tools: others } = await other.listTools();
    expect(others.map(({ name }) => name)).toEqual(["search_memory", "add_memory"]);
    await other.close();
  });

  it("says when its server refuses the key, and when none answers", async () => {
    const refused = await runHere(["mcp"], { env: { SERVICE_URL: url, STEWARD_API_KEY: "wrong" } });
    expect(refused.stderr).toContain("fix: set STEWARD_API_KEY");
    const unknown = await runHere(["mcp", "--toolsets", "asks"], { env: { SERVICE_URL: url } });
    expect(unknown.stderr).toContain(
      "asks is no toolset: name all, or one or several of ask, tools, plans",
    );
    const alone = await runHere(["mcp"], { env: { SERVICE_URL: "http://127.0.0.1:1" } });
    expect(alone.stderr).toContain("Cannot reach http://127.0.0.1:1");
    expect(alone.stderr).toContain("start a server with `steward dev`");
    expect(alone.code).toBe(EXIT.unreachable);
  });
});
