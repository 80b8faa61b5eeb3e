import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";
import { openApp, type AppOptions } from "./app.js";
import { silentLog } from "@steward/kernel/log.js";
import type { Orchestrator } from "../plans/index.js";

/** A custom orchestrator whose only step returns one row. */
const orchestrator: Orchestrator = {
  createPlan: () => Promise.reject(new Error("no room for another plan")),
  getPlan: (planId, { orgId }) =>
    Promise.resolve({
      planId,
      orgId,
      sessionId: "theirs",
      name: "n",
      description: "",
      status: "running",
      createdAt: "2026-03-01T09:30:00.000Z",
      steps: [
        {
          stepId: "a",
          name: "a",
          toolName: "delete_order\0",
          intent: "",
          dependsOn: [],
          status: "pending",
          attempt: 0,
        },
      ],
    }),
  executeStep: (planId, stepId) =>
    Promise.resolve({
      stepResult: {
        stepId,
        status: "completed",
        rowCount: 1,
        executedAt: "2026-03-01T09:30:00.000Z",
        attempt: 1,
      },
      llmContextUpdate: {
        planId,
        stepId,
        toolOutputJson: '[{"found":"a needle"}]',
        schemaAdditions: [],
        augmentationHints: [],
      },
      replayed: false,
    }),
  cancelPlan: () => Promise.resolve(),
};

describe("an orchestrator of one's own", () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "orchestrator-"));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });

  async function callsOnce(options: AppOptions): Promise<object[]> {
    await using app = await openApp({ port: 0, dataDir, log: silentLog, orchestrator, ...options });
    const published: object[] = [];
    app.events.subscribe("LlmToolCallAuditRecorded", (event) => published.push(event));
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const client = createClient({ baseUrl, role: "admin" });
    await client.plans.execute("plan-1", "a");
    await expect.poll(() => published.length).toBe(1);
    await expect(client.plans.submit({ name: "n", steps: [] })).rejects.toThrow(
      "no room for another plan",
    );
    if (options.databaseUrl === undefined) return published;
    const found = async (): Promise<readonly string[]> =>
      (await client.memory.searchMemory({ query: "needle" })).map(({ content }) => content);
    await expect.poll(found).toHaveLength(1);
    expect(JSON.parse((await found())[0] ?? "")).toMatchObject({
      tool_name: "delete_order\uFFFD",
      step_id: "a",
      output: '[{"found":"a needle"}]',
    });
    const usage = async (): Promise<unknown> =>
      (await client.billing.getUsage()).map((day) => [day.action_count, day.total_aau]);
    await expect.poll(usage).toEqual([[1, 3]]);
    return published;
  }

  // PostgreSQL's text cannot contain NUL, and the plan's id is not a UUID.
  const event = {
    tool_name: "delete_order\uFFFD",
    context: { session_id: "theirs", intent: "write_delete" },
  };

  it("leaves an event, a usage row and a memory entry in an SQLite store", async () => {
    const databaseUrl = `sqlite:${join(dataDir, "store.db")}`;
    expect(await callsOnce({ databaseUrl })).toMatchObject([event]);
  });

  it("leaves them in a PostgreSQL store", async () => {
    await using database = await storeDatabase();
    expect(await callsOnce({ databaseUrl: database.url })).toMatchObject([event]);
  });

  it("is told whose fault it is when it returns what nobody can use", async () => {
    const answers = { planId: "plan 1", output: "[]" };
    const odd: Orchestrator = {
      ...orchestrator,
      createPlan: async (sessionId, _definition, { orgId }) => ({
        ...{ planId: answers.planId, orgId, sessionId, name: "", description: "" },
        ...{ status: "pending", createdAt: "2026-03-01T09:30:00.000Z", steps: [] },
      }),
      executeStep: async (planId, stepId, ctx) => {
        const execution = await orchestrator.executeStep(planId, stepId, ctx);
        const update = { ...execution.llmContextUpdate, toolOutputJson: answers.output };
        return { ...execution, llmContextUpdate: update };
      },
    };
    await using app = await openApp({ port: 0, dataDir, log: silentLog, orchestrator: odd });
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const { plans } = createClient({ baseUrl, role: "admin", maxRetries: 0 });
    for (const planId of ["plan 1", "", "p".repeat(256)]) {
      answers.planId = planId;
      await expect(plans.submit({ name: "n", steps: [] })).rejects.toThrow(
        /The orchestrator's createPlan returned the plan id .*: the fault is in the orchestrator/,
      );
    }
    answers.planId = "plan-1";
    expect((await plans.submit({ name: "n", steps: [] })).plan_id).toBe("plan-1");
    for (const output of ["{}", "[", "none"]) {
      answers.output = output;
      const { step_result: result } = await plans.execute("plan-1", "a");
      expect(result).toMatchObject({ status: "failed", error: { code: "STEP_FAILED" } });
      expect(result.error?.message).toContain("returned llmContextUpdate.toolOutputJson");
    }
    answers.output = "[]";
    expect((await plans.execute("plan-1", "a")).step_result.status).toBe("completed");
  });

  it("leaves an event where there is no store", async () => {
    expect(await callsOnce({})).toMatchObject([event]);
  });
});
