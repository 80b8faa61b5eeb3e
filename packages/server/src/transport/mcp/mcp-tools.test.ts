import type { Client } from "@modelcontextprotocol/client";
import { getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LlmToolCallAuditRecorded } from "../../kernel/tool-call.js";
import { callTool, openMcpApp, type McpApp, type ToolArguments } from "./testing/mcp-app.js";
import { ALL_MCP_TOOLS } from "./tools/index.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OTHER_ORG = "11111111-1111-4111-8111-111111111111";
const admin = { "x-org-id": ORG, "x-user-id": "ada", "x-user-role": "admin" };
const events: LlmToolCallAuditRecorded[] = [];

let steward: McpApp;
let client: Client;
beforeAll(async () => {
  steward = await openMcpApp();
  steward.app.events.subscribe("LlmToolCallAuditRecorded", (event) => events.push(event));
  client = await steward.connected(admin);
});
afterAll(async () => {
  await client.close();
  await steward[Symbol.asyncDispose]();
});

/** Calls a tool as the client does that all tests share. */
function call(name: string, args: ToolArguments = {}, by = client): ReturnType<typeof callTool> {
  return callTool(by, name, args);
}

describe("the tools of MCP", () => {
  it("are in a stable order, with schemas of both sides and all annotations", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["explore_data", "query", "get_result"],
      "execute_step",
      "submit_plan",
      "append_steps",
      "fork_plan",
      "finish_plan",
      "get_plan",
      "list_plans",
      "cancel_plan",
      "wait_for_events",
      "search_memory",
      "add_memory",
      "propose_migration",
      "get_usage",
    ]);
    for (const { name, description = "", inputSchema, outputSchema, annotations } of tools) {
      expect([name, description.length > 70]).toEqual([name, true]);
      expect([name, inputSchema["additionalProperties"]]).toEqual([name, false]);
      expect([name, outputSchema?.["type"]]).toEqual([name, "object"]);
      expect(Object.keys(annotations ?? {}).toSorted()).toEqual([
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "readOnlyHint",
      ]);
    }
  });

  it("each have an action, which is asked for before the call is looked at", () => {
    expect(ALL_MCP_TOOLS.filter(({ actions }) => actions.length === 0)).toEqual([]);
    const read = ALL_MCP_TOOLS.filter(({ annotations }) => annotations.readOnlyHint);
    for (const { name, actions } of read) {
      expect([name, actions.filter((action) => !action.endsWith(":read"))]).toEqual([name, []]);
    }
  });

  it("answer a question in one call, and say how to correct a wrong one", async () => {
    const { data_sources } = await call("explore_data");
    expect(data_sources).toMatchObject([{ name: "shop", dialect: "sqlite" }]);
    const { found } = await call("explore_data", { query: "which customers are there?" });
    expect(found[0]).toMatchObject({ data_source: "shop", table: "customers" });
    const tables = ["customers", "orders"];
    const { descriptions } = await call("explore_data", { tables, token_budget: 600 });
    expect(descriptions[0].text).toContain("email");
    expect(descriptions[1].text).not.toContain("JOIN");
    for (const { tokens } of descriptions) expect(tokens).toBeLessThanOrEqual(300);
    const joined = await call("explore_data", { tables: ["orders"], joins: true });
    expect(joined.descriptions[0].text).toContain("JOIN customers");

    const answer = await call("query", { sql: "SELECT count(*) AS n FROM customers" });
    expect(answer).toMatchObject({ status: "completed", row_count: 1, replayed: false });
    expect(answer.rows[0].n).toBeGreaterThan(0);

    const wrong = await call("query", { sql: "SELECT nme FROM customers" });
    expect(wrong).toMatchObject({ status: "failed", rows: [], error: { code: "STEP_FAILED" } });
    expect(wrong.hints.join(" ")).toContain("did you mean name?");

    const write = await call("query", { sql: "DELETE FROM orders" });
    expect(write.error).toMatchObject({ code: "INVALID_PLAN" });
    expect(write.error.message).toContain("write_delete");
  });

  it("run a plan whose steps use each other's output, and read it back", async () => {
    const plan = await call("submit_plan", {
      name: "The best customer",
      steps: [
        {
          id: "best",
          query_template:
            "SELECT customer_id FROM orders GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
        },
        {
          id: "who",
          query_template:
            "SELECT name FROM customers WHERE id = {{step.best.output[0].customer_id}}",
          depends_on: ["best"],
        },
      ],
    });
    expect(plan).toMatchObject({ status: "pending", ready_steps: ["best"] });
    const { plan_id } = plan;
    expect(await call("execute_step", { plan_id, step_id: "who" })).toMatchObject({
      error: { code: "STEP_DEPENDENCIES_NOT_MET" },
    });
    await call("execute_step", { plan_id, step_id: "best" });
    expect(await call("get_plan", { plan_id })).toMatchObject({
      status: "running",
      steps: [{ status: "completed" }, { status: "pending" }],
      ready_steps: ["who"],
    });
    const [row] = (await call("execute_step", { plan_id, step_id: "who" })).rows;
    expect(Object.keys(row)).toEqual(["name"]);
    await call("finish_plan", { plan_id });
    const seen = await call("wait_for_events", { plan_id, after_sequence: 2 });
    expect(seen).toMatchObject({ ended: true });
    expect(seen.events.at(-1).event_type).toBe("PlanCompleted");
    const { last_sequence: after_sequence } = seen;
    expect(await call("wait_for_events", { plan_id, after_sequence })).toMatchObject({
      events: [],
      ended: true,
    });
    expect((await call("list_plans", { limit: 1 })).plans).toHaveLength(1);
    expect(await call("cancel_plan", { plan_id })).toMatchObject({
      error: { code: "PLAN_NOT_ACTIVE" },
    });
  });

  it("say every wrong field of an input, as results that the LLM reads", async () => {
    const { error } = await call("query", { sqll: "SELECT 1", max_rows: 0 });
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(error.details.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      "max_rows",
      "sql",
      "sqll",
    ]);
    await expect(client.callTool({ name: "qery", arguments: {} })).rejects.toThrow(/query/);
  });

  it("name the tool's own fields in errors, and the call to make next", async () => {
    const sql = "SELECT {{step.a.output[0].n}} AS n";
    const { error } = await call("query", { sql });
    expect(error.message).toMatch(/^sql: \{\{step\.a/);
    expect(error.details).toMatchObject([{ field: "sql" }]);
    expect(error.next_step).toContain("submit_plan takes several steps");
    const write = await call("query", { sql: "DELETE FROM orders" });
    expect(write.error.message).toMatch(/^intent: .*declare write_delete$/);
    const note = await call("add_memory", { note: "x".repeat(70_000) });
    expect(note.error.message).toMatch(/^note: /);
    const { plan_id } = await call("submit_plan", { steps: [{ id: "a", query_template: sql }] });
    expect(plan_id).toBeUndefined();
    const unknown = await call("get_plan", { plan_id: "01890000-0000-7000-8000-000000000000" });
    expect(unknown.error.next_step).toContain("list_plans");
  });

  it("hand out long results page by page, without running anything again", async () => {
    const sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) SELECT i FROM n";
    const first = await call("query", { sql });
    expect(first).toMatchObject({ row_count: 250, next_offset: 100 });
    expect(first.hints.join(" ")).toContain("Rows 1 to 100 of 250 are shown");
    const { plan_id, step_id, next_offset: offset } = first;
    expect(first.hints.join(" ")).toContain(`get_result with plan_id "${String(plan_id)}"`);
    const next = await call("get_result", { plan_id, offset, max_rows: 150 });
    expect(next).toMatchObject({ replayed: true });
    expect(next).not.toHaveProperty("next_offset");
    expect(next.rows.at(-1)).toEqual({ i: 250 });

    const little = await call("execute_step", {
      plan_id,
      step_id,
      max_bytes: 1024,
      max_rows: 1000,
    });
    expect(little.next_offset).toBeLessThan(150);
    const steps = [{ id: "a", query_template: sql, max_rows: 7 }];
    const limited = await call("submit_plan", { steps });
    expect(await call("execute_step", { plan_id: limited.plan_id, step_id: "a" })).toMatchObject({
      next_offset: 7,
    });

    const wide = await call("query", {
      sql: "SELECT 1 AS id, printf('%.*c', 200000, 'x') AS text",
    });
    expect(JSON.stringify(wide).length).toBeLessThan(80_000);
    expect(wide.rows[0].text).toContain("(cut, 200000 characters)");
    expect(wide.hints.join(" ")).toContain("Row 1 was too large");
  });

  it("show one step with its statement and its rows, page by page, and run nothing", async () => {
    const sql = "VALUES (1), (2), (3)";
    const steps = [{ id: "a", query_template: sql, max_rows: 2 }];
    const { plan_id } = await call("submit_plan", { steps });
    const [before] = (await call("get_plan", { plan_id, step_id: "a" })).steps;
    expect(before).toMatchObject({ status: "pending", query_template: sql, max_rows: 2 });
    expect(before).not.toHaveProperty("rows");
    await call("execute_step", { plan_id, step_id: "a" });
    const first = await call("get_plan", { plan_id, step_id: "a" });
    expect(first.steps[0].rows).toHaveLength(2);
    expect(first.hints.join(" ")).toContain("Rows 1 to 2 of 3 are shown");
    const offset = first.next_offset;
    const last = await call("get_plan", { plan_id, step_id: "a", offset });
    expect(last.steps).toMatchObject([{ status: "completed", rows: [{ column1: 3 }] }]);
    expect(last).not.toHaveProperty("next_offset");
    const one = await call("get_plan", { plan_id, step_id: "a", max_rows: 1 });
    expect(one.next_offset).toBe(1);
    expect((await call("get_plan", { plan_id, max_rows: 1 })).error.message).toContain("step_id");
    const unknown = await call("get_plan", { plan_id, step_id: "b" });
    expect(unknown.error).toMatchObject({ code: "STEP_NOT_FOUND" });
    expect((await call("get_plan", { plan_id })).steps[0]).toMatchObject({ max_rows: 2 });
  });

  it("remember a note and find it", async () => {
    const { entry_id } = await call("add_memory", { note: "Orders are in the table orders." });
    const { results } = await call("search_memory", { query: "orders", top_k: 100 });
    const found = results.find((result: { entry_id: string }) => result.entry_id === entry_id);
    expect(JSON.parse(found.content)).toEqual({ note: "Orders are in the table orders." });
  });

  it("propose a migration and change nothing", async () => {
    const data_source = "shop";
    const { present_schema: sql } = await call("propose_migration", { data_source });
    expect(sql).toContain('CREATE TABLE "customers"');
    const proposed = await call("propose_migration", {
      data_source,
      sql: `${sql}\nCREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);`,
      message: "agents keep notes",
    });
    expect(proposed).toMatchObject({ status: "proposed", findings: [] });
    expect(proposed.statements.join()).toContain("CREATE TABLE");
    const after = await call("propose_migration", { data_source });
    expect(after).toMatchObject({ status: "present", present_schema: sql });
  });

  it("serve clients of 2025-11-25 at the same URL", async () => {
    const old = await steward.connected(admin, "legacy");
    expect(old.getServerVersion()).toMatchObject({ name: "steward" });
    expect((await old.listTools()).tools).toHaveLength(16);
    expect(await call("query", { sql: "SELECT 1 AS one" }, old)).toMatchObject({
      rows: [{ one: 1 }],
    });
    await old.close();
  });

  it("report progress to a client that asks for it, and stop waiting when it gives up", async () => {
    const told: number[] = [];
    const { plan_id } = await call("submit_plan", {
      steps: [{ id: "a", query_template: "SELECT 1" }],
    });
    const args = { plan_id, after_sequence: 1 };
    const options = {
      timeout: 1_500,
      onprogress: ({ progress }: { progress: number }) => told.push(progress),
    };
    const waiting = client.callTool({ name: "wait_for_events", arguments: args }, options);
    await expect(waiting).rejects.toThrow();
    expect(told.length).toBeGreaterThan(0);
  });
});

