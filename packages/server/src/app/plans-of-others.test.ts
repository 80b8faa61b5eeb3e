import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createClient, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { DisposalStack } from "../kernel/disposal.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { openApp, type App } from "./app.js";
import { EVERYTHING } from "../transport/mcp/testing/mcp-app.js";

/**
 * Whose plans a caller sees, where a proxy vouches for identity: each operation of each wire is asked
 * for a plan of somebody else, on both stores.
 */
const ORG = "0195a1c4-7d2e-4a10-9c3b-5f0e8d6a4b21";
const SECRET = "a secret of thirty-two characters";

/** Callers by name; whoever has the right to the plans of others is among the readers. */
const CALLERS = {
  bot: { "x-user-role": "agent", "x-agent-id": "bot", "x-user-id": "ann" },
  twin: { "x-user-role": "agent", "x-agent-id": "bot", "x-user-id": "bob" },
  other: { "x-user-role": "agent", "x-agent-id": "other" },
  stranger: { "x-user-role": "schema", "x-user-id": "eve" },
  ann: { "x-user-role": "schema", "x-user-id": "ann" },
  auditor: { "x-user-role": "auditor", "x-user-id": "aud" },
  approver: { "x-user-role": "approver", "x-user-id": "app" },
  admin: { "x-user-role": "admin", "x-user-id": "root" },
} as const;
type Name = keyof typeof CALLERS;

const BLIND: readonly Name[] = ["twin", "other", "stranger"];
const READERS: readonly Name[] = ["bot", "ann", "auditor", "approver", "admin"];

function headersOf(name: Name): Readonly<Record<string, string>> {
  return { "x-org-id": ORG, "x-proxy-secret": SECRET, ...CALLERS[name] };
}

/** The answer to an operation on a plan, as text. */
type Ask = (planId: string, name: Name) => Promise<string>;

