import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createClient } from "../client.js";
import { json, scriptedServer, type Answer } from "../testing/scripted-server.js";
import { answerAnthropicCalls, anthropicTools } from "./anthropic.js";
import { answerOpenAiCalls, openAiTools } from "./openai.js";
import { answerOpenAiResponsesCalls, openAiResponsesTools } from "./openai-responses.js";
import type { ToolDefinition, ToolResult, Tools, ToolSchema } from "./tools.js";

const inputSchema: ToolSchema = {
  type: "object",
  properties: { sql: { type: "string" } },
  required: ["sql"],
};
const definition: ToolDefinition = {
  name: "query",
  title: "Query",
  description: "Runs a statement",
  inputSchema,
  outputSchema: { type: "object", properties: {}, required: [] },
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
};

/** Answers every request of JSON-RPC with the same outcome. */
const always =
  (outcome: object): Answer =>
  (_request, response) =>
    json(response, 200, { jsonrpc: "2.0", id: 1, ...outcome });

describe("the tools", () => {
  it("are listed as the server describes them, in one request without a session", async () => {
    await using server = await scriptedServer(
      always({ result: { tools: [{ ...definition, outputSchema: { type: "object" } }] } }),
    );
    const { tools } = createClient({ baseUrl: server.url, apiKey: "stw_k" });
    expect(await tools.list()).toEqual([definition]);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      url: "/mcp?structured=true",
      headers: { "mcp-method": "tools/list", authorization: "Bearer stw_k" },
    });
    await createClient({ baseUrl: server.url, toolsets: ["ask", "plans"] }).tools.list();
    expect(server.seen[1]?.url).toBe("/mcp?structured=true&toolsets=ask%2Cplans");
    const { version } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { version: string };
    expect(server.seen[0]?.body).toContain(`"@steward/client","version":"${version}"`);
  });

  it("give the text for the LLM and the content for programs", async () => {
    const result = {
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      structuredContent: { rows: [] },
    };
    await using server = await scriptedServer(always({ result }));
    const { tools } = createClient({ baseUrl: server.url });
    expect(await tools.call("query", { sql: "SELECT 1" })).toEqual({
      text: "a\nb",
      content: { rows: [] },
      isError: false,
    });
    expect(server.seen[0]?.headers["mcp-name"]).toBe("query");
  });

  it("answer a call of a tool that does not exist, or without an object, so that the LLM reads it", async () => {
    await using server = await scriptedServer(
      always({ error: { code: -32602, message: "Unknown tool qery: the tools are query" } }),
    );
    const { tools } = createClient({ baseUrl: server.url });
    const unknown = await tools.call("qery", {});
    expect(unknown).toMatchObject({ isError: true, content: { error: {} } });
    expect(unknown.text).toContain("the tools are query");
    for (const args of [undefined, "SELECT 1", ["SELECT 1"]]) {
      expect((await tools.call("query", args)).isError).toBe(true);
    }
    expect((await tools.call("run\r\nx: y", {})).isError).toBe(true);
    expect(server.seen).toHaveLength(1);
  });

  it("are called again with the same key when the server was busy, if that does nothing twice", async () => {
    await using server = await scriptedServer((_request, response, index) => {
      if (index === 1) json(response, 200, { result: { content: [] } });
      else json(response, 503, { error: { code: -32600, message: "busy" } });
    });
    const { tools } = createClient({ baseUrl: server.url });
    await tools.call("query", { sql: "SELECT 1" });
    const keys = server.seen.map(({ headers }) => headers["idempotency-key"]);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    await expect(tools.call("add_memory", { note: "n" })).rejects.toThrow("busy");
    expect(server.seen).toHaveLength(3);
  });

  it("reject with the code of an error that no LLM can correct", async () => {
    await using server = await scriptedServer((_request, response) => {
      const data = { code: "UNAUTHENTICATED" };
      json(response, 401, { id: null, error: { code: -32600, message: "no key", data } });
    });
    const { tools } = createClient({ baseUrl: server.url });
    await expect(tools.list()).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: "no key",
      status: 401,
    });
  });
});

/** Tools that answer with what they were called with. */
const echo: Pick<Tools, "call"> = {
  call: (name, args) =>
    Promise.resolve<ToolResult>({
      text: `${name} ${JSON.stringify(args)}`,
      content: {},
      isError: args === undefined,
    }),
};

describe("the tool-calling format of", () => {
  it("Anthropic has the tools' schemas, and a result for each call of a message", async () => {
    expect(anthropicTools([definition])).toEqual([
      { name: "query", description: "Runs a statement", input_schema: inputSchema },
    ]);
    const content = [
      { type: "text", text: "I ask the database." },
      { type: "tool_use", id: "t1", name: "query", input: { sql: "SELECT 1" } },
      { type: "tool_use", id: "t2", name: "get_plan" },
    ];
    expect(await answerAnthropicCalls(echo, content)).toEqual([
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: 'query {"sql":"SELECT 1"}',
        is_error: false,
      },
      { type: "tool_result", tool_use_id: "t2", content: "get_plan undefined", is_error: true },
    ]);
  });

  it("OpenAI has the same, and takes arguments that are no JSON for wrong ones", async () => {
    expect(openAiTools([definition])).toEqual([
      {
        type: "function",
        function: { name: "query", description: "Runs a statement", parameters: inputSchema },
      },
    ]);
    const calls = [
      { id: "c1", function: { name: "query", arguments: '{"sql":"SELECT 1"}' } },
      { id: "c2", function: { name: "query", arguments: '{"sql":' } },
    ];
    expect(await answerOpenAiCalls(echo, calls)).toEqual([
      { role: "tool", tool_call_id: "c1", content: 'query {"sql":"SELECT 1"}' },
      { role: "tool", tool_call_id: "c2", content: "query undefined" },
    ]);
  });

  it("are written for the Responses API of OpenAI, whose calls are answered in order", async () => {
    expect(openAiResponsesTools([definition])).toEqual([
      {
        ...{ type: "function", name: "query", description: "Runs a statement" },
        ...{ parameters: inputSchema, strict: false },
      },
    ]);
    const items = [
      { type: "reasoning" },
      { type: "function_call", call_id: "c1", name: "query", arguments: '{"sql":"SELECT 1"}' },
      { type: "function_call", call_id: "c2", name: "query", arguments: '{"sql":' },
    ];
    expect(await answerOpenAiResponsesCalls(echo, items)).toEqual([
      { type: "function_call_output", call_id: "c1", output: 'query {"sql":"SELECT 1"}' },
      { type: "function_call_output", call_id: "c2", output: "query undefined" },
    ]);
  });
});