describe("a call of MCP that its client aborts", () => {
  const endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n";

  /** Calls a tool and aborts the call as soon as it is told the plan. @returns the first notification. */
  async function aborted(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const abort = new AbortController();
    const told: string[] = [];
    const options = {
      signal: abort.signal,
      onprogress: ({ message = "" }: { message?: string | undefined }) => {
        told.push(message);
        abort.abort();
      },
    };
    await expect(client.callTool({ name, arguments: args }, options)).rejects.toThrow();
    return told[0] ?? "";
  }

  it("stops the statement of a query, whose plan the first notification names", async () => {
    const message = await aborted("query", { sql: endless });
    const [, plan_id] = /^query of plan (\S+) has been running/.exec(message) ?? [];
    await expect.poll(async () => (await call("get_plan", { plan_id })).status).toBe("cancelled");
  });

  it("stops the attempt of a step, which can be executed again", async () => {
    const { plan_id } = await call("submit_plan", {
      steps: [{ id: "a", query_template: endless }],
    });
    const message = await aborted("execute_step", { plan_id, step_id: "a" });
    expect(message).toContain(plan_id);
    const step = async () => (await call("get_plan", { plan_id })).steps[0];
    await expect.poll(async () => (await step()).status).toBe("pending");
    const corrected = { plan_id, step_id: "a", query_template: "SELECT 1 AS n" };
    expect(await call("execute_step", corrected)).toMatchObject({ status: "completed" });
  });

  it("lets an attempt continue for another caller who waits for it", async () => {
    const { plan_id } = await call("submit_plan", {
      steps: [{ id: "a", query_template: endless }],
    });
    const url = `http://127.0.0.1:${String(steward.app.address.port)}`;
    const rest = createClient({ baseUrl: url, orgId: ORG, userId: "ada", role: "admin" });
    const joined = rest.plans.execute(plan_id, "a");
    const step = async () => (await call("get_plan", { plan_id })).steps[0];
    await expect.poll(async () => (await step()).status).toBe("running");
    await aborted("execute_step", { plan_id, step_id: "a" });
    expect((await step()).status).toBe("running");
    await rest.plans.cancelPlan({ plan_id });
    expect((await joined).step_result.status).toBe("cancelled");
  });
});

