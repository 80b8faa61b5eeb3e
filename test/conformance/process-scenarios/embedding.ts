import { DatabaseSync } from "@photostructure/sqlite";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openApp,
  type App,
  type AppOptions,
  type Orchestrator,
  type PlanDefinition,
  type PlanRecord,
  type QueryRuntimeContext,
  type StepExecution,
} from "@steward/server";
import { expect } from "vitest";
import type { Client, Identity, Wire } from "../client.js";
import { expectNotRun, expectRefusal, rowsOf } from "../expectations.js";
import { GrpcClient } from "../wires/grpc-client.js";
import { RestClient } from "../wires/rest-client.js";
import { SLOW, step, type ProcessScenario } from "../scenario.js";

/** A custom orchestrator written from the documentation, with only the four operations. */
class OnePlan implements Orchestrator {
  readonly calls: unknown[][] = [];
  #plan: PlanRecord | undefined;

  async createPlan(
    sessionId: string,
    { name, description, steps }: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRecord> {
    this.calls.push(["createPlan", sessionId, name, steps.map(({ id }) => id), ctx]);
    if (name === "unwelcome") throw new Error("no such plans here");
    this.#plan = {
      planId: "plan-1",
      orgId: ctx.orgId,
      sessionId,
      name,
      description,
      status: "pending",
      createdAt: "2026-03-01T09:30:00.000Z",
      steps: [],
    };
    return this.#plan;
  }

  async getPlan(planId: string): Promise<PlanRecord | undefined> {
    return planId === this.#plan?.planId ? this.#plan : undefined;
  }

  async executeStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    this.calls.push(["executeStep", planId, stepId, ctx]);
    if (stepId === "broken") throw new Error("the tool is out of order");
    return {
      stepResult: {
        stepId,
        status: "completed",
        rowCount: 2,
        executedAt: "2026-03-01T09:30:00.000Z",
        attempt: 1,
      },
      llmContextUpdate: {
        planId,
        stepId,
        toolOutputJson: "[1,2]",
        schemaAdditions: [],
        augmentationHints: ["of its own"],
      },
      replayed: false,
    };
  }

  async cancelPlan(planId: string): Promise<void> {
    this.calls.push(["cancelPlan", planId]);
  }
}

