import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createClient, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { Client as PostgresClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { callTool, EVERYTHING } from "../transport/mcp/testing/mcp-app.js";
import { openApp, type App } from "./app.js";

// Statements that never end, on both engines, and a server whose own limit is too long to wait for: only the
// limits of the steps and of the data source `capped` can end them.
const directory = mkdtempSync(join(tmpdir(), "steward-time-limits-"));
const SERVER_MS = 3_000_000;
const MS = 40;
const ENDLESS =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) AS i FROM n";
const WRITE = `INSERT INTO notes (id) ${ENDLESS}`;
const FAILED = {
  code: "STEP_TIMEOUT",
  message: expect.stringMatching(
    /^The statement was stopped: it took .*\. The limit of 40 ms is the step's own timeout_ms: set a longer one, at most 3000000 ms here, or change/,
  ),
};
let app: App;
let client: StewardClient;
let postgres: TestDatabase;
let url: string;

beforeAll(async () => {
  for (const name of ["shop", "capped"]) {
    const database = new DatabaseSync(join(directory, `${name}.db`));
    database.exec("CREATE TABLE notes (id INTEGER)");
    database.close();
  }
  postgres = await freshDatabase();
  const owner = new PostgresClient({ connectionString: postgres.url });
  await owner.connect();
  await owner.query("CREATE TABLE notes (id bigint)");
  await owner.end();
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    stepTimeoutMs: SERVER_MS,
    dataSources: [
      { name: "shop", url: `sqlite:${join(directory, "shop.db")}` },
      { name: "capped", url: `sqlite:${join(directory, "capped.db")}`, timeoutMs: MS },
      { name: "crm", url: postgres.url },
    ],
  });
  url = `http://127.0.0.1:${String(app.address.port)}`;
  client = createClient({ baseUrl: url, maxRetries: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

type Step = Parameters<StewardClient["plans"]["submit"]>[0]["steps"][number];

/** The error of a plan of one step. */
async function errorOf(step: Omit<Step, "id">) {
  const { plan_id } = await client.plans.submit({ steps: [{ id: "a", ...step }] });
  return (await client.plans.execute(plan_id, "a")).step_result.error;
}

describe("the time limit of a step", () => {
  it.each(["shop", "crm"])("ends a read and a write on the data source %s", async (source) => {
    for (const query_template of [ENDLESS, WRITE]) {
      const failed = await errorOf({ query_template, data_source: source, timeout_ms: MS });
      expect(failed).toEqual(FAILED);
    }
    const count = { query_template: "SELECT count(*) AS n FROM notes", data_source: source };
    const { plan_id } = await client.plans.submit({ steps: [{ id: "a", ...count }] });
    const { llm_context_update: update } = await client.plans.execute(plan_id, "a");
    expect(JSON.parse(update.tool_output_json)).toEqual([{ n: 0 }]);
  });

  it("is longer than that of the data source, which then counts, also where the step sets none", async () => {
    const capped = { query_template: ENDLESS, data_source: "capped" };
    for (const step of [capped, { ...capped, timeout_ms: SERVER_MS }]) {
      expect(await errorOf(step)).toMatchObject({
        code: "STEP_TIMEOUT",
        message: expect.stringContaining("The limit of 40 ms is that of the data source capped"),
      });
    }
  });

  it("is shown with its step, and kept when something else is revised or the plan is forked", async () => {
    const { plan_id } = await client.plans.submit({
      on_failure: "pause",
      steps: [{ id: "a", query_template: "SELECT 1", timeout_ms: MS }],
    });
    await client.plans.reviseStep({ plan_id, step_id: "a", query_template: ENDLESS });
    const [step] = (await client.plans.getPlan({ plan_id })).steps;
    expect(step).toMatchObject({ timeout_ms: MS, data_source: "shop" });
    expect((await client.plans.getStep({ plan_id, step_id: "a" })).definition.timeout_ms).toBe(MS);
    expect((await client.plans.execute(plan_id, "a")).step_result.error).toEqual(FAILED);
    const fork = await client.plans.forkPlan({ plan_id });
    expect((await client.plans.getPlan({ plan_id: fork.plan_id })).steps[0]).toMatchObject({
      timeout_ms: MS,
    });
  });

  it("is refused above the operator's maximum, which the error names, on every way into a plan", async () => {
    const steps = [{ id: "b", query_template: "SELECT 1", timeout_ms: SERVER_MS + 1 }];
    const refusal = (field: string) =>
      `${field}.timeout_ms: is no whole number between 1 and 3000000, the operator's maximum (SERVICE_STEP_TIMEOUT_MS)`;
    await expect(client.plans.submit({ steps })).rejects.toThrow(refusal("steps[0]"));
    await expect(client.plans.checkPlan({ steps })).rejects.toThrow(refusal("steps[0]"));
    const { plan_id } = await client.plans.submit({
      steps: [{ id: "a", query_template: "SELECT 1" }],
    });
    await expect(client.plans.appendSteps({ plan_id, steps })).rejects.toThrow(refusal("steps[0]"));
    const revised = client.plans.reviseStep({ plan_id, step_id: "a", timeout_ms: 0 });
    await expect(revised).rejects.toThrow(refusal("step"));
  });
});

describe("timeout_ms of a step", () => {
  it("is set over gRPC, by a submission, an appended step and a revision", async () => {
    const grpc = new BareClient(app.address.port);
    const step = { query_template: ENDLESS, timeout_ms: MS };
    const ended = async (plan_id: unknown, step_id: string) =>
      grpc.call("ExecuteStep", { plan_id, step_id });
    const failed = { success: false, error_code: "STEP_TIMEOUT", error_message: FAILED.message };
    try {
      const { plan_id } = await grpc.call("SubmitPlan", {
        on_failure: "pause",
        steps: [{ step_id: "a", ...step }],
      });
      await grpc.call("AppendSteps", { plan_id, steps: [{ step_id: "b", ...step }] });
      const other = { step_id: "c", query_template: ENDLESS };
      await grpc.call("AppendSteps", { plan_id, steps: [other] });
      await grpc.call("ReviseStep", { plan_id, step_id: "c", timeout_ms: MS });
      expect(await grpc.call("GetPlanStatus", { plan_id })).toMatchObject({
        steps: ["a", "b", "c"].map(() => ({ timeout_ms: MS, data_source: "shop" })),
      });
      for (const id of ["a", "b", "c"]) expect(await ended(plan_id, id)).toMatchObject(failed);
      const below = { steps: [{ step_id: "a", query_template: "SELECT 1", timeout_ms: -1 }] };
      await expect(grpc.call("SubmitPlan", below)).rejects.toThrow("the operator's maximum");
    } finally {
      grpc.close();
    }
  });

  it("is set over MCP, by query, submit_plan and execute_step", async () => {
    const mcp = new Client({ name: "test", version: "1.0.0" });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${EVERYTHING}`)));
    try {
      const queried = await callTool(mcp, "query", { sql: ENDLESS, timeout_ms: MS });
      expect(queried).toMatchObject({ error: FAILED });
      const above = await callTool(mcp, "query", { sql: "SELECT 1", timeout_ms: SERVER_MS + 1 });
      expect(above.error.details).toEqual([
        { field: "timeout_ms", reason: expect.stringContaining("between 1 and 3000000") },
      ]);
      const steps = [
        { id: "a", query_template: ENDLESS, timeout_ms: MS },
        { id: "b", query_template: ENDLESS },
      ];
      const { plan_id } = await callTool(mcp, "submit_plan", { steps });
      expect(await callTool(mcp, "get_plan", { plan_id })).toMatchObject({
        steps: [{ timeout_ms: MS, data_source: "shop" }, { data_source: "shop" }],
      });
      const first = await callTool(mcp, "execute_step", { plan_id, step_id: "a" });
      expect(first).toMatchObject({ error: FAILED });
      const corrected = { plan_id, step_id: "b", timeout_ms: MS };
      expect(await callTool(mcp, "execute_step", corrected)).toMatchObject({ error: FAILED });
    } finally {
      await mcp.close();
    }
  });

  it("is set in plan files of the command line", async () => {
    const around = { env: { SERVICE_URL: url } };
    const input = JSON.stringify({ steps: [{ id: "a", query_template: ENDLESS, timeout_ms: MS }] });
    const { stdout, stderr, code } = await runHere(["plan", "run", "-"], { input, ...around });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("The limit of 40 ms is the step's own timeout_ms");
  });
});
