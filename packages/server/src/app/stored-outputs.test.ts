import { randomUUID } from "node:crypto";
import type { Client } from "@modelcontextprotocol/client";
import {
  createClient,
  type MemoryEntry,
  type PlanStepDef,
  type StewardClient,
} from "@steward/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { BareClient, type Message } from "../transport/grpc/testing/bare-client.js";
import { type McpApp, openMcpApp } from "../transport/mcp/testing/mcp-app.js";

/**
 * What an admin has read in a column that an agent may not read: each stored result is asked for by
 * each operation on each wire, by callers who may have it and by one who may not. The whole of each
 * answer is searched for the value.
 */
const POLICY = `@id("no-emails") @reason("Addresses are private")
  forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"shop/customers/email");
@id("careful-asks") @approval("approver")
  forbid (principal == Steward::Person::"careful", action == Steward::Action::"read_select",
    resource == Steward::Column::"shop/customers/email")
  unless { context.approved };`;

const ORG = randomUUID();
/** Callers, by the name of the user. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ robot: "agent", careful: "admin", sam: "schema", root: "admin", approver: "approver" },
};
const CALLERS = ["robot", "careful", "sam", "root"] as const;
/** Those with the right to read the memory. */
const REMEMBERING = ["robot", "careful", "root"] as const;
const FORBIDDEN: ReadonlySet<string> = new Set(["robot", "careful"]);

let steward: McpApp;
let grpc: BareClient;
let url: string;
const mcp = new Map<string, Client>();
beforeAll(async () => {
  steward = await openMcpApp();
  const { port } = steward.app.address;
  grpc = new BareClient(port);
  url = `http://127.0.0.1:${String(port)}`;
  for (const user of CALLERS) mcp.set(user, await steward.connected(headersOf(user)));
});
afterAll(async () => {
  grpc.close();
  for (const client of mcp.values()) await client.close();
  await steward[Symbol.asyncDispose]();
});

function headersOf(user: string): Readonly<Record<string, string>> {
  return { "x-org-id": ORG, "x-user-role": ROLES[user] ?? "", "x-user-id": user };
}

function as(role: string): StewardClient {
  return createClient({ baseUrl: url, headers: headersOf(role), maxRetries: 0 });
}

/** A stored result with the value, by the names of its plan and its step. */
interface Stored {
  readonly planId: string;
  readonly stepId: string;
  /** As the admin got it when the step ran. */
  readonly output: string;
}

const STEPS: PlanStepDef[] = [
  { id: "read", query_template: "SELECT email FROM customers ORDER BY id LIMIT 2" },
  {
    id: "renamed",
    query_template: "SELECT {{step.read.output[0].email}} AS word",
    depends_on: ["read"],
  },
  {
    id: "whole",
    query_template: "SELECT value AS row FROM json_each({{step.renamed.output}})",
    depends_on: ["renamed"],
  },
  {
    id: "returned",
    query_template:
      "UPDATE customers SET name = name WHERE id = (SELECT min(id) FROM customers) RETURNING email",
  },
];
/** A declared intent changes nothing of what the statement does, nor of what it is found to touch. */
STEPS.push({
  id: "wide",
  intent: "cross_system_transaction",
  query_template: "SELECT email FROM customers ORDER BY id LIMIT 3",
});
/** Keeps its plan open. */
const LATER = { id: "later", query_template: "SELECT 1" };

let value = "";
const results = new Map<string, Stored>();

async function runAll(prefix: string): Promise<string> {
  const { plans } = as("root");
  const { plan_id: planId } = await plans.submit({ name: "an admin's", steps: [...STEPS, LATER] });
  for (const { id } of STEPS) {
    const { llm_context_update: update } = await plans.execute(planId, id);
    results.set(`${prefix} ${id}`, { planId, stepId: id, output: update.tool_output_json });
  }
  return planId;
}

beforeAll(async () => {
  // No policy depends on columns yet, so that nothing is recorded of what these steps touched.
  await runAll("before the policy");
  await as("root").policies.putPolicies({ version: 0, text: POLICY });
  const planId = await runAll("under the policy");
  const { plans } = as("root");
  const steps = [{ id: "more", query_template: "SELECT 1" }];
  const fork = await plans.forkPlan({ plan_id: planId, steps });
  const forkOfFork = await plans.forkPlan({ plan_id: fork.plan_id, step_id: "more" });
  for (const [name, { plan_id }] of Object.entries({ fork, forkOfFork })) {
    for (const { id: stepId } of STEPS) {
      const { output } = results.get(`under the policy ${stepId}`) ?? FAIL;
      results.set(`in a ${name} ${stepId}`, { planId: plan_id, stepId, output });
    }
  }
  const [row] = JSON.parse((results.get("under the policy read") ?? FAIL).output) as {
    readonly email: string;
  }[];
  value = row?.email ?? "";
  expect(value).toContain("@");
});

const FAIL: Stored = { planId: "", stepId: "", output: "" };

/** Asks for a stored result. @returns the whole answer as text. */
type Ask = (stored: Stored, role: string) => Promise<string>;