describe.each(["SQLite", "PostgreSQL"])("on %s", (engine) => {
  const directory = mkdtempSync(join(tmpdir(), "steward-others-"));
  const opened = new DisposalStack();
  let app: App;
  let url: string;
  let grpc: BareClient;
  let planId: string;
  const mcp = new Map<Name, Client>();

  beforeAll(async () => {
    createSampleDatabase(join(directory, "shop.db"));
    const database = engine === "SQLite" ? undefined : opened.use(await storeDatabase());
    app = opened.use(
      await openApp({
        ...{ port: 0, log: silentLog, dataDir: directory, organization: ORG },
        databaseUrl: database?.url ?? `sqlite:${join(directory, "store.db")}`,
        dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
        auth: { headers: { trustedProxies: [], proxySecrets: [SECRET] } },
      }),
    );
    url = `http://127.0.0.1:${String(app.address.port)}`;
    grpc = new BareClient(app.address.port);
    for (const name of [...BLIND, ...READERS]) {
      const client = new Client({ name: "test", version: "1.0.0" });
      const requestInit = { headers: headersOf(name) };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp${EVERYTHING}`), { requestInit }),
      );
      mcp.set(name, client);
    }
    const steps = [{ id: "a", query_template: "SELECT 1 AS one" }];
    const plan = { name: "of the bot", steps: [...steps, { ...steps[0], id: "b" }] };
    planId = (await as("bot").plans.submit(plan, { idempotencyKey: "k" })).plan_id;
    await as("bot").plans.execute(planId, "a");
  });
  afterAll(async () => {
    for (const client of mcp.values()) await client.close();
    grpc.close();
    await opened[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  function as(name: Name): StewardClient {
    return createClient({ baseUrl: url, headers: headersOf(name), maxRetries: 0 });
  }

  async function overRest(path: string, name: Name, method = "GET", body?: object) {
    const headers = {
      ...headersOf(name),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api/plans${path}`, { method, headers, ...sent });
    if (!path.endsWith("/events") || answer.status !== 200) return answer.text();
    await answer.body?.cancel();
    return `events of ${path}`;
  }

  async function overGrpc(method: string, request: Readonly<Record<string, unknown>>, name: Name) {
    const answer = grpc.call(method, request, { metadata: headersOf(name) });
    return answer.then(
      (told) => JSON.stringify(told),
      (error: unknown) => String(error),
    );
  }

  async function overMcp(tool: string, args: Record<string, unknown>, name: Name) {
    const answer = mcp.get(name)?.callTool({ name: tool, arguments: args });
    return JSON.stringify(await answer);
  }

  const MORE = { id: "more", query_template: "SELECT 2" };
  const READS: Readonly<Record<string, Ask>> = {
    "REST get": (id, name) => overRest(`/${id}`, name),
    "REST list": (_id, name) => overRest("", name),
    "REST search": (id, name) => overRest(`?text=${id}`, name),
    "REST events": (id, name) => overRest(`/${id}/events`, name),
    "gRPC GetPlanStatus": (id, name) => overGrpc("GetPlanStatus", { plan_id: id }, name),
    "gRPC ListPlans": (_id, name) => overGrpc("ListPlans", {}, name),
    "MCP get_plan": (id, name) => overMcp("get_plan", { plan_id: id }, name),
    "MCP list_plans": (_id, name) => overMcp("list_plans", {}, name),
    "MCP wait_for_events": (id, name) =>
      overMcp("wait_for_events", { plan_id: id, wait_seconds: 1 }, name),
  };
  const CHANGES: Readonly<Record<string, Ask>> = {
    "REST step": (id, name) => overRest(`/${id}/steps/a`, name),
    "REST execute": (id, name) => overRest(`/${id}/steps/a/execute`, name, "POST"),
    "REST append": (id, name) => overRest(`/${id}/steps`, name, "POST", { steps: [MORE] }),
    "REST revise": (id, name) => overRest(`/${id}/steps/b`, name, "PATCH", MORE),
    "REST fork": (id, name) => overRest(`/${id}/fork`, name, "POST", { steps: [MORE] }),
    "REST retry": (id, name) => overRest(`/${id}/retry`, name, "POST"),
    "REST cancel": (id, name) => overRest(`/${id}`, name, "DELETE"),
    "gRPC ExecuteStep": (id, name) => overGrpc("ExecuteStep", { plan_id: id, step_id: "a" }, name),
    "gRPC CancelPlan": (id, name) => overGrpc("CancelPlan", { plan_id: id }, name),
    "MCP execute_step": (id, name) => overMcp("execute_step", { plan_id: id, step_id: "a" }, name),
    "MCP cancel_plan": (id, name) => overMcp("cancel_plan", { plan_id: id }, name),
  };

  it.each(BLIND)("%s gets an answer about another's plan as about an unknown one", async (name) => {
    const unknown = crypto.randomUUID();
    for (const [operation, ask] of Object.entries({ ...READS, ...CHANGES })) {
      const [answer, blank] = [await ask(planId, name), await ask(unknown, name)];
      const shape = (text: string, id: string): string =>
        text.replaceAll(id, "ID").replaceAll(/"request_id":"[^"]*"/g, "");
      expect(`${operation}: ${shape(answer, planId)}`).toBe(
        `${operation}: ${shape(blank, unknown)}`,
      );
      expect(answer).not.toContain("of the bot");
    }
    expect((await as("bot").plans.getPlan({ plan_id: planId })).status).toBe("running");
  });

  it.each(READERS)("%s reads the plan by every way", async (name) => {
    for (const [operation, ask] of Object.entries(READS)) {
      expect(`${operation}: ${await ask(planId, name)}`).toMatch(
        new RegExp(`${planId}|of the bot`),
      );
    }
  });

  it("lists pages of one's own plans only, and nobody else's", async () => {
    const steps = [{ id: "a", query_template: "SELECT 1" }];
    for (const name of ["other", "stranger", "other"] as const) {
      await as(name).plans.submit({ name: `of ${name}`, steps });
    }
    const found: string[] = [];
    for await (const plan of as("other").plans.eachPlan({ limit: 1 })) found.push(plan.name);
    expect(found).toEqual(["of other", "of other"]);
  });

  it("tells an idempotency key of another caller nothing of the plan", async () => {
    const steps = [{ id: "a", query_template: "SELECT 1 AS one" }];
    const plan = { name: "of the bot", steps: [...steps, { ...steps[0], id: "b" }] };
    const options = { idempotencyKey: "k" };
    expect((await as("bot").plans.submit(plan, options)).plan_id).toBe(planId);
    await expect(as("other").plans.submit(plan, options)).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
      message: expect.not.stringContaining(planId) as string,
    });
  });

  it("takes the right from whoever a policy forbids it, also in the middle of a stream", async () => {
    const call = { metadata: headersOf("auditor") };
    const stream = grpc.stream("StreamPlanEvents", { plan_id: planId }, call);
    const told: unknown[] = [];
    stream.on("data", (event) => told.push(event));
    const ended = once(stream, "end").catch((error: unknown) => String(error));
    await once(stream, "data");
    await as("admin").policies.putPolicies({
      version: 0,
      text: `@id("not-all") forbid (principal in Steward::Role::"auditor",
        action == Steward::Action::"plans:read_all", resource);`,
    });
    await as("bot").plans.execute(planId, "b");
    expect(await ended).toContain("NOT_FOUND");
    expect(JSON.stringify(told)).not.toContain("PlanCompleted");
    await expect(as("auditor").plans.getPlan({ plan_id: planId })).rejects.toMatchObject({
      code: "PLAN_NOT_FOUND",
    });
    expect((await as("approver").plans.getPlan({ plan_id: planId })).plan_id).toBe(planId);
  });
});
