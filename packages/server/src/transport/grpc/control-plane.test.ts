import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import type { Orchestrator } from "../../plans/index.js";
import { NoopOrchestrator } from "../../plans/orchestrators/noop-orchestrator.js";
import type { Message } from "./testing/bare-client.js";
import { startServer, type TestServer } from "./testing/grpc-server.js";

const ORG = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** Submits a plan whose steps have these templates. */
async function submit(...templates: string[]): Promise<string> {
  const steps = templates.map((template, index) => ({
    step_id: `s${String(index + 1)}`,
    query_template: template,
  }));
  const answer = await server.client.call("SubmitPlan", {
    session_id: "session-1",
    name: "n",
    steps,
  });
  return String(answer["plan_id"]);
}

describe("SubmitPlan and GetPlanStatus", () => {
  it("store a plan and show it", async () => {
    const submitted = await server.client.call("SubmitPlan", {
      session_id: "session-1",
      name: "Orders",
      description: "d",
      steps: [
        {
          step_id: "a",
          name: "A",
          tool_name: "sql",
          intent: "read_select",
          query_template: "SELECT 1",
        },
        { step_id: "b", depends_on: ["a"] },
      ],
    });
    expect(submitted).toEqual({ plan_id: "plan-1", status: "pending" });
    expect(await server.client.call("GetPlanStatus", { plan_id: "plan-1" })).toMatchObject({
      plan_id: "plan-1",
      status: "pending",
      session_id: "session-1",
      name: "Orders",
      description: "d",
      created_at: "2026-03-01T09:30:00.000Z",
      steps: [
        { step_id: "a", name: "A", tool_name: "sql", intent: "read_select", status: "pending" },
        { step_id: "b", depends_on: ["a"], status: "pending" },
      ],
    });
  });

  it("take the session of the metadata when the plan names none", async () => {
    const metadata = { "x-session-id": "from-metadata" };
    await server.client.call("SubmitPlan", { steps: [{ step_id: "a" }] }, { metadata });
    const plan = await server.client.call("GetPlanStatus", { plan_id: "plan-1" });
    expect(plan["session_id"]).toBe("from-metadata");
  });

  it("keep organizations apart by x-org-id", async () => {
    const planId = await submit("SELECT 1");
    const metadata = { "x-org-id": ORG };
    await expect(
      server.client.call("GetPlanStatus", { plan_id: planId }, { metadata }),
    ).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it("refuse a wrong plan with the fields that are wrong", async () => {
    await expect(server.client.call("SubmitPlan", { name: "n" })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: "steps: must have at least one step",
    });
  });

  it.each(["no such plan", "p\u0000", "x".repeat(300)])("do not know %j", async (planId) => {
    await expect(server.client.call("GetPlanStatus", { plan_id: planId })).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  it("refuse a request that names no plan", async () => {
    await expect(server.client.call("GetPlanStatus", {})).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: "plan_id: it is missing",
    });
  });
});

describe("ExecuteStep", () => {
  it("returns the result and what the LLM should know", async () => {
    const planId = await submit("SELECT 1");
    expect(await server.client.call("ExecuteStep", { plan_id: planId, step_id: "s1" })).toEqual({
      success: true,
      step_result: expect.objectContaining({
        step_id: "s1",
        status: "completed",
        row_count: 1,
        executed_at: "2026-03-01T09:30:00.000Z",
        attempt: 1,
      }) as unknown,
      llm_context_update: {
        plan_id: planId,
        step_id: "s1",
        tool_output_json: '[{"id":7}]',
        schema_additions: [{ table_name: "t", operation: "NEW", table_def_json: "{}" }],
        augmentation_hints: [],
        next_offset: 0,
      },
      error_message: "",
      error_code: "",
      replayed: false,
    });
  });

  it("marks a stored result as replayed", async () => {
    const request = { plan_id: await submit("SELECT 1"), step_id: "s1" };
    await server.client.call("ExecuteStep", request);
    expect(await server.client.call("ExecuteStep", request)).toMatchObject({ replayed: true });
  });

  it("tells in band that a step ran and failed, with its result and hints", async () => {
    const request = { plan_id: await submit("fail"), step_id: "s1" };
    expect(await server.client.call("ExecuteStep", request)).toMatchObject({
      success: false,
      error_code: "STEP_FAILED",
      error_message: "no such column: nme",
      step_result: { status: "failed", error: { code: "STEP_FAILED" } },
      llm_context_update: { augmentation_hints: ["did you mean name?"] },
    });
  });

  it("tells in band that there is no such plan or step", async () => {
    const planId = await submit("SELECT 1");
    for (const [request, code] of [
      [{ plan_id: "nope", step_id: "s1" }, "PLAN_NOT_FOUND"],
      [{ plan_id: planId, step_id: "s9" }, "STEP_NOT_FOUND"],
      [{ plan_id: planId, step_id: "no id" }, "STEP_NOT_FOUND"],
    ] as const) {
      const answer = await server.client.call("ExecuteStep", request);
      expect(answer).toMatchObject({ success: false, error_code: code });
      expect(answer["step_result"]).toBeNull();
    }
  });

  it("tells in band that a budget is used up, and how long to wait", async () => {
    const refusal = { retryAfterMs: 1500 };
    server.orchestrator.broken = new AppError("QUOTA_EXCEEDED", "No room for it", refusal);
    expect(await server.client.call("ExecuteStep", { plan_id: "p", step_id: "s" })).toMatchObject({
      success: false,
      error_code: "QUOTA_EXCEEDED",
      error_message: "No room for it; try again in 2 s",
      step_result: null,
    });
  });

  it.each([
    ["STORE_UNAVAILABLE", status.UNAVAILABLE],
    ["OVERLOADED", status.UNAVAILABLE],
  ] as const)("ends the call with %s", async (code, grpcCode) => {
    server.orchestrator.broken = new AppError(code, "Not now");
    await expect(
      server.client.call("ExecuteStep", { plan_id: "p", step_id: "s" }),
    ).rejects.toMatchObject({ code: grpcCode, details: "Not now" });
  });

  it("tells nothing of a fault, but logs it with the request's id", async () => {
    server.orchestrator.broken = new Error("password=hunter2");
    const call = server.client.call(
      "ExecuteStep",
      { plan_id: "p", step_id: "s" },
      { metadata: { "x-request-id": "req-1" } },
    );
    await expect(call).rejects.toMatchObject({ code: status.INTERNAL, details: "Internal error" });
    expect(server.lines.find((line) => line.level === "error")?.fields).toMatchObject({
      err: server.orchestrator.broken,
      requestId: "req-1",
      method: "ExecuteStep",
    });
  });

  it("has the step's context abort when the caller cancels", async () => {
    const request = { plan_id: await submit("wait"), step_id: "s1" };
    const ended = new Promise((resolve) => {
      const call = server.client.start("ExecuteStep", request, {}, resolve);
      const cancelWhenWaiting = setInterval(() => {
        if (server.orchestrator.waiting === 0) return;
        clearInterval(cancelWhenWaiting);
        call.cancel();
      }, 5);
    });
    expect(await ended).toMatchObject({ code: status.CANCELLED });
    await expect.poll(() => server.orchestrator.lastContext?.signal.aborted).toBe(true);
  });

  it("has the step's context know and obey the caller's deadline", async () => {
    const request = { plan_id: await submit("wait"), step_id: "s1" };
    const before = Date.now();
    const timeoutMs = 200;
    await expect(server.client.call("ExecuteStep", request, { timeoutMs })).rejects.toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    });
    const context = server.orchestrator.lastContext;
    expect(context?.deadlineMs).toBeGreaterThan(before);
    expect(context?.deadlineMs).toBeLessThanOrEqual(Date.now() + timeoutMs);
    await expect.poll(() => context?.signal.aborted).toBe(true);
  });

  it("leaves the context of an answered call alone", async () => {
    await server.client.call("ExecuteStep", { plan_id: await submit("SELECT 1"), step_id: "s1" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.orchestrator.lastContext?.signal.aborted).toBe(false);
    expect(server.orchestrator.lastContext).not.toHaveProperty("deadlineMs");
  });
});

