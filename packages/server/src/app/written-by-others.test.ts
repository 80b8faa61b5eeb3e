import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { StewardClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { ShopServer } from "./testing/shop-server.js";
import { EVERYTHING } from "../transport/mcp/testing/mcp-app.js";

/**
 * A caller who may run a statement executes one that somebody else wrote who may not: each way to write a
 * step, and each wire to execute it. Policies on columns are decided when a step runs, so that the
 * statement can be submitted.
 */
const ORG = "3c1f0d52-6f6e-4d0b-8e5c-0a4f6f1d2b77";
const POLICY = `@id("no-emails")
  forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"shop/customers/email");
  @id("two-eyes") @approval("approver")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const WRITE = "UPDATE customers SET email = 'written by the bot' WHERE id = 1";
const STEP = { id: "a", query_template: WRITE };
const FREE = { id: "a", query_template: "SELECT 1 AS one" };
const DENIED = "The right of agent bot, who wrote this statement, is missing: ";

const CALLERS = {
  bot: { "x-user-role": "agent", "x-agent-id": "bot", "x-user-id": "ann" },
  ann: { "x-user-role": "admin", "x-user-id": "ann" },
  root: { "x-user-role": "admin", "x-user-id": "root" },
  bob: { "x-user-role": "approver", "x-user-id": "bob" },
} as const;
type Name = keyof typeof CALLERS;

let shop: ShopServer;
let grpc: BareClient;
beforeAll(async () => {
  shop = await ShopServer.open({
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    organization: ORG,
  });
  grpc = new BareClient(shop.port);
  await as("root").policies.putPolicies({ version: 0, text: POLICY });
});
afterAll(async () => {
  grpc.close();
  await shop[Symbol.asyncDispose]();
});

function headersOf(name: Name): Readonly<Record<string, string>> {
  return { "x-org-id": ORG, ...CALLERS[name] };
}

function as(name: Name): StewardClient {
  return shop.client({ headers: headersOf(name) });
}

async function overGrpc(method: string, request: Readonly<Record<string, unknown>>, name: Name) {
  return grpc.call(method, request, { metadata: headersOf(name) });
}

async function overMcp(tool: string, args: Record<string, unknown>, name: Name) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const requestInit = { headers: headersOf(name) };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${shop.baseUrl}/mcp${EVERYTHING}`), { requestInit }),
  );
  try {
    return await client.callTool({ name: tool, arguments: args });
  } finally {
    await client.close();
  }
}

async function submitted(name: Name, step: object): Promise<string> {
  const steps = [{ id: "a", query_template: WRITE, ...step }];
  return (await as(name).plans.submit({ steps, keep_open: true })).plan_id;
}

/** Ways in which the bot writes the statement of a step; each tells the plan and the step. */
const WAYS: Readonly<Record<string, () => Promise<readonly [planId: string, stepId: string]>>> = {
  "submitted over REST": async () => [await submitted("bot", STEP), "a"],
  "submitted over gRPC": async () => {
    const steps = [{ step_id: "a", query_template: WRITE }];
    return [String((await overGrpc("SubmitPlan", { steps }, "bot"))["plan_id"]), "a"];
  },
  "submitted over MCP": async () => {
    const { structuredContent } = await overMcp("submit_plan", { steps: [STEP] }, "bot");
    return [(structuredContent as { readonly plan_id: string }).plan_id, "a"];
  },
  "appended over REST to the plan of a person": async () => {
    const planId = await submitted("ann", FREE);
    await as("bot").plans.appendSteps({ plan_id: planId, steps: [{ ...STEP, id: "b" }] });
    return [planId, "b"];
  },
  "appended over gRPC": async () => {
    const planId = await submitted("bot", FREE);
    const steps = [{ step_id: "b", query_template: WRITE }];
    await overGrpc("AppendSteps", { plan_id: planId, steps }, "bot");
    return [planId, "b"];
  },
  "appended over MCP": async () => {
    const planId = await submitted("bot", FREE);
    const steps = [{ ...STEP, id: "b" }];
    await overMcp("append_steps", { steps, plan_id: planId }, "bot");
    return [planId, "b"];
  },
  "revised in the plan of a person": async () => {
    const planId = await submitted("ann", FREE);
    await as("bot").plans.reviseStep({ plan_id: planId, step_id: "a", query_template: WRITE });
    return [planId, "a"];
  },
  "forked from the plan of a person": async () => {
    const planId = await submitted("ann", STEP);
    const steps = [{ ...FREE, id: "b" }];
    return [(await as("bot").plans.forkPlan({ plan_id: planId, steps })).plan_id, "a"];
  },
  "written by the bot, and forked by a person": async () => {
    const steps = [{ ...FREE, id: "b" }];
    const planId = await submitted("bot", STEP);
    return [(await as("root").plans.forkPlan({ plan_id: planId, steps })).plan_id, "a"];
  },
  "written by the bot, and revised by a person but for its statement": async () => {
    const planId = await submitted("bot", STEP);
    await as("root").plans.reviseStep({ plan_id: planId, step_id: "a", name: "another name" });
    return [planId, "a"];
  },
  "written by a person, and revised by the bot but for its statement": async () => {
    const planId = await submitted("ann", STEP);
    await as("bot").plans.reviseStep({ plan_id: planId, step_id: "a", timeout_ms: 1000 });
    return [planId, "a"];
  },
};

