import { randomUUID } from "node:crypto";
import { createClient, StewardError } from "@steward/client";
import type { Client } from "@modelcontextprotocol/client";
import type { ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { callTool, type McpApp, openMcpApp } from "../transport/mcp/testing/mcp-app.js";

/*
 * On each wire that an operation has: a person approves what a name stands for, somebody else moves it, and the
 * approved call is refused with what has moved. Alice acts under approval, and the operator moves things.
 */

const ORG = randomUUID();
const POLICY = `@id("governed") @approval("approver")
  forbid (principal, action in [Steward::Action::"plans:execute", Steward::Action::"state:write"],
    resource)
  unless { context.approved || principal in Steward::Role::"operator" };`;
const ALICE = { "x-org-id": ORG, "x-user-role": "admin", "x-user-id": "alice" };

let steward: McpApp;
let alice: Client;
let grpc: BareClient;
const url = () => `http://127.0.0.1:${String(steward.app.address.port)}`;
const person = (role: string, userId: string) =>
  createClient({ baseUrl: url(), orgId: ORG, role, userId, maxRetries: 0 });
const operator = () => person("operator", "olga");

beforeAll(async () => {
  steward = await openMcpApp({ organization: ORG });
  await operator().policies.putPolicies({ version: 0, text: POLICY });
  alice = await steward.connected(ALICE);
  grpc = new BareClient(steward.app.address.port);
});
afterAll(async () => {
  grpc.close();
  await alice.close();
  await steward[Symbol.asyncDispose]();
});

/** Approves what waits. @returns what the approver has read. */
async function approve(): Promise<Readonly<Record<string, unknown>>> {
  const { approvals } = person("approver", "bob");
  const [waiting] = (await approvals.listApprovals({ status: "pending" })).approvals;
  if (waiting === undefined) throw new Error("nothing waits");
  const { approval_id, digest, subject } = waiting;
  await approvals.grantApproval({ approval_id, digest });
  return JSON.parse(subject.statement) as Readonly<Record<string, unknown>>;
}

async function messageOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "";
  } catch (error) {
    return error instanceof StewardError ? error.message : (error as ServiceError).details;
  }
}

/** Executes the step "a" of a plan. @returns the message of a refusal; empty when it has run. */
type Execute = (planId: string) => Promise<string>;

const EXECUTE: Readonly<Record<string, Execute>> = {
  REST: (id) => messageOf(person("admin", "alice").plans.execute(id, "a")),
  gRPC: (plan_id) =>
    messageOf(grpc.call("ExecuteStep", { plan_id, step_id: "a" }, { metadata: ALICE })),
  MCP: async (plan_id) => {
    const answer = await callTool(alice, "execute_step", { plan_id, step_id: "a" });
    return (answer as { readonly error?: { readonly message: string } }).error?.message ?? "";
  },
  "a program": (id) => {
    const { plans } = steward.app.as({ orgId: ORG, role: "admin", userId: "alice" });
    return messageOf(plans.execute(id, "a"));
  },
  CLI: async (id) => {
    const who = ["--org", ORG, "--user", "alice"];
    const { code, stderr } = await runHere(["plan", "execute", id, "a", ...who], {
      env: { SERVICE_URL: url() },
    });
    return code === 0 ? "" : stderr;
  },
};

describe.each(Object.entries(EXECUTE))("the execution of a step over %s", (_wire, execute) => {
  const submitted = async (): Promise<string> => {
    const steps = [{ id: "a", query_template: "SELECT id FROM orders" }];
    return (await operator().plans.submit({ name: "p", steps })).plan_id;
  };

  it("is not approved for a definition that the step gets later", async () => {
    const plan_id = await submitted();
    expect(await execute(plan_id)).toContain("needs the approval of approver");
    expect(await approve()).toMatchObject({
      resolved: { step_id: { revision: 1, query_template: "SELECT id FROM orders" } },
    });
    const query_template = "SELECT name FROM products";
    await operator().plans.reviseStep({ plan_id, step_id: "a", query_template });
    expect(await execute(plan_id)).toContain(
      'so that a new one is needed: step_id "a" was 1 and is 2 now',
    );
    const { steps } = await operator().plans.getPlan({ plan_id });
    expect(steps).toMatchObject([{ status: "pending", attempt: 0 }]);
    expect(await approve()).toMatchObject({ resolved: { step_id: { query_template } } });
    expect(await execute(plan_id)).toBe("");
  });

  it("runs as it was approved", async () => {
    const planId = await submitted();
    await execute(planId);
    await approve();
    expect(await execute(planId)).toBe("");
  });
});

it("a step that execute_step revises over MCP runs with the approved change only", async () => {
  const steps = [{ id: "a", query_template: "SELECT id FROM orders" }];
  const { plan_id } = await operator().plans.submit({ name: "p", steps });
  const changed = { plan_id, step_id: "a", query_template: "SELECT 2 AS two" };
  expect(await callTool(alice, "execute_step", changed)).toHaveProperty("error");
  await approve();
  expect(await callTool(alice, "execute_step", changed)).toMatchObject({ status: "completed" });
});

it("get_result runs a query over MCP as it was approved only", async () => {
  const steps = [{ id: "query", query_template: "SELECT id FROM orders" }];
  const { plan_id } = await operator().plans.submit({ name: "query", steps });
  const result = () => callTool(alice, "get_result", { plan_id });
  expect(await result()).toHaveProperty("error");
  await approve();
  const query_template = "SELECT name FROM products";
  await operator().plans.reviseStep({ plan_id, step_id: "query", query_template });
  const refused = (await result()) as { readonly error: { readonly message: string } };
  expect(refused.error.message).toContain('step_id "query" was 1 and is 2 now');
  await approve();
  expect(await result()).toMatchObject({ status: "completed" });
});

describe("a merge by the command line", () => {
  it("merges what was approved, and not what the branch becomes", async () => {
    const put = (branch: string, value: string) =>
      fetch(`${url()}/api/state/import`, {
        method: "POST",
        headers: { ...ALICE, "x-user-role": "operator", "content-type": "application/json" },
        body: JSON.stringify({
          ...{ branch, format: "n-quads", content: `<urn:${value}> <urn:p> "v" .\n` },
          message: `adds ${value}`,
        }),
      });
    await put("main", "first");
    await put("draft", "seen");
    const merge = async (): Promise<string> => {
      const who = ["--org", ORG, "--user", "alice"];
      const { code, stderr } = await runHere(["state", "merge", "draft", ...who], {
        env: { SERVICE_URL: url() },
      });
      return code === 0 ? "" : stderr;
    };
    expect(await merge()).toContain("needs the approval of approver");
    expect(await approve()).toMatchObject({
      resolved: {
        from: { author: "alice", message: "adds seen", quads: 1 },
        branch: { message: "adds first" },
      },
      would_change: { quads_added: 1, quads_deleted: 0, conflicts: 0 },
    });
    await put("draft", "unseen");
    expect(await merge()).toMatch(
      /so that a new one is needed: from "draft" was bagu\w+ and is bagu\w+ now/,
    );
    const { count } = await operator().state.getStateAt({ at: "main" });
    expect(count).toBe(1);
    expect(await approve()).toMatchObject({ resolved: { from: { message: "adds unseen" } } });
    expect(await merge()).toBe("");
    expect((await operator().state.getStateAt({ at: "main" })).count).toBe(3);
  });
});
