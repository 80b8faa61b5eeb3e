import { randomUUID } from "node:crypto";
import { createClient, StewardError } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { callTool, type McpApp, openMcpApp } from "../transport/mcp/testing/mcp-app.js";

/** Statements that delete rows, declared as something else over each wire, change nothing. */
const ORG = randomUUID();
const POLICY = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

const DELETIONS = [
  "DELETE FROM orders WHERE id = 1",
  "REPLACE INTO orders SELECT * FROM orders WHERE id = 1",
  "UPDATE OR REPLACE orders SET id = id WHERE id = 1",
  // A trigger deletes rows of another table.
  "UPDATE notes_of SET id = id WHERE id = 1",
  // The definitions of a key and of a trigger replace rows.
  "INSERT INTO latest VALUES (1, 'b')",
  "UPDATE latest SET name = 'b'",
  "INSERT INTO noted VALUES (1)",
] as const;

let steward: McpApp;
let grpc: BareClient;
beforeAll(async () => {
  steward = await openMcpApp();
  grpc = new BareClient(steward.app.address.port);
  const { plans, policies } = client("admin");
  const tables = [
    "CREATE TABLE notes_of (id INTEGER PRIMARY KEY)",
    "INSERT INTO notes_of VALUES (1)",
    "CREATE TABLE gone (id INTEGER)",
    "CREATE TRIGGER tidy AFTER UPDATE ON notes_of BEGIN DELETE FROM gone; END",
    "CREATE TABLE latest (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, name TEXT UNIQUE ON CONFLICT REPLACE)",
    "CREATE TABLE noted (id INTEGER)",
    "CREATE TABLE kept (id INTEGER PRIMARY KEY)",
    "CREATE TRIGGER keep AFTER INSERT ON noted BEGIN INSERT OR REPLACE INTO kept VALUES (new.id); END",
  ];
  const steps = tables.map((query_template, index) => ({
    ...{ id: `s${String(index)}`, query_template },
    depends_on: index === 0 ? [] : [`s${String(index - 1)}`],
  }));
  const { plan_id } = await plans.submit({ name: "tables", steps });
  for (const { id } of steps) await plans.execute(plan_id, id);
  await policies.putPolicies({ version: 0, text: POLICY });
});
afterAll(async () => {
  grpc.close();
  await steward[Symbol.asyncDispose]();
});

function client(role: string, orgId: string = ORG) {
  const baseUrl = `http://127.0.0.1:${String(steward.app.address.port)}`;
  return createClient({ baseUrl, orgId, role, userId: "ada", maxRetries: 0 });
}

const WIDE = ["cross_system_transaction", "admin"];

type Wire = (sql: string, intent: string, role: string) => Promise<string>;

const codeOf = (error: unknown): string => {
  if (error instanceof StewardError) return error.code;
  throw error;
};

const WIRES: Readonly<Record<string, Wire>> = {
  async "a plan over REST"(query_template, intent, role) {
    const { plans } = client(role);
    const steps = [{ id: "a", query_template, intent }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    return plans.execute(plan_id, "a").then(({ step_result }) => step_result.status, codeOf);
  },
  async "a dry run"(query_template, intent, role) {
    const steps = [{ id: "a", query_template, intent }];
    const { steps: checked } = await client(role).plans.checkPlan({ name: "p", steps });
    const verdict = checked[0]?.verdict;
    return verdict === "approval" ? "APPROVAL_REQUIRED" : String(verdict);
  },
  async "a plan over gRPC"(query_template, intent, role) {
    const metadata = { "x-org-id": ORG, "x-user-role": role, "x-user-id": "ada" };
    const plan = { name: "p", steps: [{ step_id: "a", query_template, intent }] };
    const { plan_id } = await grpc.call("SubmitPlan", plan, { metadata });
    const answer = await grpc.call("ExecuteStep", { plan_id, step_id: "a" }, { metadata });
    return String(answer["error_code"]);
  },
  async "query over MCP"(sql, intent, role) {
    const headers = { "x-org-id": ORG, "x-user-role": role, "x-user-id": "ada" };
    const agent = await steward.connected(headers);
    const answer = (await callTool(agent, "query", { sql, intent })) as {
      readonly error?: { readonly code: string };
    };
    await agent.close();
    return answer.error?.code ?? "completed";
  },
  async "a revised step"(query_template, intent, role) {
    const { plans } = client(role);
    const steps = [{ id: "a", query_template: "SELECT 1" }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    await plans.reviseStep({ plan_id, step_id: "a", query_template, intent });
    return plans.execute(plan_id, "a").then(({ step_result }) => step_result.status, codeOf);
  },
  async "an appended step"(query_template, intent, role) {
    const { plans } = client(role);
    const steps = [{ id: "a", query_template: "SELECT 1" }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    await plans.appendSteps({ plan_id, steps: [{ id: "b", query_template, intent }] });
    return plans.execute(plan_id, "b").then(({ step_result }) => step_result.status, codeOf);
  },
  async "a fork"(query_template, intent, role) {
    const { plans } = client(role);
    const steps = [
      { id: "a", query_template: "SELECT 1" },
      { id: "b", query_template, intent },
    ];
    const { plan_id } = await plans.submit({ name: "p", steps });
    await plans.execute(plan_id, "a");
    const fork = await plans.forkPlan({ plan_id });
    return plans.execute(fork.plan_id, "b").then(({ step_result }) => step_result.status, codeOf);
  },
};

describe.each(Object.entries(WIRES))("by %s a deletion that is under approval", (name, wire) => {
  // A query that declares nothing over MCP is held to be a read.
  const declared = name === "query over MCP" ? WIDE : ["", ...WIDE];
  it.each(DELETIONS.flatMap((sql) => declared.map((intent) => [sql, intent] as const)))(
    "waits for a person: %s, declared %j",
    async (sql, intent) => {
      expect(await wire(sql, intent, "admin")).toBe("APPROVAL_REQUIRED");
      if (intent !== "admin") expect(await wire(sql, intent, "agent")).toBe("APPROVAL_REQUIRED");
    },
  );
});

describe("the role schema", () => {
  it("deletes no rows by declaring admin", async () => {
    const steps = [{ id: "a", query_template: DELETIONS[0], intent: "admin" }];
    const other = client("schema", randomUUID());
    await expect(other.plans.submit({ name: "p", steps })).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("write_delete on") as string,
    });
  });
});
