import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { runHere } from "../cli/testing/run-here.js";
import { startSteward } from "../cli/testing/steward-process.js";
import { openApp, type App } from "./app.js";
import { EVERYTHING } from "../transport/mcp/testing/mcp-app.js";

/** A server as `steward serve` starts it, in an organization that has put no policies yet. */
const directory = mkdtempSync(join(tmpdir(), "steward-first-policies-"));
let app: App;
beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory, agentsOnlyRead: true },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

it("an agent's credential only reads until its organization has policies, and is told how to go on", async () => {
  const orgId = crypto.randomUUID();
  const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  const as = (who: object) => createClient({ baseUrl, orgId, maxRetries: 0, ...who });
  const submit = (who: object, query_template: string) =>
    as(who).plans.submit({ name: "p", steps: [{ id: "a", query_template }] });
  const agents = [
    { role: "agent", userId: "ada" },
    { role: "agent", agentId: "bot" },
    { role: "admin", agentId: "bot" },
  ];
  for (const who of agents) {
    const { plan_id } = await submit(who, "SELECT 1 AS one");
    const { step_result } = await as(who).plans.execute(plan_id, "a");
    expect(step_result.status).toBe("completed");
    for (const write of ["DELETE FROM orders WHERE id = -1", "UPDATE orders SET id = id"]) {
      await expect(submit(who, write)).rejects.toMatchObject({
        code: "POLICY_DENIED",
        message: expect.stringContaining("steward policy init") as string,
      });
    }
  }
  // On plain loopback whoever names no role tries Steward out, and persons are no agents.
  await submit({}, "DELETE FROM orders WHERE id = -1");
  await submit({ agentId: "bot" }, "DELETE FROM orders WHERE id = -1");
  const admin = { role: "admin", userId: "root" };
  await submit(admin, "DELETE FROM orders WHERE id = -1");
  expect(await app.agentRights()).toMatchObject({ permit: ["read_select"], approval: [] });
  // Whoever has put policies, even none, has decided.
  await as(admin).policies.putPolicies({ version: 0, text: "" });
  for (const who of agents) await submit(who, "DELETE FROM orders WHERE id = -1");
});

it("an agent's API key at steward serve reads over REST and MCP, and writes once policies are put", async () => {
  const cwd = mkdtempSync(join(directory, "serve-"));
  createSampleDatabase(join(cwd, "shop.db"));
  const org = crypto.randomUUID();
  const env = {
    ...{ SERVICE_AUTH: "apikey", SERVICE_ORGANIZATION: org },
    SERVICE_DATABASE_URL: `sqlite:${join(cwd, "store.db")}`,
    SERVICE_DATA_SOURCES: `shop=sqlite:${join(cwd, "shop.db")}`,
  };
  const issue = async (...args: readonly string[]): Promise<string> => {
    const create = ["key", "create", "--org", org, "--name", "k", ...args, "--json"];
    const { stdout } = await runHere(create, { cwd, env });
    return (JSON.parse(stdout) as { readonly api_key: string }).api_key;
  };
  const bot = await issue("--role", "agent", "--agent", "bot");
  const root = await issue("--role", "admin", "--user", "root");
  await using serve = startSteward(["serve", "--port", "0", "--json"], { cwd, env });
  const { rest: baseUrl } = JSON.parse(await serve.said("stdout", /\n/)) as {
    readonly rest: string;
  };
  const { plans } = createClient({ baseUrl, apiKey: bot, maxRetries: 0 });
  const run = async (query_template: string): Promise<string> => {
    const { plan_id } = await plans.submit({ steps: [{ id: "a", query_template }] });
    return (await plans.execute(plan_id, "a")).step_result.status;
  };
  const mcp = new Client({ name: "test", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${bot}` } };
  await mcp.connect(
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${EVERYTHING}`), { requestInit }),
  );
  const query = async (sql: string, intent = "read_select"): Promise<string> => {
    const { structuredContent } = await mcp.callTool({ name: "query", arguments: { sql, intent } });
    return JSON.stringify(structuredContent);
  };
  try {
    expect(await run("SELECT 1 AS one")).toBe("completed");
    expect(await query("SELECT 1 AS one")).toContain('"one":1');
    const write = "DELETE FROM orders WHERE id = -1";
    const fix = expect.stringContaining("steward policy init") as string;
    await expect(run(write)).rejects.toMatchObject({ code: "POLICY_DENIED", message: fix });
    expect(await query(write, "write_delete")).toMatch(/POLICY_DENIED.*steward policy init/);
    await createClient({ baseUrl, apiKey: root }).policies.putPolicies({ version: 0, text: "" });
    // Each server applies new policies within a second.
    await expect.poll(() => query(write, "write_delete")).not.toContain('"error"');
    expect(await run(write)).toBe("completed");
  } finally {
    await mcp.close();
  }
}, 60_000);
