import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { openConnection } from "../../storage/sqlite/connection.js";
import { ORG } from "../testing/usage-room.js";

const headers = { "x-org-id": ORG, "x-user-role": "admin", "content-type": "application/json" };
const CAP = { scope: "organization", unit: "aau", period: "day", limit: "10", action: "block" };

/** The parts of the service's answer that these tests read. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: {
    readonly code?: string;
    readonly data?: {
      readonly plan_id?: string;
      readonly budget_id?: string;
      readonly llm_context_update?: { readonly augmentation_hints: readonly string[] };
    };
  };
}

describe("budgets, over plans that run", () => {
  let dir: string;
  let app: App;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-budgets-"));
    openConnection(join(dir, "target.db"), false).close();
    app = await openApp({
      port: 0,
      logLevel: "silent",
      databaseUrl: `sqlite:${join(dir, "store.db")}`,
      dataSources: [{ name: "default", url: `sqlite:${join(dir, "target.db")}` }],
    });
    const created = await submit([["create", "CREATE TABLE t (id INTEGER)", "admin"]]);
    expect(await execute(created, "create")).toMatchObject({ status: 200 });
  });
  afterEach(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${String(app.address.port)}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status } = response;
    const retryAfter = response.headers.get("retry-after");
    return { status, retryAfter, body: (await response.json()) as Answer["body"] };
  };
  const submit = async (steps: readonly (readonly [string, string, string])[]): Promise<string> => {
    const { body } = await send("POST", "/api/plans", {
      session_id: "session",
      steps: steps.map(([id, query_template, intent]) => ({ id, query_template, intent })),
    });
    return body.data?.plan_id ?? "";
  };
  const execute = (planId: string, stepId: string) =>
    send("POST", `/api/plans/${planId}/steps/${stepId}/execute`);
  const inserts = Array.from(
    { length: 20 },
    (_, i) => [`s${String(i)}`, `INSERT INTO t VALUES (${String(i)})`, "write_insert"] as const,
  );

  it("let three of twenty concurrent writes run on a cap of ten more", async () => {
    await send("POST", "/billing/budgets", { ...CAP, limit: "15" });
    const planId = await submit(inserts);
    const answers = await Promise.all(inserts.map(([id]) => execute(planId, id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(17);
    expect(refused.every(({ body }) => body.code === "QUOTA_EXCEEDED")).toBe(true);
    expect(refused.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    const { body } = await send("GET", "/billing/usage");
    expect(body.data).toMatchObject([{ action_count: 4, total_aau: 14 }]);
  });

  it("leave a refused step to be run when there is room again, and replay what has run", async () => {
    const planId = await submit(inserts.slice(0, 2));
    await execute(planId, "s0");
    const budget = await send("POST", "/billing/budgets", { ...CAP, limit: "1" });
    expect((await execute(planId, "s1")).status).toBe(429);
    expect((await execute(planId, "s0")).body.data).toMatchObject({ replayed: true });
    await send("DELETE", `/billing/budgets/${budget.body.data?.budget_id ?? ""}`);
    expect((await execute(planId, "s1")).body.data).toMatchObject({
      step_result: { status: "completed" },
    });
  });

  it("warn the agent in the hints of the step's result", async () => {
    await send("POST", "/billing/budgets", { ...CAP, limit: "5", action: "warn" });
    const { body } = await execute(await submit(inserts.slice(0, 1)), "s0");
    expect(body.data?.llm_context_update?.augmentation_hints).toContain(
      "This call ran over the organization's budget of 5 AAU per day, which only warns",
    );
  });
});
