import type { Client } from "@modelcontextprotocol/client";
import { createClient } from "@steward/client";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolConfig } from "../config/index.js";
import { callTool, type McpApp, openMcpApp } from "../transport/mcp/testing/mcp-app.js";

/** Agents call vetted statements over MCP and as steps of plans, on both engines. */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OTHER = "0c5d9f8e-2b7a-4c1d-8e3f-5a6b7c8d9e0f";

const AGENT = {
  "x-org-id": ORG,
  "x-user-role": "agent",
  "x-agent-id": "bot",
  "x-user-id": "alice",
};

/** Echoes its parameters, with what the database takes them for. */
function echo(dataSource: string, typeOf: string): ToolConfig {
  return {
    ...{ name: `echo_${dataSource}`, dataSource },
    vetted: {
      ...{ description: "Echoes", intent: "read_select", tests: [] },
      parameters: [
        { name: "word", type: "text" },
        { name: "ids", type: "integer[]", default: [1, 2] },
        { name: "half", type: "number", default: 4 },
        { name: "nothing", type: "text", default: null },
      ],
      statement: `SELECT {{word}} AS word, 'a {{word}}!' AS said, ${typeOf} AS kind, {{half}} / 8 AS half,
        (SELECT count(*) FROM products WHERE id IN ({{ids}})) AS found
        WHERE coalesce({{nothing}}, 'none') = 'none'`,
    },
  };
}

const TOOLS: readonly ToolConfig[] = [
  echo("shop", "typeof({{half}})"),
  echo("lake", "pg_typeof({{half}})::text"),
  {
    ...{ name: "restock", dataSource: "shop" },
    vetted: {
      ...{ description: "Restocks", intent: "write_update", roles: ["admin", "agent"], tests: [] },
      parameters: [
        { name: "id", type: "integer" },
        { name: "by", type: "integer" },
      ],
      statement: "UPDATE products SET stock = stock + {{by}} WHERE id = {{id}}",
    },
  },
  {
    ...{ name: "for_admins", dataSource: "shop" },
    vetted: {
      ...{ description: "Counts", intent: "read_select", roles: ["admin"], tests: [] },
      ...{ parameters: [], statement: "SELECT count(*) AS n FROM orders" },
    },
  },
  {
    ...{ name: "for_others", dataSource: "shop" },
    vetted: {
      ...{ description: "Counts", intent: "read_select", organizations: [OTHER], tests: [] },
      ...{ parameters: [], statement: "SELECT count(*) AS n FROM orders" },
    },
  },
];

/** A text that would end a literal, a template and a JSON text, if it were pasted anywhere. */
const NASTY = `x'); DROP TABLE products; --{{step.a.output}} "\\`;

