import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createClient, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { callTool, EVERYTHING } from "../transport/mcp/testing/mcp-app.js";
import { openApp, type App } from "./app.js";

// Two databases without a tools file. The default one has a table whose name is like that of a table
// which only the other one has.
const directory = mkdtempSync(join(tmpdir(), "steward-other-sources-"));
const COUNT = "SELECT count(*) AS n FROM invoices";
let app: App;
let client: StewardClient;
let url: string;

beforeAll(async () => {
  create("shop.db", "CREATE TABLE invoice_lines (id INTEGER); CREATE TABLE orders (id INTEGER)");
  create("crm.db", "CREATE TABLE invoices (id INTEGER); INSERT INTO invoices VALUES (1), (2)");
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: ["shop", "crm"].map((name) => {
      return { name, url: `sqlite:${join(directory, `${name}.db`)}` };
    }),
  });
  url = `http://127.0.0.1:${String(app.address.port)}`;
  client = createClient({ baseUrl: url, maxRetries: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function create(file: string, sql: string): void {
  const database = new DatabaseSync(join(directory, file));
  database.exec(sql);
  database.close();
}

/** Runs a plan of one step. */
async function run(step: { readonly query_template: string; readonly data_source?: string }) {
  const { plan_id } = await client.plans.submit({ steps: [{ id: "a", ...step }] });
  const { step_result, llm_context_update: update } = await client.plans.execute(plan_id, "a");
  return { planId: plan_id, status: step_result.status, ...update };
}

describe("a data source that is not the default one", () => {
  it("is named by data_source over REST, and the step says so", async () => {
    const ran = await run({ query_template: COUNT, data_source: "crm" });
    expect(JSON.parse(ran.tool_output_json)).toEqual([{ n: 2 }]);
    expect(ran.augmentation_hints).toEqual([]);
    const { definition, check } = await client.plans.getStep({ plan_id: ran.planId, step_id: "a" });
    expect([definition.data_source, check.data_source]).toEqual(["crm", "crm"]);
  });

  it("is named by data_source over gRPC, also by a revision", async () => {
    const grpc = new BareClient(app.address.port);
    try {
      const step = { step_id: "a", query_template: COUNT, data_source: "crm" };
      const { plan_id } = await grpc.call("SubmitPlan", { steps: [step] });
      expect(await grpc.call("ExecuteStep", { plan_id, step_id: "a" })).toMatchObject({
        llm_context_update: { tool_output_json: '[{"n":2}]' },
      });
      const wrong = { step_id: "a", query_template: COUNT };
      const { plan_id: other } = await grpc.call("SubmitPlan", { steps: [wrong] });
      const named = { plan_id: other, step_id: "a", data_source: { value: "crm" } };
      await grpc.call("ReviseStep", named);
      const asked = { plan_id: other, step_id: "a" };
      expect(await grpc.call("ExecuteStep", asked)).toMatchObject({ success: true });
    } finally {
      grpc.close();
    }
  });

  it("is named by data_source over MCP, where the catalog tells which one is the default", async () => {
    const mcp = new Client({ name: "test", version: "1.0.0" });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${EVERYTHING}`)));
    try {
      const listed = await callTool(mcp, "explore_data", {});
      expect(listed).toMatchObject({ default_data_source: "shop" });
      const ran = await callTool(mcp, "query", { sql: COUNT, data_source: "crm" });
      expect(ran).toMatchObject({ rows: [{ n: 2 }] });
      const failed = await callTool(mcp, "query", { sql: COUNT });
      expect(failed.hints[0]).toContain("set data_source to crm");
      const { plan_id, step_id } = failed;
      await callTool(mcp, "submit_plan", {
        steps: [{ id: "a", query_template: COUNT, data_source: "crm" }],
      });
      expect(plan_id).toBeDefined();
      expect(step_id).toBe("query");
    } finally {
      await mcp.close();
    }
  });

  it("is named by data_source in a plan file of the command line", async () => {
    const input = JSON.stringify({
      steps: [{ id: "a", query_template: COUNT, data_source: "crm" }],
    });
    const around = { env: { SERVICE_URL: url } };
    const ended = await runHere(["plan", "run", "-"], { input, ...around });
    expect(ended).toMatchObject({ code: 0 });
    const listed = await runHere(["catalog", "list"], around);
    expect(listed.stdout).toContain("shop (default)");
  });

  it("is named with a table that only it has, before any likeness", async () => {
    const { status, augmentation_hints: hints } = await run({ query_template: COUNT });
    expect(status).toBe("failed");
    expect(hints).toEqual([
      "no such table: invoices. Table invoices is in the data source crm: set data_source to crm.",
      "Ran on the default data source shop; data_source names another one.",
      expect.stringContaining("PATCH /api/plans/"),
    ]);
    const asSchema = await run({ query_template: "SELECT count(*) AS n FROM crm.invoices" });
    expect(asSchema.augmentation_hints[0]).toBe(
      "no such table: crm.invoices. Table invoices is in the data source crm: set data_source to crm.",
    );
    const unknown = await run({ query_template: "SELECT id FROM order_s" });
    expect(unknown.augmentation_hints[0]).toContain("orders");
  });

  it("is not named to callers whom a policy keeps from it", async () => {
    const text = `@id("no-crm") forbid (principal, action, resource in Steward::DataSource::"crm");`;
    await client.policies.putPolicies({ version: 0, text });
    try {
      const { augmentation_hints: hints } = await run({ query_template: COUNT });
      expect(hints.join()).not.toContain("is in the data source");
    } finally {
      await client.policies.putPolicies({ version: 1, text: "" });
    }
  });

  it("is refused as the name of a tool, with what to write instead", async () => {
    const steps = [{ id: "a", tool_name: "crm", query_template: COUNT }];
    await expect(client.plans.submit({ steps })).rejects.toThrow(
      'steps[0].tool_name: "crm" is a data source and no tool: set data_source to "crm", and leave tool_name out',
    );
    const gone = [{ id: "a", data_source: "gone", query_template: COUNT }];
    await expect(client.plans.submit({ steps: gone })).rejects.toThrow(
      'steps[0].data_source: there is no data source "gone"',
    );
  });

  it("keeps a step's data source when something else of the step is revised", async () => {
    const { plan_id } = await client.plans.submit({
      steps: [{ id: "a", data_source: "crm", query_template: "SELECT 1" }],
    });
    await client.plans.reviseStep({ plan_id, step_id: "a", query_template: COUNT });
    const { step_result } = await client.plans.execute(plan_id, "a");
    expect(step_result.status).toBe("completed");
  });

  it("is told for statements without one, which run on the default data source", async () => {
    const { augmentation_hints: hints } = await run({ query_template: "SELECT id FROM orders" });
    expect(hints).toEqual(["Ran on the default data source shop; data_source names another one."]);
  });
});