/** Executes a step as a person who may run its statement. @returns the answer as text. */
const EXECUTIONS: Readonly<Record<string, (planId: string, stepId: string) => Promise<string>>> = {
  REST: (planId, stepId) =>
    as("root")
      .plans.execute(planId, stepId)
      .then((done) => JSON.stringify(done), String),
  gRPC: async (plan_id, step_id) =>
    JSON.stringify(await overGrpc("ExecuteStep", { plan_id, step_id }, "root")),
  MCP: async (plan_id, step_id) =>
    JSON.stringify(await overMcp("execute_step", { plan_id, step_id }, "root")),
};

async function emailNow(): Promise<string> {
  const planId = await submitted("root", {
    query_template: "SELECT email FROM customers WHERE id = 1",
  });
  return (await as("root").plans.execute(planId, "a")).llm_context_update.tool_output_json;
}

describe("a statement that its caller may run and its writer may not", () => {
  it.each(Object.keys(WAYS))(
    "%s does not run, on no wire, and says whose right is missing",
    async (way) => {
      const [planId, stepId] = (await WAYS[way]?.()) ?? ["", ""];
      for (const [wire, execute] of Object.entries(EXECUTIONS)) {
        expect(`${wire}: ${await execute(planId, stepId)}`).toContain(DENIED);
      }
      expect(await emailNow()).not.toContain("written by the bot");
    },
  );

  it("does not run after a restart, and runs once a person has written it", async () => {
    const planId = await submitted("bot", STEP);
    await shop.restart();
    grpc.close();
    grpc = new BareClient(shop.port);
    await expect(as("root").plans.execute(planId, "a")).rejects.toThrow(DENIED);
    const own = `${WRITE} AND name <> ''`.replace("the bot", "root");
    await as("ann").plans.reviseStep({ plan_id: planId, step_id: "a", query_template: own });
    await shop.restart();
    grpc.close();
    grpc = new BareClient(shop.port);
    const { step_result: result } = await as("root").plans.execute(planId, "a");
    expect(result.status).toBe("completed");
    expect(await emailNow()).toContain("written by root");
    // What has run is answered to whoever may have it.
    expect((await as("ann").plans.execute(planId, "a")).replayed).toBe(true);
  });

  it("runs when it is a person's, to whose step the bot gave another name", async () => {
    const planId = await submitted("ann", { query_template: WRITE.replace("the bot", "ann") });
    await as("bot").plans.reviseStep({ plan_id: planId, step_id: "a", name: "another name" });
    await shop.restart();
    grpc.close();
    grpc = new BareClient(shop.port);
    expect((await as("root").plans.execute(planId, "a")).step_result.status).toBe("completed");
    expect(await emailNow()).toContain("written by ann");
  });

  it("does not run for a caller who may not run it either, whose own right is named then", async () => {
    const planId = await submitted("ann", STEP);
    await expect(as("bot").plans.execute(planId, "a")).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.not.stringContaining("who wrote this statement") as string,
    });
  });

  it("gets no output that its writer may not have", async () => {
    const steps = [{ id: "a", query_template: "SELECT email FROM customers WHERE id = 1" }];
    const { plan_id: planId } = await as("ann").plans.submit({ steps, keep_open: true });
    await as("ann").plans.execute(planId, "a");
    await as("bot").plans.appendSteps({
      plan_id: planId,
      steps: [
        {
          id: "b",
          query_template:
            "INSERT INTO events (customer_id, kind, happened_at) VALUES (1, {{step.a.output[0].email}}, '2026-01-01')",
          depends_on: ["a"],
        },
      ],
    });
    await expect(as("root").plans.execute(planId, "b")).rejects.toThrow(
      `The output of step a is not given to you: ${DENIED}`,
    );
  });

  it("waits for the approval that its writer needs, whoever executes it", async () => {
    const planId = await submitted("bot", { query_template: "DELETE FROM events WHERE id = 1" });
    await expect(as("root").plans.execute(planId, "a")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    const { approvals } = await as("bob").approvals.listApprovals({ plan_id: planId });
    const [waiting] = approvals;
    await as("bob").approvals.grantApproval({
      approval_id: waiting?.approval_id ?? "",
      digest: waiting?.digest ?? "",
    });
    const { step_result: result } = await as("root").plans.execute(planId, "a");
    expect(result).toMatchObject({ status: "completed", row_count: 1 });
  });

  it("does not run once the writer's key is revoked", async () => {
    const roles = ["schema"];
    const { key_id: keyId, api_key: apiKey } = await as("root").keys.createApiKey({
      name: "k",
      roles,
      user_id: "kim",
    });
    const kim = shop.client({ apiKey });
    const steps = [FREE, { ...FREE, id: "b" }];
    const { plan_id: planId } = await kim.plans.submit({ steps });
    expect((await as("root").plans.execute(planId, "a")).step_result.status).toBe("completed");
    await as("root").keys.revokeApiKey({ key_id: keyId });
    await expect(as("root").plans.execute(planId, "b")).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining(
        "kim wrote this statement with an API key that was revoked",
      ) as string,
    });
  });
});