let database: TestDatabase;
let steward: McpApp;
let mcp: Client;
beforeAll(async () => {
  database = await freshDatabase();
  await database.query("CREATE TABLE products (id int); INSERT INTO products VALUES (1), (2), (3)");
  steward = await openMcpApp({
    dataSources: [{ name: "lake", url: database.url }],
    tools: { strict: true, tools: TOOLS },
  });
  mcp = await steward.connected(AGENT, "auto", {}, "?toolsets=tools&structured=true");
});
afterAll(async () => {
  await mcp.close();
  await steward[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const as = (role: string, who: object = {}) =>
  createClient({
    ...{ baseUrl: `http://127.0.0.1:${String(steward.app.address.port)}`, orgId: ORG },
    ...{ role, maxRetries: 0, ...who },
  });
const agent = () => as("agent", { agentId: "bot", userId: "alice" });

/** A step that calls a vetted statement. */
const step = (tool_name: string, args: object | string, more: object = {}) => ({
  ...{ id: "s", tool_name },
  query_template: typeof args === "string" ? args : JSON.stringify(args),
  ...more,
});

const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a vetted statement", () => {
  it("is a tool of MCP for those who may call it, with the schema of its parameters", async () => {
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["echo_shop", "echo_lake", "restock", "get_result"],
    ]);
    const [echoed, , restock] = tools;
    expect(echoed).toMatchObject({
      description: "Echoes",
      annotations: { readOnlyHint: true, destructiveHint: false },
      inputSchema: {
        properties: {
          word: { type: "string" },
          ids: { type: "array", items: { type: "integer" }, default: [1, 2] },
          half: { type: "number", default: 4 },
          nothing: { type: "string" },
        },
        required: ["word"],
        additionalProperties: false,
      },
    });
    expect(restock?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    const plain = await steward.connected(AGENT, "auto", {}, "");
    expect((await plain.listTools()).tools.map(({ name }) => name)).toContain("restock");
    await plain.close();
    const ask = await steward.connected(AGENT, "auto", {}, "?toolsets=ask");
    expect((await ask.listTools()).tools.map(({ name }) => name)).not.toContain("restock");
    await ask.close();
  });

  it.each([
    ["echo_shop", "real"],
    ["echo_lake", "numeric"],
  ])("binds its arguments with their types: %s", async (tool, kind) => {
    const said = { word: NASTY, said: `a ${NASTY}!`, kind };
    expect(await callTool(mcp, tool, { word: NASTY, ids: [1, 3, 99] })).toMatchObject({
      status: "completed",
      rows: [{ ...said, found: 2 }],
    });
    const { rows } = await callTool(mcp, tool, { word: NASTY });
    expect(Number(rows[0].half)).toBe(0.5);
    expect(rows).toMatchObject([{ ...said, found: 2 }]);
    expect((await callTool(mcp, tool, { word: "a", nothing: "some" })).rows).toEqual([]);
  });

  it("refuses arguments of another name or type, and tells which", async () => {
    const { error } = await callTool(mcp, "restock", { id: "1", by: 1 });
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ field: "id" }] });
    const of = (args: object | string) =>
      refusal(agent().plans.submit({ steps: [step("restock", args)] }));
    expect(await of({ id: 1, buy: 2 })).toMatchObject({
      code: "INVALID_PLAN",
      details: [
        {
          field: "steps[0].query_template",
          reason: 'has "buy", which is no parameter: did you mean by?',
        },
      ],
    });
    expect(await of({ id: 1 })).toMatchObject({
      message: expect.stringContaining('needs "by", a value of the type integer') as string,
    });
    expect(await of({ id: 1.5, by: 1 })).toMatchObject({ code: "INVALID_PLAN" });
    expect(await of("UPDATE products SET stock = 0")).toMatchObject({ code: "INVALID_PLAN" });
    expect(await of({ id: "{{step.s.output[0].id}}", by: 1 })).toMatchObject({
      message: expect.stringContaining("inside a text: give it as the whole value") as string,
    });
  });

  it("is the only statement that runs where names are strict", async () => {
    const steps = [{ id: "s", tool_name: "sql", query_template: "SELECT 1 AS n" }];
    expect(await refusal(agent().plans.submit({ steps }))).toMatchObject({ code: "INVALID_PLAN" });
    const other = [{ ...step("restock", { id: 1, by: 1 }), intent: "read_select" as const }];
    expect(await refusal(agent().plans.submit({ steps: other }))).toMatchObject({
      details: [{ field: "steps[0].intent" }],
    });
  });

  it("takes values of earlier steps, from another engine too", async () => {
    const steps = [
      { ...step("echo_lake", { word: "from the lake", ids: [3] }), id: "a" },
      step("echo_shop", '{"word": {{step.a.output[0].word}}, "ids": {{step.a.output[*].found}}}', {
        depends_on: ["a"],
      }),
    ];
    const { plan_id } = await agent().plans.submit({ steps });
    await agent().plans.execute(plan_id, "a");
    const { llm_context_update: update } = await agent().plans.execute(plan_id, "s");
    expect(JSON.parse(update.tool_output_json)).toMatchObject([
      { word: "from the lake", found: 1 },
    ]);
    const wrong = step("echo_shop", '{"word": {{step.a.output}}}', { depends_on: ["a"] });
    const refused = agent().plans.submit({ steps: [{ ...steps[0], id: "a" }, wrong] });
    expect(await refusal(refused)).toMatchObject({
      code: "BAD_PLACEHOLDER",
      message: expect.stringContaining("write {{step.a.output[0].column}}") as string,
    });
  });

  it("is checked without being run, and tells what it touches", async () => {
    const check = await agent().plans.checkPlan({ steps: [step("restock", { id: 1, by: 1 })] });
    expect(check.steps).toMatchObject([{ intent: "write_update", tables: [{ name: "products" }] }]);
  });

  it("is only for its roles and organizations, also when its step was submitted by others", async () => {
    const steps = [step("for_admins", {})];
    expect(await refusal(agent().plans.submit({ steps }))).toMatchObject({
      code: "POLICY_DENIED",
      message: "The tool for_admins is only for callers with the role admin",
    });
    const { plan_id } = await as("admin", { userId: "root" }).plans.submit({ steps });
    const executed = agent().plans.execute(plan_id, "s");
    expect(await refusal(executed)).toMatchObject({ code: "POLICY_DENIED" });
    const other = as("admin", { userId: "root" }).plans.submit({ steps: [step("for_others", {})] });
    expect(await refusal(other)).toMatchObject({ code: "POLICY_DENIED" });
  });

  it("is in the catalog with its schema, for those who may call it", async () => {
    const { tools } = await agent().catalog.listCatalog();
    expect(tools.map(({ name }) => name)).toEqual(["echo_shop", "echo_lake", "restock"]);
    expect(tools[2]).toMatchObject({
      ...{ data_source: "shop", description: "Restocks", intents: ["write_update"] },
      input_schema: { required: ["id", "by"] },
    });
  });

  it("waits for approval under policies, and shows its statement and its arguments, and runs when it has it", async () => {
    const text = `@id("stock") @approval("approver")
      forbid (principal, action == Steward::Action::"write_update", resource) unless { context.approved };`;
    await as("admin", { userId: "root" }).policies.putPolicies({ text, version: 0 });
    const { error } = await callTool(mcp, "restock", { id: 1, by: 7 });
    expect(error).toMatchObject({ code: "APPROVAL_REQUIRED" });
    const approver = as("approver", { userId: "eve" });
    const [waiting] = (await approver.approvals.listApprovals({ status: "pending" })).approvals;
    expect(waiting?.subject).toMatchObject({
      tool_name: "restock",
      query_template: '{"id":1,"by":7}',
      statement: expect.stringMatching(/^UPDATE products SET stock = stock \+ /) as string,
      values: [{ text: "7" }, { text: "1" }],
    });
    const { approval_id = "", digest = "", plan_id = "" } = waiting ?? {};
    await approver.approvals.grantApproval({ approval_id, digest });
    expect(await callTool(mcp, "get_result", { plan_id })).toMatchObject({
      ...{ status: "completed", row_count: 1 },
    });
  });
});
