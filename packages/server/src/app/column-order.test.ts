import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { BIN } from "../cli/testing/steward-process.js";
import { openMcpApp, type McpApp } from "../transport/mcp/testing/mcp-app.js";

/** JavaScript's objects would list 2023 before 2024, and both before region. */
const SQL = `SELECT 'east' AS region, 10 AS "2024", 20 AS "2023", 1 AS id, 2 AS id`;
const ROW = '{"region":"east","2024":10,"2023":20,"id":1,"id_2":2}';
/** The row in the text for an LLM, inside of JSON. */
const COLUMNS = JSON.stringify(
  '{"columns":["region","2024","2023","id","id_2"],"rows":[["east",10,20,1,2]]}',
).slice(1, -1);
/** A row that is cut to the size of an answer. */
const LONG = `SELECT '${"x".repeat(3000)}' AS note, 1 AS "1"`;

let app: McpApp;
let url: string;
beforeAll(async () => {
  app = await openMcpApp();
  url = `http://127.0.0.1:${String(app.app.address.port)}`;
});
afterAll(() => app[Symbol.asyncDispose]());

async function submitted(sql: string): Promise<string> {
  const { plans } = createClient({ baseUrl: url });
  const steps = [{ id: "2", query_template: sql, tool_name: "sql" }];
  const { plan_id: planId } = await plans.submit({ session_id: "s", name: "columns", steps });
  return planId;
}

async function answered(path: string, body: object): Promise<string> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const response = await fetch(`${url}${path}`, {
    ...{ method: "POST", headers, body: JSON.stringify(body) },
  });
  return response.text();
}

/** `steward mcp`, and its answers as it writes them. */
function startedBridge() {
  const env = { ...process.env, SERVICE_URL: url };
  const bridge = spawn(process.execPath, [BIN, "mcp"], { env, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface(bridge.stdout)[Symbol.asyncIterator]();
  return {
    answered: async (request: object): Promise<unknown> => {
      bridge.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
      return (await lines.next()).value;
    },
    [Symbol.dispose]: () => bridge.kill(),
  };
}

describe("the columns of a row are in the order of the statement", () => {
  it("over REST, also in a row that is cut", async () => {
    const path = `/api/plans/${await submitted(SQL)}/steps/2/execute`;
    expect(await answered(path, {})).toContain(JSON.stringify(`[${ROW}]`));
    const long = `/api/plans/${await submitted(LONG)}/steps/2/execute?max_bytes=1024`;
    expect(await answered(long, {})).toMatch(/\[\{\\"note\\":\\"x*… \(cut.*\\"1\\":1\}\]/);
  });

  it("over MCP, in the structured content and in the text", async () => {
    const params = { name: "query", arguments: { sql: SQL } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const told = await answered("/mcp?structured=true", call);
    expect(told).toContain(`"rows":[${ROW}]`);
    expect(told).toContain(COLUMNS);
  });

  it("over MCP on standard input and output", async () => {
    using bridge = startedBridge();
    const clientInfo = { name: "test", version: "1" };
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const params = { name: "query", arguments: { sql: SQL } };
    await bridge.answered({ id: 1, method: "initialize", params: hello });
    const told = await bridge.answered({ id: 2, method: "tools/call", params });
    expect(told).toContain(COLUMNS);
  });

  it("on the command line, in the table and as JSON", async () => {
    const env = { SERVICE_URL: url };
    const planId = await submitted(SQL);
    const { stdout } = await runHere(["plan", "run", planId], { env });
    expect(stdout).toMatch(/region +2024 +2023 +id +id_2\n/);
    const json = await runHere(["plan", "run", planId, "--json"], { env });
    expect(json.stdout).toContain(`"results":{"2":[${ROW}]}`);
  });
});