/** Opens the service in this process, with a client. */
async function embedded(
  options: AppOptions,
  run: (app: App, clientOf: (wire: Wire, identity: Identity) => Client) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "steward-embedded-"));
  const clients: GrpcClient[] = [];
  new DatabaseSync(join(directory, "data.db")).close();
  try {
    await using app = await openApp({
      port: 0,
      logLevel: "silent",
      databaseUrl: `sqlite:${join(directory, "steward.db")}`,
      dataSources: [{ name: "data", url: `sqlite:${join(directory, "data.db")}` }],
      ...options,
    });
    const { host, port, grpcPort } = app.address;
    await run(app, (wire, identity) => {
      if (wire === "rest") return new RestClient(`http://${host}:${port}`, identity);
      const client = GrpcClient.connect(`${host}:${grpcPort}`, identity);
      clients.push(client);
      return client;
    });
    for (const client of clients) client[Symbol.dispose]();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const WIRES: readonly Wire[] = ["grpc", "rest"];

/** Scenarios of a program that embeds the service. */
export const embedding: readonly ProcessScenario[] = [
  {
    cites: ["C4.3-custom", "C4.3-create", "C4.3-get", "C4.3-execute", "C4.3-cancel", "C4.3-error"],
    title: "an orchestrator of one's own stands in by its four operations",
    run: async () => {
      const orchestrator = new OnePlan();
      await embedded({ orchestrator }, async (_app, clientOf) => {
        for (const wire of WIRES) {
          orchestrator.calls.length = 0;
          const client = clientOf(wire, {});
          const plan = { session_id: "s", name: "n", steps: [step("a", "whatever it likes")] };
          expect(await client.submit(plan)).toEqual({ plan_id: "plan-1", status: "pending" });
          expect(await client.getPlan("plan-1")).toMatchObject({ name: "n", session_id: "s" });
          await expectRefusal(wire, client.getPlan("plan-2"), {
            code: "PLAN_NOT_FOUND",
            grpc: "NOT_FOUND",
            rest: 404,
          });
          expect(await client.execute("plan-1", "a")).toMatchObject({
            success: true,
            step_result: { step_id: "a", row_count: 2 },
            llm_context_update: { tool_output_json: "[1,2]", augmentation_hints: ["of its own"] },
          });
          await client.cancel("plan-1");
          await expectRefusal(wire, client.submit({ ...plan, name: "unwelcome" }), {
            code: "INTERNAL",
            grpc: "INTERNAL",
            rest: 500,
          });
          const unimplemented = { code: "UNIMPLEMENTED", grpc: "UNIMPLEMENTED", rest: 501 };
          await expectRefusal(wire, client.list({}), unimplemented);
          expect(
            orchestrator.calls.map(([name, ...given]) => [name, ...given.slice(0, 2)]),
          ).toEqual([
            ["createPlan", "s", "n"],
            ["executeStep", "plan-1", "a"],
            ["cancelPlan", "plan-1"],
            ["createPlan", "s", "unwelcome"],
          ]);
        }
      });
    },
  },
  {
    cites: ["D7-custom", "C4.3-error"],
    title:
      "what an orchestrator of one's own runs is an event, a usage row and a memory, also a failure",
    run: async () => {
      await embedded({ orchestrator: new OnePlan() }, async (app, clientOf) => {
        for (const wire of WIRES) {
          const org_id = randomUUID();
          const published: { tool_name: string; context: { intent: string } }[] = [];
          app.events.subscribe("LlmToolCallAuditRecorded", (event) => published.push(event));
          const client = clientOf(wire, { "x-org-id": org_id, "x-user-role": "admin" });
          const steps = [
            step("a", "find", { tool_name: "read_orders" }),
            step("broken", "go", { tool_name: "go", intent: "write_insert" }),
          ];
          await client.submit({ session_id: "s", name: "n", steps });
          await client.execute("plan-1", "a");
          expect(await client.execute("plan-1", "broken")).toMatchObject({
            success: false,
            error_code: "STEP_FAILED",
            error_message: "the tool is out of order",
            llm_context_update: { augmentation_hints: ["the tool is out of order"] },
          });
          await expect
            .poll(() => published)
            .toMatchObject([
              { tool_name: "read_orders", context: { intent: "read_select", session_id: "s" } },
              { tool_name: "go", context: { intent: "write_insert", org_id } },
            ]);
          await expect
            .poll(async () => (await client.billing.usage()).map((day) => day.action_count))
            .toEqual([2]);
        }
      });
    },
  },
  {
    cites: ["D2-context"],
    title: "an orchestrator is told who asks, by the names of the headers",
    run: async () => {
      const orgId = randomUUID();
      const orchestrator = new OnePlan();
      await embedded({ orchestrator }, async (_app, clientOf) => {
        for (const wire of WIRES) {
          orchestrator.calls.length = 0;
          const client = clientOf(wire, {
            "x-org-id": orgId,
            "x-session-id": "session",
            "x-user-id": "user",
            "x-agent-id": "agent",
            "x-user-role": "agent",
            "x-user-permissions": "read:plans, manage:billing",
            "x-orm-model": "Order",
            "x-request-id": "request-7",
          });
          await client.execute("plan-1", "a");
          const ctx = orchestrator.calls[0]?.at(-1) as QueryRuntimeContext;
          expect(ctx).toMatchObject({
            orgId,
            sessionId: "session",
            userId: "user",
            agentId: "agent",
            roles: ["agent"],
            permissions: ["read:plans", "manage:billing"],
            ormModel: "Order",
            requestId: "request-7",
          });
          expect(ctx.signal).toBeInstanceOf(AbortSignal);
          if (wire === "grpc") expect(ctx.deadlineMs).toBeGreaterThan(Date.now());
        }
      });
    },
  },
  {
    cites: ["C6-audit", "D7-once", "D7-none"],
    title: "each attempt that reached its tool is published once, and nothing else is",
    run: async () => {
      await embedded({}, async (app, clientOf) => {
        for (const wire of WIRES) {
          const org_id = randomUUID();
          const published: object[] = [];
          app.events.subscribe("LlmToolCallAuditRecorded", (event) => published.push(event));
          const client = clientOf(wire, { "x-org-id": org_id, "x-orm-model": "Order" });
          const { plan_id } = await client.submit({
            session_id: "session",
            steps: [
              step("slow", SLOW, { tool_name: "slow_sql" }),
              step("bad", "DELETE FROM nowhere", { depends_on: ["slow"], tool_name: "bad_sql" }),
            ],
          });
          const early = await client.execute(plan_id, "bad");
          expectNotRun(wire, early, { code: "STEP_DEPENDENCIES_NOT_MET", rest: 409 });
          await Promise.all([client.execute(plan_id, "slow"), client.execute(plan_id, "slow")]);
          await rowsOf(client, plan_id, "slow");
          await client.execute(plan_id, "bad");
          await client.execute(plan_id, "bad");
          const context = { org_id, session_id: "session", orm_model: "Order" };
          await expect.poll(() => published).toHaveLength(2);
          expect(published).toMatchObject([
            { tool_name: "slow_sql", context: { ...context, intent: "read_select" } },
            { tool_name: "bad_sql", context: { ...context, intent: "write_delete" } },
          ]);
        }
      });
    },
  },
];
