import { randomUUID } from "node:crypto";
import { createClient } from "@steward/client";
import { expect } from "vitest";
import { scenarioOver, type Scenario } from "../scenario.js";
import type { Steward } from "../steward.js";

/** What a tool call is answered with. */
interface ToolResult {
  readonly isError?: boolean;
  // Whoever calls a tool knows what comes back.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly structuredContent: any;
}

/** Sends a message as a client of this revision does. */
async function send(
  { url }: Pick<Steward, "url">,
  method: string,
  params: object,
  {
    headers = {},
    revision = "2026-07-28",
  }: { headers?: Record<string, string>; revision?: string },
): Promise<unknown> {
  const isCurrent = revision === "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "conformance", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(`${url}/mcp?toolsets=all&structured=true`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": method,
      ...("name" in params ? { "mcp-name": String(params.name) } : {}),
      ...("uri" in params ? { "mcp-name": String(params.uri) } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: isCurrent ? { ...params, _meta } : params,
    }),
  });
  const text = await response.text();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return (JSON.parse(json) as { result: unknown }).result;
}

async function call(
  steward: Pick<Steward, "url">,
  name: string,
  args: object,
  how: Parameters<typeof send>[3] = {},
): Promise<ToolResult> {
  return (await send(steward, "tools/call", { name, arguments: args }, how)) as ToolResult;
}

/** What an LLM is served over MCP. */
export const overMcp: readonly Scenario[] = [
  scenarioOver(
    "rest",
    ["D17-url"],
    "a client of each revision finds the tools at /mcp",
    async ({ steward }) => {
      for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18"]) {
        const { tools } = (await send(steward, "tools/list", {}, { revision })) as {
          readonly tools: readonly { readonly name: string }[];
        };
        expect([revision, tools.map(({ name }) => name)]).toEqual([
          revision,
          expect.arrayContaining(["query", "submit_plan", "execute_step"]),
        ]);
      }
    },
  ),
  scenarioOver(
    "rest",
    ["D17-tool-call", "D17-authorized", "D17-errors"],
    "calls over MCP are counted once and authorized, and their errors are results",
    async ({ steward }) => {
      const headers = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      await call(steward, "query", { sql: "SELECT 1 AS n", tool_name: "sql" }, { headers });
      await call(steward, "list_plans", {}, { headers });
      const agent = { headers: { ...headers, "x-user-role": "agent" } };
      expect(await call(steward, "get_usage", {}, agent)).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "POLICY_DENIED" } },
      });
      const usage = await call(steward, "get_usage", { group_by: "tool" }, { headers });
      const { rows } = usage.structuredContent as { rows: readonly object[] };
      expect(rows).toEqual([
        expect.objectContaining({ tool_name: "list_plans", action_count: 1 }),
        expect.objectContaining({ tool_name: "sql", action_count: 1 }),
      ]);
    },
  ),
  scenarioOver(
    "rest",
    ["D17-definitions", "D17-repeated"],
    "the client's tools are those of /mcp, and a repeated call makes no second plan",
    async ({ steward }) => {
      const { tools } = createClient({ baseUrl: steward.server.url, toolsets: ["all"] });
      const listed = (await send(steward, "tools/list", {}, {})) as { readonly tools: object };
      expect(await tools.list()).toMatchObject(listed.tools);
      const headers = { "idempotency-key": randomUUID() };
      const sql = "SELECT 1 AS n";
      const { structuredContent: first } = await call(steward, "query", { sql }, { headers });
      const { structuredContent: again } = await call(steward, "query", { sql }, { headers });
      expect(again).toEqual({ ...first, replayed: true });
      const other = await tools.call("query", { sql });
      expect(other.content).toMatchObject({ replayed: false, rows: [{ n: 1 }] });
    },
  ),
  scenarioOver(
    "rest",
    ["D17-app"],
    "the tools that submit and show a plan name a page that is complete in itself",
    async ({ steward }) => {
      const { tools } = (await send(steward, "tools/list", {}, {})) as {
        tools: readonly { name: string; _meta?: { ui: { resourceUri: string } } }[];
      };
      const named = tools.flatMap(({ name, _meta }) => (_meta === undefined ? [] : [name]));
      expect(named).toEqual(["submit_plan", "get_plan"]);
      const uri = "ui://steward/plan.html";
      const { contents } = (await send(steward, "resources/read", { uri }, {})) as {
        contents: readonly { mimeType: string; text: string }[];
      };
      expect(contents[0]?.mimeType).toBe("text/html;profile=mcp-app");
      expect(contents[0]?.text).toContain("default-src 'none'; style-src 'sha256-");
      expect(contents[0]?.text).not.toMatch(/ (src|href)=/);
    },
  ),
  scenarioOver(
    "rest",
    ["D17-pages"],
    "the rows of a step are read in pages",
    async ({ steward }) => {
      const sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i FROM n";
      const { structuredContent: first } = await call(steward, "query", { sql });
      expect(first.rows).toHaveLength(100);
      const { plan_id, next_offset: offset } = first;
      const next = await call(steward, "get_result", { plan_id, offset });
      expect(next.structuredContent).toMatchObject({ replayed: true, row_count: 150 });
      expect(next.structuredContent.rows.at(0)).toEqual({ i: 101 });
      expect(next.structuredContent).not.toHaveProperty("next_offset");
    },
  ),
  scenarioOver(
    "rest",
    ["D17-revisions"],
    "a failed step waits for its correction, and steps are appended as the agent learns",
    async ({ steward }) => {
      const { structuredContent: plan } = await call(steward, "submit_plan", {
        steps: [
          { id: "a", query_template: "SELECT n FROM nowhere" },
          { id: "z", query_template: "SELECT 1" },
        ],
      });
      const { plan_id } = plan;
      const failed = await call(steward, "execute_step", { plan_id, step_id: "a" });
      expect(failed.structuredContent.hints.at(-1)).toContain(
        `call execute_step with plan_id "${String(plan_id)}", step_id "a"`,
      );
      const corrected = { plan_id, step_id: "a", query_template: "SELECT 20 AS n" };
      const { structuredContent: mended } = await call(steward, "execute_step", corrected);
      expect(mended).toMatchObject({ rows: [{ n: 20 }], replayed: false });
      const { structuredContent: again } = await call(steward, "execute_step", corrected);
      expect(again).toEqual({ ...mended, replayed: true });
      const query_template = "SELECT {{step.a.output[0].n}} + 1 AS n";
      const steps = [{ id: "b", query_template, depends_on: ["a"] }];
      const appended = await call(steward, "append_steps", { plan_id, steps });
      expect(appended.structuredContent).toMatchObject({ plan_id, ready_steps: ["z", "b"] });
      const { structuredContent: last } = await call(steward, "execute_step", {
        ...{ plan_id, step_id: "b" },
      });
      expect(last).toMatchObject({ rows: [{ n: 21 }] });
    },
  ),
];
