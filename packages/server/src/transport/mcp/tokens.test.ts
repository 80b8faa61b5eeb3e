import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { countTokens } from "../../catalog/token-count.js";
import { callTool, EVERYTHING } from "./testing/mcp-app.js";
import { listTokens, o200kTokens, openMcpClient, textOf } from "./testing/o200k.js";
import { createWideTable } from "./testing/wide-table.js";

/** What an LLM reads over MCP, in tokens of o200k. A change that makes a text longer than its budget fails here. */
const ORG = randomUUID();
const ADMIN = { "x-org-id": ORG, "x-user-role": "admin", "x-user-id": "ann" };
const POLICY = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };
@id("no-mail") forbid (principal in Steward::Role::"agent", action, resource)
  when { context has columns && context.columns.contains("orders/total_cents") };`;

const directory = mkdtempSync(join(tmpdir(), "steward-mcp-tokens-"));
let app: App;
let url: string;
let client: Client;
beforeAll(async () => {
  createWideTable(join(directory, "shop.db"));
  app = await openApp({
    port: 0,
    logLevel: "silent",
    publicUrl: "https://steward.example.com",
    dataDir: directory,
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
  });
  url = `http://127.0.0.1:${String(app.address.port)}`;
  const root = createClient({ baseUrl: url, orgId: ORG, role: "admin", userId: "root" });
  await root.policies.putPolicies({ version: 0, text: POLICY });
  client = await connected("");
});
afterAll(async () => {
  await client.close();
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function connected(query: string, headers: Record<string, string> = ADMIN): Promise<Client> {
  return openMcpClient(new URL(`${url}/mcp${query}`), headers);
}

async function tokensOf(name: string, args: object): Promise<number> {
  return o200kTokens(await textOf(client, name, args));
}

describe("an LLM reads at most", () => {
  it("900 tokens of tools and instructions, of which only what it needs to ask", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["explore_data", "query", "get_result"]);
    expect(await listTokens(client)).toBeLessThanOrEqual(900);
  });

  it("3 400 tokens of all tools together", async () => {
    const all = await connected("?toolsets=all");
    expect(await listTokens(all)).toBeLessThanOrEqual(3_400);
    await all.close();
  });

  it("70 tokens of a failed query, which say each thing once", async () => {
    const wrong = () => textOf(client, "query", { sql: "SELECT contact_nme FROM orders" });
    // The first hints may come before the schema has been read.
    await expect.poll(wrong).toContain("contact_name");
    expect(o200kTokens(await wrong())).toBeLessThanOrEqual(70);
  });

  it("250 tokens of a query that waits for an approval", async () => {
    const text = await textOf(client, "query", {
      ...{ sql: "DELETE FROM orders WHERE id = -1", intent: "write_delete" },
    });
    expect(text).toMatch(
      /a person with the role approver can decide until [\dT:.Z-]+\. You cannot/,
    );
    expect(text).toContain("https://steward.example.com/approvals/");
    expect(text).toContain("get_result");
    expect(o200kTokens(text)).toBeLessThanOrEqual(250);
  });

  it("500 tokens of a described table of 14 columns with ranges and sample rows", async () => {
    const text = await textOf(client, "explore_data", { tables: ["orders"] });
    expect(text).toContain("- total_cents INTEGER not null, 1137 to 17440");
    expect(text).toContain("2025-01-02 01:07:00 to 2025-05-01 00:00:00");
    expect(text).toContain('[1,3,"2025-01-02 01:07:00"');
    expect(text).not.toContain("Left out");
    expect(o200kTokens(text)).toBeLessThanOrEqual(500);
    const estimate = countTokens(text) / o200kTokens(text);
    expect(estimate).toBeGreaterThanOrEqual(1);
    expect(estimate).toBeLessThanOrEqual(1.3);
  });

  it("6 300 tokens of 100 rows of 14 columns", async () => {
    const sql = "SELECT * FROM orders ORDER BY id LIMIT 100";
    expect(await tokensOf("query", { sql })).toBeLessThanOrEqual(6_300);
    const structured = await connected(EVERYTHING);
    const { rows } = (await callTool(structured, "query", { sql })) as { rows: readonly object[] };
    expect(o200kTokens(JSON.stringify(rows))).toBeGreaterThan(9_500);
    await structured.close();
  });
});

describe("the description of a table", () => {
  it("has no value of a column that the caller may not read", async () => {
    const limited = await connected("", { ...ADMIN, "x-user-role": "agent" });
    const text = await textOf(limited, "explore_data", { tables: ["orders"] });
    expect(text).toContain("item_count");
    expect(text).not.toMatch(/total_cents|1137|17440/);
    await limited.close();
  });
});

describe("an agent with a budget", () => {
  it("is told what is left of it", async () => {
    expect(await textOf(client, "explore_data", {})).toBe("shop (sqlite, default)");
    const root = createClient({ baseUrl: url, orgId: ORG, role: "admin", userId: "root" });
    await root.billing.setBudget({
      ...{ scope: "organization", unit: "aau", period: "total", limit: "1000", action: "block" },
    });
    const text = await textOf(client, "explore_data", {});
    expect(text).toMatch(/The organization's budget of 1000 AAU in total has \d+ AAU left/);
  });
});
