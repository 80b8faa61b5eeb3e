import { credentials } from "@grpc/grpc-js";
import type { Client } from "@modelcontextprotocol/client";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { callTool, type McpApp, openMcpApp } from "../transport/mcp/testing/mcp-app.js";

/** One failed statement after the other, as a client of each wire reads it. */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const caller = { "x-org-id": ORG, "x-user-role": "admin" };

const STATEMENTS = [
  "SELECT nme FROM customers",
  "SELECT name FROM custmers",
  "SELECT id FROM orders o JOIN customers c ON o.customer_id = c.id",
  "SELECT name FROM customers WHERE count(*) > 1",
  "SELECT sum(total) FROM orders WHERE customer_id = 'x' GROUP BY nobody",
];

/** The answer of a wire for a failed step. */
interface Told {
  readonly planId: string;
  /** Without the error itself, and without the call that corrects the step. */
  readonly hints: readonly string[];
  /** The call that corrects the step. */
  readonly next: string;
}

let steward: McpApp;
let mcp: Client;
let grpc: BareClient;
let url: string;
beforeAll(async () => {
  steward = await openMcpApp();
  mcp = await steward.connected(caller);
  const { port } = steward.app.address;
  grpc = new BareClient(port, credentials.createInsecure());
  url = `http://127.0.0.1:${String(port)}`;
});
afterAll(async () => {
  grpc.close();
  await mcp.close();
  await steward[Symbol.asyncDispose]();
});

async function overRest(sql: string): Promise<Told> {
  const { plans } = createClient({ baseUrl: url, headers: caller });
  const { plan_id: planId } = await plans.submit({ steps: [{ id: "a", query_template: sql }] });
  const { step_result: result, llm_context_update: update } = await plans.execute(planId, "a");
  return told(planId, update.augmentation_hints, result.error?.message);
}

async function overGrpc(sql: string): Promise<Told> {
  const call = { metadata: caller };
  const plan = { steps: [{ step_id: "a", query_template: sql }] };
  const planId = String((await grpc.call("SubmitPlan", plan, call))["plan_id"]);
  const answer = await grpc.call("ExecuteStep", { plan_id: planId, step_id: "a" }, call);
  const update = answer["llm_context_update"] as { readonly augmentation_hints: readonly string[] };
  return told(planId, update.augmentation_hints, String(answer["error_message"]));
}

async function overMcp(sql: string): Promise<Told> {
  const steps = [{ id: "a", query_template: sql }];
  const { plan_id: planId } = (await callTool(mcp, "submit_plan", { steps })) as Answer;
  const answer = (await callTool(mcp, "execute_step", { plan_id: planId, step_id: "a" })) as Answer;
  return told(planId, answer.hints, answer.error.message);
}

async function overCommandLine(sql: string): Promise<Told> {
  const { plans } = createClient({ baseUrl: url, headers: caller });
  const { plan_id: planId } = await plans.submit({ steps: [{ id: "a", query_template: sql }] });
  const env = { SERVICE_URL: url, NO_COLOR: "1" };
  const { stderr } = await runHere(["plan", "execute", planId, "a", "--org", ORG], { env });
  const hints = [...stderr.matchAll(/^ +a: (.*)$/gm)].map(([, hint = ""]) => hint);
  return { planId, hints, next: /steward plan revise .*/.exec(stderr)?.[0] ?? stderr };
}

/** The answer of the tools that are called here. */
interface Answer {
  readonly plan_id: string;
  readonly hints: readonly string[];
  readonly error: { readonly message: string };
}

function told(planId: string, all: readonly string[], message: string | undefined): Told {
  const hints = all.filter((hint) => hint !== message);
  return { planId, hints: hints.slice(0, -1), next: hints.at(-1) ?? "" };
}

describe("a failed statement", () => {
  it.each(STATEMENTS)("gets the same hints on each wire: %s", async (sql) => {
    const { hints } = await overRest(sql);
    expect(hints.length).toBeGreaterThan(0);
    for (const wire of [overGrpc, overMcp, overCommandLine]) {
      expect([wire.name, (await wire(sql)).hints]).toEqual([wire.name, hints]);
    }
  });

  it("names the call that corrects the step, as the wire of its receiver has it", async () => {
    const [sql = ""] = STATEMENTS;
    const calls = [
      [overRest, (id: string) => `PATCH /api/plans/${id}/steps/a`],
      [overGrpc, (id: string) => `ReviseStep with plan_id "${id}", step_id "a"`],
      [overMcp, (id: string) => `execute_step with plan_id "${id}", step_id "a"`],
      [overCommandLine, (id: string) => `steward plan revise ${id} a --query`],
    ] as const;
    for (const [wire, call] of calls) {
      const { planId, next } = await wire(sql);
      expect(next).toContain(call(planId));
    }
  });

  it("is corrected by the request that REST names", async () => {
    const { planId, next } = await overRest("SELECT nme FROM customers");
    const path = /PATCH (\S+)/.exec(next)?.[1] ?? "";
    const revised = await fetch(url + path, {
      method: "PATCH",
      headers: { ...caller, "content-type": "application/json" },
      body: JSON.stringify({ query_template: "SELECT name FROM customers" }),
    });
    expect(revised.status).toBe(200);
    const { plans } = createClient({ baseUrl: url, headers: caller });
    expect((await plans.execute(planId, "a")).step_result.status).toBe("completed");
  });
});
