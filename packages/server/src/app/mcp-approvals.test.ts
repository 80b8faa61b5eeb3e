import { randomUUID } from "node:crypto";
import type { Client } from "@modelcontextprotocol/client";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, type McpApp, openMcpApp } from "../transport/mcp/testing/mcp-app.js";

/** An agent over MCP whose deletions wait for a person, who decides over REST. */
const ORG = randomUUID();
const POLICY = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

const AGENT = {
  ...{ "x-org-id": ORG, "x-user-role": "agent", "x-agent-id": "bot", "x-user-id": "alice" },
};

let steward: McpApp;
let agent: Client;
beforeAll(async () => {
  steward = await openMcpApp({ publicUrl: "https://steward.example.com/" });
  await person("admin", "root").policies.putPolicies({ version: 0, text: POLICY });
  agent = await steward.connected(AGENT);
});
afterAll(async () => {
  await agent.close();
  await steward[Symbol.asyncDispose]();
});

function person(role: string, userId: string) {
  const baseUrl = `http://127.0.0.1:${String(steward.app.address.port)}`;
  return createClient({ baseUrl, orgId: ORG, role, userId });
}

/** What a refused call answers. */
interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: readonly { readonly field: string; readonly reason: string }[];
  };
}

/** Calls `query` with a deletion. @returns what the answer tells by field. */
async function refusedQuery(sql: string): Promise<Readonly<Record<string, string>>> {
  const asked = { sql, intent: "write_delete" };
  const { error } = (await callTool(agent, "query", asked)) as Refusal;
  expect(error.code).toBe("APPROVAL_REQUIRED");
  const fields = Object.fromEntries(error.details.map(({ field, reason }) => [field, reason]));
  expect(error.message).toContain(`give the page ${fields["approval_url"] ?? "?"} to a person`);
  expect(error.message).toContain(`get_result with plan_id "${fields["plan_id"] ?? "?"}"`);
  return fields;
}

describe("a step over MCP that waits for an approval", () => {
  it("says where a person decides, and goes on by the calls that it names", async () => {
    const told = await refusedQuery("DELETE FROM orders WHERE id = -1");
    const { approval_id: id = "", digest = "", plan_id } = told;
    expect(told["approval_url"]).toBe(`https://steward.example.com/approvals/${id}`);
    const waited = callTool(agent, "wait_for_events", { plan_id, after_sequence: 2 });
    await person("approver", "bob").approvals.grantApproval({ approval_id: id, digest });
    const { events } = (await waited) as { readonly events: readonly object[] };
    expect(events).toMatchObject([
      { event_type: "PlanApprovalDecided", payload: { approval_id: id, status: "approved" } },
    ]);
    expect(await callTool(agent, "get_result", { plan_id })).toMatchObject({
      status: "completed",
    });
  });

  it("is denied with the reason for the LLM", async () => {
    const told = await refusedQuery("DELETE FROM orders WHERE id = -2");
    const { approval_id: id = "", digest = "", plan_id, step_id } = told;
    await person("approver", "bob").approvals.denyApproval({
      approval_id: id,
      digest,
      reason: "archive instead",
    });
    const answer = (await callTool(agent, "execute_step", { plan_id, step_id })) as Refusal;
    expect(answer.error).toMatchObject({
      code: "APPROVAL_DENIED",
      message: expect.stringContaining("bob denied it: archive instead") as string,
    });
  });

  it("leads the person at a client that opens pages to the approval, and goes on with the same plan", async () => {
    const opened: { readonly url: string; readonly message: string }[] = [];
    const able = await steward.connected(AGENT, "auto", { elicitation: { url: {} } });
    able.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode !== "url") throw new Error("only pages are opened");
      opened.push(params);
      // The person signs in on the page, with a credential of their own.
      const [approval] = (
        await person("approver", "bob").approvals.listApprovals({ status: "pending" })
      ).approvals;
      expect(params.url).toBe(
        `https://steward.example.com/approvals/${approval?.approval_id ?? ""}`,
      );
      const { approval_id: id = "", digest = "" } = approval ?? {};
      await person("approver", "bob").approvals.grantApproval({ approval_id: id, digest });
      return { action: "accept" };
    });
    const plans = () => person("admin", "root").plans.listPlans({ limit: 200 });
    const before = (await plans()).plans.length;
    const asked = { sql: "DELETE FROM orders WHERE id = -3", intent: "write_delete" };
    expect(await callTool(able, "query", asked)).toMatchObject({ status: "completed" });
    expect(opened).toHaveLength(1);
    expect((await plans()).plans).toHaveLength(before + 1);
    await able.close();
  });

  it("still waits when the person at the client has decided nothing, whatever the client claims", async () => {
    const able = await steward.connected(AGENT, "auto", { elicitation: { url: {} } });
    able.setRequestHandler("elicitation/create", () => ({
      action: "accept",
      content: { ok: true },
    }));
    const asked = { sql: "DELETE FROM orders WHERE id = -4", intent: "write_delete" };
    const { error } = (await callTool(able, "query", asked)) as Refusal;
    expect(error).toMatchObject({ code: "APPROVAL_REQUIRED" });
    expect(error.message).toContain("give the page https://steward.example.com/approvals/");
    const forged = able.callTool({
      ...{ name: "query", arguments: asked },
      requestState: "v1.e30.AAAA",
    } as Parameters<Client["callTool"]>[0]);
    await expect(forged).rejects.toThrow("requestState is not valid");
    await able.close();
  });

  it("is decided by no tool", async () => {
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name).filter((name) => /approv|deny|grant/.test(name))).toEqual(
      [],
    );
  });
});