describe("CancelPlan, RetryPlan and ListPlans", () => {
  it("cancel a plan, and again", async () => {
    const planId = await submit("SELECT 1");
    for (let round = 0; round < 2; round += 1) {
      expect(await server.client.call("CancelPlan", { plan_id: planId, reason: "enough" })).toEqual(
        {
          plan_id: planId,
          status: "cancelled",
        },
      );
    }
  });

  it("refuse to cancel a plan that is over", async () => {
    const planId = await submit("SELECT 1");
    await server.client.call("ExecuteStep", { plan_id: planId, step_id: "s1" });
    await expect(server.client.call("CancelPlan", { plan_id: planId })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
  });

  it("refuse a reason that is too long to keep", async () => {
    const request = { plan_id: await submit("SELECT 1"), reason: "r".repeat(1025) };
    await expect(server.client.call("CancelPlan", request)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  it("let a failed plan run on", async () => {
    const planId = await submit("fail");
    await server.client.call("ExecuteStep", { plan_id: planId, step_id: "s1" });
    expect(await server.client.call("RetryPlan", { plan_id: planId })).toEqual({
      plan_id: planId,
      status: "running",
    });
  });

  it("list plans, newest first, page by page", async () => {
    for (let index = 0; index < 3; index += 1) await submit("SELECT 1");
    const first = await server.client.call("ListPlans", { limit: 2 });
    expect(planIds(first)).toEqual(["plan-3", "plan-2"]);
    const second = await server.client.call("ListPlans", {
      limit: 2,
      cursor: first["next_cursor"],
    });
    expect(planIds(second)).toEqual(["plan-1"]);
    expect(second["next_cursor"]).toBe("");
  });

  it("list the plans of one status or session", async () => {
    await submit("SELECT 1");
    await server.client.call("CancelPlan", { plan_id: await submit("SELECT 1") });
    const listed = async (filter: Message): Promise<unknown> =>
      planIds(await server.client.call("ListPlans", filter));
    expect(await listed({ status: "cancelled" })).toEqual(["plan-2"]);
    expect(await listed({ session_id: "session-1" })).toEqual(["plan-2", "plan-1"]);
    expect(await listed({ session_id: "another" })).toEqual([]);
  });

  it.each([{ status: "done" }, { limit: -1 }, { limit: 201 }])("refuse %j", async (request) => {
    await expect(server.client.call("ListPlans", request)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });
});

describe("orchestrators that offer less", () => {
  it("answer UNIMPLEMENTED for what goes beyond the four operations", async () => {
    const unsupported = (): Promise<never> => Promise.reject(new Error("never asked"));
    const orchestrator: Orchestrator = {
      createPlan: unsupported,
      getPlan: unsupported,
      executeStep: unsupported,
      cancelPlan: unsupported,
    };
    await using basic = await startServer({ orchestrator });
    for (const method of ["ListPlans", "RetryPlan"]) {
      await expect(basic.client.call(method, { plan_id: "p" })).rejects.toMatchObject({
        code: status.UNIMPLEMENTED,
      });
    }
  });

  it("say what is missing when nothing is configured", async () => {
    await using noop = await startServer({ orchestrator: new NoopOrchestrator() });
    await expect(
      noop.client.call("SubmitPlan", { steps: [{ step_id: "a" }] }),
    ).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
      details: expect.stringContaining("SERVICE_DATABASE_URL") as unknown,
    });
    expect(await noop.client.call("ExecuteStep", { plan_id: "p", step_id: "s" })).toMatchObject({
      success: false,
      error_code: "ORCHESTRATOR_NOT_CONFIGURED",
    });
  });
});

describe("every call", () => {
  it("is counted by how it ended", async () => {
    await submit("SELECT 1");
    await server.client.call("GetPlanStatus", { plan_id: "nope" }).catch(() => undefined);
    const counts = server.counted.map(({ labels }) => labels);
    expect(counts).toEqual([
      { method: "SubmitPlan", code: "OK" },
      { method: "GetPlanStatus", code: "NOT_FOUND" },
    ]);
  });

  it("is refused when its identity headers are malformed", async () => {
    const metadata = { "x-org-id": "acme" };
    await expect(
      server.client.call("GetPlanStatus", { plan_id: "p" }, { metadata }),
    ).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining("x-org-id") as unknown,
    });
  });
});

function planIds(page: Message): unknown {
  return (page["plans"] as Message[]).map((plan) => plan["plan_id"]);
}
