import { plans } from "@steward/operations";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { PLAN_TEXT_LENGTH_MAX, PLANS_PAGE_MAX } from "../../../plans/limits.js";
import type { Orchestrator } from "../../../plans/index.js";
import { NoopOrchestrator } from "../../../plans/orchestrators/noop-orchestrator.js";
import { send, startRestServer, type TestRestServer } from "../testing/rest-server.js";

const step = { id: "a", tool_name: "sql", query_template: "SELECT 1" };
const plan = { session_id: "s1", name: "n", description: "d", steps: [step] };
const otherOrg = { "x-org-id": "11111111-1111-4111-8111-111111111111" };

async function submitted(server: TestRestServer, ...templates: string[]): Promise<string> {
  const steps = templates.map((query_template, index) => ({ id: `s${index}`, query_template }));
  const { body } = await send(server, "POST /api/plans", { body: { ...plan, steps } });
  return (body.data as { plan_id: string }).plan_id;
}

describe("POST /api/plans", () => {
  it("answers 201 with the plan's id, status pending and its Location", async () => {
    await using server = await startRestServer();
    const { status, headers, body } = await send(server, "POST /api/plans", { body: plan });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe("/api/plans/plan-1");
    expect(body).toEqual({ data: { plan_id: "plan-1", status: "pending" } });
  });

  it("takes an empty session_id from the caller's header", async () => {
    await using server = await startRestServer();
    const headers = { "x-session-id": "from-header" };
    for (const session_id of ["", undefined]) {
      await send(server, "POST /api/plans", { body: { ...plan, session_id }, headers });
    }
    await send(server, "POST /api/plans", { body: plan, headers });
    const { body } = await send(server, "GET /api/plans");
    expect(body.data).toMatchObject({
      plans: [{ session_id: "s1" }, { session_id: "from-header" }, { session_id: "from-header" }],
    });
  });

  it("hands the idempotency key and the caller to the orchestrator", async () => {
    await using server = await startRestServer();
    const headers = { ...otherOrg, "idempotency-key": "k1", "x-user-role": "admin" };
    await send(server, "POST /api/plans", { body: plan, headers });
    expect(server.orchestrator.lastContext).toMatchObject({
      orgId: otherOrg["x-org-id"],
      idempotencyKey: "k1",
      roles: ["admin"],
    });
  });

  it("passes on what the orchestrator finds wrong, field by field", async () => {
    await using server = await startRestServer();
    const { status, body } = await send(server, "POST /api/plans", {
      body: { ...plan, steps: [] },
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: "steps: must have at least one step",
      code: "INVALID_PLAN",
      details: [{ field: "steps", reason: "must have at least one step" }],
    });
  });
});

