import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, openMcpApp, type McpApp, type ToolArguments } from "./testing/mcp-app.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const admin = { "x-org-id": ORG, "x-user-id": "ada", "x-user-role": "admin" };

let steward: McpApp;
let client: Client;
beforeAll(async () => {
  steward = await openMcpApp();
  client = await steward.connected(admin);
});
afterAll(async () => {
  await client.close();
  await steward[Symbol.asyncDispose]();
});

/** Calls a tool as the client does that all tests share. */
function call(name: string, args: ToolArguments = {}, by = client): ReturnType<typeof callTool> {
  return callTool(by, name, args);
}

describe("the tools that change plans", () => {
  it("correct a failed step by the call that its hint names, and repeat it without running it", async () => {
    const { plan_id, revision } = await call("submit_plan", {
      steps: [
        { id: "a", query_template: "SELECT nme FROM customers ORDER BY id LIMIT 1" },
        {
          id: "b",
          query_template: "SELECT {{step.a.output[0].name}} AS name",
          depends_on: ["a"],
        },
      ],
    });
    expect(revision).toBe(1);
    const failed = await call("execute_step", { plan_id, step_id: "a" });
    const [, ...named] =
      /call (\w+) with plan_id "(.+?)", step_id "(.+?)"/.exec(failed.hints.at(-1)) ?? [];
    expect(named).toEqual(["execute_step", plan_id, "a"]);
    const paused = await call("get_plan", { plan_id });
    expect(paused).toMatchObject({
      ...{ status: "running", on_failure: "pause", hints: [failed.hints.at(-1)] },
      steps: [{ status: "failed", wait_reason: "awaiting_revision" }, { status: "pending" }],
    });
    const early = await call("execute_step", { plan_id, step_id: "b" });
    expect(early.error.message).toContain("step a failed: revise it first");
    const corrected = {
      ...{ plan_id, step_id: "a" },
      query_template: "SELECT name FROM customers ORDER BY id LIMIT 1",
    };
    const mended = await call("execute_step", corrected);
    expect(mended).toMatchObject({ status: "completed", replayed: false });
    expect(await call("execute_step", corrected)).toEqual({ ...mended, replayed: true });
    const other = { ...corrected, query_template: "SELECT 1 AS name" };
    expect((await call("execute_step", other)).error.code).toBe("STEP_NOT_REVISABLE");
    expect(await call("execute_step", { plan_id, step_id: "b" })).toMatchObject({
      rows: mended.rows,
    });
    const waiting = { status: "running", wait_reason: "awaiting_steps", revision: 2 };
    expect(await call("get_plan", { plan_id })).toMatchObject(waiting);
  });

  it("keep a plan open after its last step, for further steps, until it is finished", async () => {
    const { plan_id } = await call("submit_plan", {
      steps: [{ id: "a", query_template: "SELECT 20 AS n" }],
    });
    const finish = { plan_id };
    expect((await call("finish_plan", finish)).error.message).toContain("Step a of plan");
    await call("execute_step", { plan_id, step_id: "a" });
    const query_template = "SELECT {{step.a.output[0].n}} + 1 AS n";
    const more = [{ id: "b", query_template, depends_on: ["a"] }];
    expect(await call("append_steps", { plan_id, steps: more })).toMatchObject({
      ...{ status: "running", ready_steps: ["b"] },
    });
    expect(await call("execute_step", { plan_id, step_id: "b" })).toMatchObject({
      rows: [{ n: 21 }],
    });
    expect(await call("finish_plan", finish)).toMatchObject({ plan_id, status: "completed" });
    expect(await call("finish_plan", finish)).toMatchObject({ plan_id, status: "completed" });
    const last = [{ id: "c", query_template: "SELECT 1" }];
    const late = await call("append_steps", { plan_id, steps: last });
    expect(late.error.code).toBe("PLAN_NOT_ACTIVE");
  });

  it("complete a plan with its last step when it is not to stay open", async () => {
    const steps = [{ id: "a", query_template: "SELECT 1 AS n" }];
    const { plan_id } = await call("submit_plan", { steps, keep_open: false });
    await call("execute_step", { plan_id, step_id: "a" });
    expect((await call("get_plan", { plan_id })).status).toBe("completed");
  });

  it("fork a plan that is over, and run only what is new", async () => {
    const query_template = "SELECT {{step.a.output[0].n}} + 1 AS n";
    const { plan_id } = await call("submit_plan", {
      steps: [
        { id: "a", query_template: "SELECT 20 AS n" },
        { id: "b", query_template, depends_on: ["a"] },
      ],
    });
    for (const step_id of ["a", "b"]) await call("execute_step", { plan_id, step_id });
    expect((await call("fork_plan", { plan_id })).error.code).toBe("INVALID_PLAN");
    const forked = await call("fork_plan", { plan_id, step_id: "b" });
    expect(forked).toMatchObject({ status: "pending", revision: 1, ready_steps: ["b"] });
    const corrected = { query_template: "SELECT {{step.a.output[0].n}} + 2 AS n", step_id: "b" };
    expect(await call("execute_step", { plan_id: forked.plan_id, ...corrected })).toMatchObject({
      ...{ status: "completed", rows: [{ n: 22 }] },
    });
    expect(await call("execute_step", { plan_id, step_id: "b" })).toMatchObject({
      rows: [{ n: 21 }],
    });
  });

  it("append steps to a plan that is not over", async () => {
    const first = { id: "a", query_template: "SELECT 20 AS n" };
    const last = { id: "z", query_template: "SELECT 1" };
    const { plan_id } = await call("submit_plan", { steps: [first, last] });
    await call("execute_step", { plan_id, step_id: "a" });
    const query_template = "SELECT {{step.a.output[0].n}} + 1 AS n";
    const appended = { plan_id, steps: [{ id: "b", query_template, depends_on: ["a"] }] };
    const keyed = { ...appended, idempotency_key: "once" };
    const answer = await call("append_steps", keyed);
    expect(answer).toEqual({
      ...{ plan_id, status: "running", revision: 2, ready_steps: ["z", "b"] },
    });
    expect(await call("append_steps", keyed)).toEqual(answer);
    expect(await call("execute_step", { plan_id, step_id: "b" })).toMatchObject({
      rows: [{ n: 21 }],
    });
  });

  it("leave no plan behind when a query is refused while it runs", async () => {
    const url = `http://127.0.0.1:${String(steward.app.address.port)}/api/policies`;
    const text = `@id("no-emails") forbid (principal in Steward::Role::"agent", action, resource)
      when { context has columns && context.columns.contains("customers/email") };`;
    const headers = { ...admin, "content-type": "application/json" };
    const body = JSON.stringify({ text, version: 0 });
    expect((await fetch(url, { method: "PUT", headers, body })).status).toBe(200);
    const sql = "CREATE VIEW contacts AS SELECT email AS contact FROM customers";
    await call("query", { sql, intent: "admin" });
    const agent = await steward.connected({ ...admin, "x-user-role": "agent" });
    expect(await call("query", { sql: "SELECT contact FROM contacts" }, agent)).toMatchObject({
      error: { code: "POLICY_DENIED" },
    });
    const { plans } = await call("list_plans", { limit: 1 });
    expect(plans).toMatchObject([{ name: "query", status: "cancelled" }]);
    await agent.close();
  });
});