async function text(answer: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer);
  } catch (error) {
    return `${String(error)} ${JSON.stringify(error)}`;
  }
}

async function overHttp(path: string, role: string, init: RequestInit = {}): Promise<string> {
  return (await fetch(`${url}/api/plans/${path}`, { ...init, headers: headersOf(role) })).text();
}

function overMcp(name: string, args: Record<string, unknown>, role: string): Promise<string> {
  return text(mcp.get(role)?.callTool({ name, arguments: args }) ?? Promise.resolve());
}

/** Has a step of one's own bind the value. */
async function bound({ planId, stepId }: Stored, role: string): Promise<string> {
  const { plans } = as(role);
  const more = { id: `s${randomUUID()}`, depends_on: [stepId] };
  const template = `SELECT value AS row FROM json_each({{step.${stepId}.output}})`;
  const steps = [{ ...more, query_template: template }];
  return text(
    plans.appendSteps({ plan_id: planId, steps }).then(() => plans.execute(planId, more.id)),
  );
}

const OPERATIONS: Readonly<Record<string, Ask>> = {
  "REST execute": ({ planId, stepId }, role) =>
    overHttp(`${planId}/steps/${stepId}/execute`, role, { method: "POST" }),
  "REST step": ({ planId, stepId }, role) => overHttp(`${planId}/steps/${stepId}`, role),
  "REST page": ({ planId, stepId }, role) => overHttp(`${planId}/steps/${stepId}?max_rows=1`, role),
  "REST fork and read": async ({ planId, stepId }, role) => {
    const { plans } = as(role);
    const steps = [{ id: "anew", query_template: "SELECT 1" }];
    return text(
      plans
        .forkPlan({ plan_id: planId, steps })
        .then(({ plan_id }) => plans.execute(plan_id, stepId)),
    );
  },
  "REST append and bind": bound,
  "gRPC ExecuteStep": ({ planId, stepId }, role) =>
    text(
      grpc.call("ExecuteStep", { plan_id: planId, step_id: stepId }, { metadata: headersOf(role) }),
    ),
  "MCP execute_step": ({ planId, stepId }, role) =>
    overMcp("execute_step", { plan_id: planId, step_id: stepId }, role),
  "MCP get_plan": ({ planId, stepId }, role) =>
    overMcp("get_plan", { plan_id: planId, step_id: stepId }, role),
};

describe.each(Object.entries(OPERATIONS))("by %s", (operation, ask) => {
  it.each(CALLERS)("a stored result is given to %s as the policies decide", async (role) => {
    expect(results.size).toBe(20);
    for (const [name, stored] of results) {
      const answer = await ask(stored, role);
      // Of a plan that writes, the role schema may make no fork.
      if (operation === "REST fork and read" && role === "sam") continue;
      const told = `${name}: ${answer}`;
      if (FORBIDDEN.has(role)) {
        expect(told).not.toContain(value);
        expect(told).toMatch(/Addresses are private|needs the approval of approver/);
      } else expect(told).toContain(value);
    }
  });
});

/** The memory's answers to a caller: by the ids of the entries, and by searching and listing all. */
const MEMORY: Readonly<Record<string, (role: string) => Promise<string>>> = {
  "REST searchMemory": (role) =>
    text(as(role).memory.searchMemory({ query: "SELECT email", top_k: 100, mode: "hybrid" })),
  "REST listMemoryEntries": (role) => text(as(role).memory.listMemoryEntries({ limit: 200 })),
  "gRPC SearchMemory": (role) => rpc("SearchMemory", { query: "SELECT email", top_k: 100 }, role),
  "gRPC ListMemoryEntries": (role) => rpc("ListMemoryEntries", { limit: 200 }, role),
  "MCP search_memory": (role) =>
    overMcp("search_memory", { query: "SELECT email", top_k: 100 }, role),
};

function rpc(method: string, request: Message, role: string): Promise<string> {
  return text(grpc.call(method, request, { metadata: headersOf(role) }));
}