describe("the resources and prompts of MCP", () => {
  it("are plans, schemas and the history of the state", async () => {
    const { plan_id } = await call("submit_plan", {
      name: "attached",
      steps: [{ id: "a", query_template: "SELECT 1" }],
    });
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ uri: `plan://${plan_id}`, title: "attached" });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "plan://{plan_id}",
      "schema://{data_source}",
      "state://{branch}",
    ]);
    expect(JSON.parse(await textOf(`plan://${plan_id}`))).toMatchObject({ ready_steps: ["a"] });
    expect(await textOf("schema://shop")).toContain('CREATE TABLE "orders"');
    expect(JSON.parse(await textOf("state://schemas%2Fshop"))).toMatchObject({
      branch: "schemas/shop",
    });
    await expect(textOf("plan://nosuch")).rejects.toThrow(/Unknown plan/);
    await expect(textOf("file:///etc/passwd")).rejects.toThrow(/Unknown resource/);
  });

  it("are a page that draws a plan too, which the tools name that submit and show one", async () => {
    const { tools } = await client.listTools();
    const named = tools.map((tool) => [tool.name, getToolUiResourceUri(tool)] as const);
    const uri = "ui://steward/plan.html";
    expect(named.filter(([, page]) => page !== undefined)).toEqual([
      ["submit_plan", uri],
      ["get_plan", uri],
    ]);
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([
      {
        mimeType: "text/html;profile=mcp-app",
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
      },
    ]);
    expect(JSON.stringify(contents)).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  it("have an agent write a plan, and repair one that failed", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["write_plan", "repair_plan"]);
    const task = "Who bought most last month?";
    const written = await client.getPrompt({ name: "write_plan", arguments: { task } });
    expect(JSON.stringify(written.messages)).toContain(task);
    const { plan_id } = await call("query", { sql: "SELECT nme FROM customers" });
    const repair = await client.getPrompt({ name: "repair_plan", arguments: { plan_id } });
    expect(JSON.stringify(repair.messages)).toContain("no such column: nme");
    await expect(client.getPrompt({ name: "repair_plan" })).rejects.toThrow(/plan_id/);
  });
});