describe("a dry run of a plan", () => {
  it("tells what the plan would do, whether a budget covers it, and stores nothing", async () => {
    const steps = [
      { id: "fine", query_template: "SELECT name FROM customers" },
      { id: "wrong", query_template: "SELECT nme FROM customers" },
      {
        id: "write",
        query_template: "UPDATE customers SET name = 'x' WHERE id = 1",
        intent: "write_update",
      },
    ];
    const before = (await call("list_plans")).plans.length;
    const { check, ...rest } = await call("submit_plan", { steps, dry_run: true });
    expect(rest).toEqual({ ready_steps: [] });
    expect(check).toMatchObject({
      verdict: "permit",
      aau: 5,
      exceeded_budgets: [],
      steps_left_out: 0,
    });
    const [wrong, fine] = check.steps;
    expect(wrong).toMatchObject({
      step_id: "wrong",
      problem: expect.stringContaining("nme") as string,
    });
    expect(fine).toMatchObject({ step_id: "fine", tables: ["customers"] });
    const base = `http://127.0.0.1:${String(steward.app.address.port)}`;
    await fetch(`${base}/billing/budgets`, {
      method: "POST",
      headers: { ...admin, "content-type": "application/json" },
      body: JSON.stringify({
        scope: "session",
        unit: "aau",
        period: "day",
        limit: "4",
        action: "block",
      }),
    });
    const budgeted = await call("submit_plan", { steps, dry_run: true, session_id: "a new one" });
    expect(budgeted.check.exceeded_budgets).toEqual([
      {
        action: "block",
        reason: "The session's budget of 4 AAU per day has 4 AAU left, and the plan needs 5 AAU",
      },
    ]);
    expect((await call("list_plans")).plans).toHaveLength(before);
  });
});