describe("GET /api/plans", () => {
  it("pages through the caller's plans, newest first, by filter", async () => {
    await using server = await startRestServer();
    await submitted(server, "");
    await submitted(server, "");
    await send(server, "POST /api/plans", { body: { ...plan, session_id: "s2" } });
    await send(server, "POST /api/plans", { body: plan, headers: otherOrg });
    const first = await send(server, "GET /api/plans?session_id=s1&limit=1");
    expect(first.body.data).toMatchObject({ plans: [{ plan_id: "plan-2" }], next_cursor: "1" });
    const second = await send(server, "GET /api/plans?session_id=s1&limit=1&cursor=1");
    expect(second.body.data).toEqual({ plans: [expect.objectContaining({ plan_id: "plan-1" })] });
    const none = await send(server, "GET /api/plans?status=cancelled");
    expect(none.body.data).toEqual({ plans: [] });
  });

  it.each(["limit=0", "limit=201", "limit=1.5", "limit=x", "limit=", "limit=1&limit=2"])(
    "refuses %s",
    async (query) => {
      await using server = await startRestServer();
      const { status, body } = await send(server, `GET /api/plans?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ field: "limit" }] });
    },
  );

  it("refuses a status that no plan has", async () => {
    await using server = await startRestServer();
    const { body } = await send(server, "GET /api/plans?status=done");
    expect(body).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ field: "status" }] });
  });

  it("promises the limits that the service has", () => {
    const accepts = (query: object) => plans.listPlans.input.safeParse(query).success;
    const sizes = [PLANS_PAGE_MAX, PLANS_PAGE_MAX + 1];
    expect(sizes.map((limit) => accepts({ limit }))).toEqual([true, false]);
    const lengths = [PLAN_TEXT_LENGTH_MAX, PLAN_TEXT_LENGTH_MAX + 1];
    expect(lengths.map((length) => accepts({ text: "x".repeat(length) }))).toEqual([true, false]);
  });
});

describe("GET /api/plans/:plan_id", () => {
  it("shows the plan and its steps, and leaves out what is not known yet", async () => {
    await using server = await startRestServer();
    await submitted(server, "");
    const { status, body } = await send(server, "GET /api/plans/plan-1");
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        plan_id: "plan-1",
        status: "pending",
        session_id: "s1",
        name: "n",
        description: "d",
        created_at: "2026-03-01T09:30:00.000Z",
        steps: [
          {
            step_id: "s0",
            name: "",
            tool_name: "",
            intent: "",
            depends_on: [],
            status: "pending",
            attempt: 0,
          },
        ],
      },
    });
  });

  it.each([
    "/api/plans/nobody",
    "/api/plans/%00",
    "/api/plans/a%2Fb%20c",
    `/api/plans/${"x".repeat(4000)}`,
    "/api/plans/",
  ])("answers 404 for %s", async (path) => {
    await using server = await startRestServer();
    const { status, body } = await send(server, `GET ${path}`);
    expect(status).toBe(404);
    expect(body["code"]).toBe("PLAN_NOT_FOUND");
  });

  it("answers 404 for another organization's plan", async () => {
    await using server = await startRestServer();
    await submitted(server, "");
    const { status, body } = await send(server, "GET /api/plans/plan-1", { headers: otherOrg });
    expect([status, body["code"]]).toEqual([404, "PLAN_NOT_FOUND"]);
  });
});

describe("POST /api/plans/:plan_id/steps/:step_id/execute", () => {
  it("answers with the result and the context update, then with the stored ones", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "", "");
    const first = await send(server, `POST /api/plans/${id}/steps/s0/execute`);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      data: {
        step_result: {
          step_id: "s0",
          status: "completed",
          row_count: 1,
          executed_at: "2026-03-01T09:30:00.000Z",
          attempt: 1,
        },
        llm_context_update: {
          plan_id: id,
          step_id: "s0",
          tool_output_json: '[{"id":7}]',
          schema_additions: [{ table_name: "t", operation: "NEW", table_def_json: "{}" }],
          augmentation_hints: [],
        },
        replayed: false,
      },
    });
    const again = await send(server, `POST /api/plans/${id}/steps/s0/execute`);
    expect(again.body.data).toEqual({ ...(first.body.data as object), replayed: true });
  });

  it("answers 200 for a step that ran and failed", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "fail");
    const { status, body } = await send(server, `POST /api/plans/${id}/steps/s0/execute`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      step_result: {
        status: "failed",
        error: { code: "STEP_FAILED", message: "no such column: nme" },
      },
      llm_context_update: { augmentation_hints: ["did you mean name?"] },
    });
  });

  it("does not mind an empty body, whatever its content-type", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "");
    for (const type of ["application/json", "application/x-www-form-urlencoded", "text/plain"]) {
      const headers = { "content-type": type };
      const request = `POST /api/plans/${id}/steps/s0/execute`;
      expect((await send(server, request, { headers, body: "" })).status).toBe(200);
    }
  });

  it("names an unknown step", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "");
    for (const stepId of ["nobody", "%01"]) {
      const { status, body } = await send(server, `POST /api/plans/${id}/steps/${stepId}/execute`);
      expect([status, body["code"]]).toEqual([404, "STEP_NOT_FOUND"]);
    }
  });

  it("stops waiting when the caller has gone", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "wait");
    const leaving = new AbortController();
    const call = fetch(`${server.url}/api/plans/${id}/steps/s0/execute`, {
      method: "POST",
      signal: leaving.signal,
    });
    await expect.poll(() => server.orchestrator.waiting).toBe(1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => server.orchestrator.lastContext?.signal.aborted).toBe(true);
    await expect
      .poll(() => server.lines)
      .toContainEqual({
        level: "debug",
        event: "http request",
        fields: expect.objectContaining({ status: "499", method: "POST" }),
      });
    expect(server.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe("DELETE /api/plans/:plan_id", () => {
  it("cancels, says the same when repeated, and refuses a plan that is over", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "");
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await send(server, `DELETE /api/plans/${id}`);
      expect([status, body]).toEqual([200, { data: { plan_id: id, status: "cancelled" } }]);
    }
    const done = await submitted(server, "");
    await send(server, `POST /api/plans/${done}/steps/s0/execute`);
    const { status, body } = await send(server, `DELETE /api/plans/${done}`);
    expect([status, body["code"]]).toEqual([409, "PLAN_NOT_ACTIVE"]);
  });
});

describe("POST /api/plans/:plan_id/retry", () => {
  it("lets a failed plan run on, and no other", async () => {
    await using server = await startRestServer();
    const id = await submitted(server, "fail");
    expect((await send(server, `POST /api/plans/${id}/retry`)).status).toBe(409);
    await send(server, `POST /api/plans/${id}/steps/s0/execute`);
    const { status, body } = await send(server, `POST /api/plans/${id}/retry`);
    expect([status, body]).toEqual([200, { data: { plan_id: id, status: "running" } }]);
  });
});

describe("an orchestrator that is missing or broken", () => {
  it("answers 501 for writes and 404 for reads without a backing store", async () => {
    await using server = await startRestServer({ orchestrator: new NoopOrchestrator() });
    const create = await send(server, "POST /api/plans", { body: plan });
    expect([create.status, create.body["code"]]).toEqual([501, "ORCHESTRATOR_NOT_CONFIGURED"]);
    expect(create.body["error"]).toContain("SERVICE_DATABASE_URL");
    expect((await send(server, "GET /api/plans/p")).status).toBe(404);
    expect((await send(server, "DELETE /api/plans/p")).status).toBe(501);
    expect((await send(server, "GET /api/plans/p/events")).status).toBe(404);
  });

  it("answers 501 where an orchestrator offers the four operations only", async () => {
    const noop = new NoopOrchestrator();
    const orchestrator: Orchestrator = {
      createPlan: () => noop.createPlan(),
      getPlan: () => noop.getPlan(),
      executeStep: () => noop.executeStep(),
      cancelPlan: () => noop.cancelPlan(),
    };
    await using server = await startRestServer({ orchestrator });
    for (const request of [
      "GET /api/plans",
      "POST /api/plans/p/retry",
      "GET /api/plans/p/events",
    ]) {
      const { status, body } = await send(server, request);
      expect([status, body["code"]]).toEqual([501, "UNIMPLEMENTED"]);
    }
  });

  it("tells a caller nothing of a fault, and the log everything", async () => {
    await using server = await startRestServer();
    server.orchestrator.broken = new Error("the secret cause");
    const { status, body } = await send(server, "GET /api/plans/p", {
      headers: { "x-request-id": "r-1" },
    });
    expect([status, body]).toEqual([500, { error: "Internal error", code: "INTERNAL" }]);
    expect(server.lines.find(({ level }) => level === "error")?.fields).toMatchObject({
      err: server.orchestrator.broken,
      requestId: "r-1",
      path: "/api/plans/p",
    });
  });

  it("says when to come back", async () => {
    await using server = await startRestServer();
    server.orchestrator.broken = new AppError("STORE_UNAVAILABLE", "busy", { retryAfterMs: 1500 });
    const { status, headers } = await send(server, "GET /api/plans/p");
    expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
  });
});