/** Reads a resource of one text. */
async function textOf(uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  return contents.map((content) => ("text" in content ? content.text : "")).join("");
}

describe("a call over MCP", () => {
  it("makes one usage row and one event, of the step where it runs one", async () => {
    const agent = await steward.connected({ "x-org-id": OTHER_ORG, "x-user-role": "admin" });
    await call("query", { sql: "SELECT 1", tool_name: "sql" }, agent);
    await call("list_plans", {}, agent);
    await call("get_plan", { plan_id: "nosuch" }, agent);
    await call("submit_plan", { steps: [] }, agent);
    const rows = (await call("get_usage", { group_by: "tool" }, agent)).rows as readonly {
      tool_name: string;
    }[];
    const counts = rows.map((row) => ({ ...row, date: undefined }));
    expect(counts).toEqual([
      { tool_name: "get_plan", action_count: 1, total_aau: 1, total_cost_usd: 0 },
      { tool_name: "list_plans", action_count: 1, total_aau: 1, total_cost_usd: 0 },
      { tool_name: "sql", action_count: 1, total_aau: 1, total_cost_usd: 0 },
    ]);
    const own = events.filter(({ context }) => context.org_id === OTHER_ORG);
    expect(own.map(({ tool_name }) => tool_name)).toEqual([
      "sql",
      "list_plans",
      "get_plan",
      "get_usage",
    ]);
    await agent.close();
  });

  it("may do what its caller may do on the other wires, and offers only that", async () => {
    const auditor = await steward.connected({
      "x-org-id": ORG,
      "x-user-id": "al",
      "x-user-role": "auditor",
    });
    const { tools } = await auditor.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("query");
    expect(await call("query", { sql: "SELECT 1" }, auditor)).toMatchObject({
      error: { code: "POLICY_DENIED" },
    });
    await auditor.close();
    const other = await steward.connected({ "x-org-id": OTHER_ORG, "x-user-role": "agent" });
    const { plans } = await call("list_plans", {}, client);
    expect(await call("get_plan", { plan_id: plans[0].plan_id }, other)).toMatchObject({
      error: { code: "PLAN_NOT_FOUND" },
    });
    await other.close();
  });
});