describe("the memory", () => {
  let entries: readonly MemoryEntry[] = [];
  beforeAll(async () => {
    await as("root").memory.addMemoryEntry({
      session_id: "s",
      content: '{"note":"on SELECT email"}',
    });
    await runAll("after the note");
    await vi.waitFor(async () => {
      expect(await as("root").memory.getMemoryStats()).toMatchObject({ waiting_calls: 0 });
    }, 60_000);
    const all = (await as("root").memory.listMemoryEntries({ limit: 200 })).entries;
    entries = all.filter(({ content }) => content.includes(value));
    expect(entries.length).toBeGreaterThan(11);
  });

  it.each(Object.entries(MEMORY))("is searched by %s without what is forbidden", async (_, ask) => {
    for (const role of REMEMBERING) {
      const answer = await ask(role);
      expect(answer).toContain("on SELECT email");
      if (FORBIDDEN.has(role)) expect(answer).not.toContain(value);
      else expect(answer).toContain(value);
    }
  });

  it.each(REMEMBERING)("gives an entry to %s as the policies decide", async (role) => {
    for (const { entry_id } of entries) {
      const answers = [
        await text(as(role).memory.getMemoryEntry({ entry_id })),
        await rpc("GetMemoryEntry", { entry_id }, role),
      ];
      for (const answer of answers) {
        if (FORBIDDEN.has(role)) {
          expect(answer).not.toContain(value);
          expect(answer).toMatch(/Addresses are private|needs the approval of approver/);
        } else expect(answer).toContain(value);
      }
    }
  });

  it("fills the results with others in the place of those that are left out", async () => {
    const best = (role: string) =>
      as(role).memory.searchMemory({ query: "SELECT email", top_k: 1, explain: true });
    const [found] = await best("robot");
    expect(found).toMatchObject({ explain: { rank: 1, vector_rank: 1 } });
    expect(found?.content).not.toContain(value);
    const pages: MemoryEntry[] = [];
    for await (const entry of as("robot").memory.eachMemoryEntry({ limit: 2 })) pages.push(entry);
    expect(pages).toEqual((await as("robot").memory.listMemoryEntries({ limit: 200 })).entries);
  });

  it("is no place for what was bound from what may not be remembered", async () => {
    const orgId = randomUUID();
    const { policies, plans, memory } = createClient({ baseUrl: url, orgId, role: "admin" });
    await policies.putPolicies({
      version: 0,
      text: `@id("forget") forbid (principal, action == Steward::Action::"memory:record",
        resource == Steward::Column::"shop/customers/email");`,
    });
    const [read, renamed] = STEPS;
    const { plan_id } = await plans.submit({
      name: "p",
      steps: [read, renamed, LATER] as PlanStepDef[],
    });
    for (const id of ["read", "renamed", "later"]) await plans.execute(plan_id, id);
    await expect.poll(async () => (await memory.getMemoryStats()).waiting_calls).toBe(0);
    const { entries: kept } = await memory.listMemoryEntries({ limit: 200 });
    expect(kept.map(({ content }) => (JSON.parse(content) as { step_id: string }).step_id)).toEqual(
      ["later"],
    );
  });
});

it("a step that may not bind a value is refused before its attempt", async () => {
  const { planId } = results.get("under the policy read") ?? FAIL;
  const { plans } = as("robot");
  const id = randomUUID();
  const query_template = "SELECT {{step.read.output[0].email}} AS word";
  await plans.appendSteps({
    plan_id: planId,
    steps: [{ id, query_template, depends_on: ["read"] }],
  });
  await expect(plans.execute(planId, id)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  const { steps } = await as("root").plans.getPlan({ plan_id: planId });
  expect(steps.find(({ step_id }) => step_id === id)).toMatchObject({
    ...{ status: "pending", attempt: 0 },
  });
});

describe("a stored result", () => {
  it("is the same to the byte for whoever may have it", async () => {
    for (const { planId, stepId, output } of results.values()) {
      for (const role of ["sam", "root"]) {
        const { replayed, llm_context_update: update } = await as(role).plans.execute(
          planId,
          stepId,
        );
        expect({ replayed, output: update.tool_output_json }).toEqual({ replayed: true, output });
      }
    }
  });

  it("of a step that a person has approved is its requester's only", async () => {
    const { plans } = as("careful");
    const { planId, stepId } = results.get("under the policy read") ?? FAIL;
    await expect(plans.execute(planId, stepId)).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("run the statement in a step of your own") as string,
    });
    const steps = [{ id: "own", query_template: "SELECT email FROM customers LIMIT 1" }];
    const { plan_id } = await plans.submit({ name: "own", steps });
    await expect(plans.execute(plan_id, "own")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    const { approvals } = as("approver");
    const [asked = { approval_id: "", digest: "" }] = (await approvals.listApprovals({ plan_id }))
      .approvals;
    await approvals.grantApproval({ approval_id: asked.approval_id, digest: asked.digest });
    const first = await plans.execute(plan_id, "own");
    const again = await plans.execute(plan_id, "own");
    expect(again).toEqual({ ...first, replayed: true });
  });

  it("of a write is given to who may read what it read, without the right to write", async () => {
    const { planId, stepId, output } = results.get("under the policy returned") ?? FAIL;
    const { llm_context_update: update } = await as("sam").plans.execute(planId, stepId);
    expect(update.tool_output_json).toBe(output);
  });

  it("is not given any more once a policy forbids it, also to who has read it before", async () => {
    const orgId = randomUUID();
    const at = (role: string) => createClient({ baseUrl: url, orgId, role, maxRetries: 0 });
    const steps = [{ id: "a", query_template: "SELECT email FROM customers LIMIT 1" }];
    const { plans } = at("agent");
    const options = { idempotencyKey: "k" };
    const { plan_id } = await plans.submit({ name: "p", steps }, options);
    const first = await plans.execute(plan_id, "a");
    expect(await plans.execute(plan_id, "a")).toEqual({ ...first, replayed: true });
    await at("admin").policies.putPolicies({ version: 0, text: POLICY });
    await expect(plans.execute(plan_id, "a")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    await expect(plans.getStep({ plan_id, step_id: "a" })).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  });
});
