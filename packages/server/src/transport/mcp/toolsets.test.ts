import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OWN_TOOL_NAMES, TOOLSETS } from "../../kernel/toolsets.js";
import { choiceOf } from "./mcp-choice.js";
import { type McpApp, openMcpApp } from "./testing/mcp-app.js";
import { ALL_MCP_TOOLS, MCP_TOOLS } from "./tools/index.js";

const admin = { "x-org-id": "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11", "x-user-role": "admin" };

let steward: McpApp;
beforeAll(async () => {
  steward = await openMcpApp({ mcpToolsets: ["ask", "memory"] });
});
afterAll(() => steward[Symbol.asyncDispose]());

async function namesWith(address: string, headers = admin): Promise<readonly string[]> {
  const client = await steward.connected(headers, "auto", {}, address);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

function namesOf(...names: readonly (keyof typeof MCP_TOOLS)[]): readonly string[] {
  return names.flatMap((name) => MCP_TOOLS[name].map((tool) => tool.name));
}

describe("toolsets", () => {
  it("have twelve tools at most, each of which is in one of them", () => {
    for (const name of TOOLSETS) expect(MCP_TOOLS[name].length).toBeLessThanOrEqual(12);
    const names = ALL_MCP_TOOLS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(OWN_TOOL_NAMES);
  });

  it("are those of the address within those of the setting", async () => {
    expect(await namesWith("")).toEqual(namesOf("ask", "memory"));
    expect(await namesWith("?toolsets=memory,plans")).toEqual(namesOf("memory"));
    expect(await namesWith("?toolsets=all")).toEqual(namesOf("ask", "memory"));
    expect(() => choiceOf({ toolsets: "plans" }, ["ask", "memory"])).toThrow(
      "toolsets: this server offers only ask, memory",
    );
  });

  it("are ask and tools, or any that the address names, where there is no setting", () => {
    expect(choiceOf({}, undefined).toolsets).toEqual(["ask", "tools"]);
    expect(choiceOf({ toolsets: "all" }, undefined).toolsets).toEqual(TOOLSETS);
    expect(choiceOf({ toolsets: ["plans", "ask"] }, undefined).toolsets).toEqual(["ask", "plans"]);
  });

  it("are narrowed by the roles of a caller, as tools are", async () => {
    const auditor = { ...admin, "x-user-role": "auditor" };
    expect(await namesWith("?toolsets=ask", auditor)).toEqual(["explore_data"]);
  });

  it("are refused by name when they do not exist", async () => {
    const address = `http://127.0.0.1:${String(steward.app.address.port)}/mcp?toolsets=asks`;
    const headers = { ...admin, "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const response = await fetch(address, { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        code: -32_600,
        message:
          "toolsets: asks is no toolset: name all, or one or several of ask, tools, plans, memory, migrations, admin, separated by commas",
      },
    });
  });
});

describe("a client that has not chosen a tool's toolset", () => {
  let client: Client;
  beforeAll(async () => {
    client = await steward.connected(admin, "auto", {}, "");
  });
  afterAll(() => client.close());

  it("cannot call the tool, and is told where it is", async () => {
    await expect(client.callTool({ name: "submit_plan", arguments: {} })).rejects.toThrow(
      /Unknown tool submit_plan: the tools are explore_data.*\/mcp\?toolsets=plans/,
    );
  });

  it("gets no prompt that names such tools", async () => {
    expect((await client.listPrompts()).prompts).toEqual([]);
    const asked = client.getPrompt({ name: "write_plan", arguments: { task: "count" } });
    await expect(asked).rejects.toThrow(/Unknown prompt write_plan: .*\/mcp\?toolsets=plans/);
  });

  it("is not sent to tools that it does not have", async () => {
    const sql = "SELECT {{step.a.output[0].n}} AS n";
    const { content, isError } = await client.callTool({ name: "query", arguments: { sql } });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("BAD_PLACEHOLDER");
    expect(JSON.stringify(content)).not.toContain("submit_plan");
  });

  it("gets texts without structured content, and may keep the list for a while", async () => {
    const { tools, ttlMs, cacheScope } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    expect({ ttlMs, cacheScope }).toEqual({ ttlMs: 300_000, cacheScope: "private" });
    const sql = "SELECT 1 AS n";
    const { structuredContent } = await client.callTool({ name: "query", arguments: { sql } });
    expect(structuredContent).toBeUndefined();
  });
});
