import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp, type ProgramApp, type ProgramAppOptions } from "./app.js";

/** Apps that do not listen, used by their own program. */
const directory = mkdtempSync(join(tmpdir(), "steward-program-app-"));
const organization = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const AGENT = { role: "agent", agentId: "bot", userId: "alice" };
const READ = { id: "a", query_template: "SELECT count(*) AS n FROM orders" };
/** Runs for a while, so that other calls find it running. */
const SLOW = {
  id: "a",
  query_template:
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000000) SELECT count(*) AS n FROM c",
};

beforeAll(() => {
  createSampleDatabase(join(directory, "shop.db"));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function open(options: Partial<ProgramAppOptions> = {}): Promise<ProgramApp> {
  const own = mkdtempSync(join(directory, "app-"));
  return openApp({
    ...{ port: false, log: silentLog, dataDir: own, organization },
    databaseUrl: `sqlite:${join(own, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    ...options,
  });
}

describe("an app that does not listen", () => {
  it("has no address, and runs the plans of its program", async () => {
    await using app = await open();
    expect(app).not.toHaveProperty("address");
    const { plans } = app.as(AGENT);
    const { plan_id } = await plans.submit({ steps: [READ] });
    expect(await plans.run(plan_id)).toMatchObject({ status: "completed" });
  });

  it("needs an organization, the caller's or its own", async () => {
    const dataDir = mkdtempSync(join(directory, "app-"));
    await using app = await openApp({ port: false, log: silentLog, dataDir });
    const missing = { code: "UNAUTHENTICATED", status: 401 };
    expect(() => app.as(AGENT)).toThrow(expect.objectContaining(missing) as Error);
    const { plans } = app.as({ ...AGENT, orgId: organization });
    // Nothing is stored in memory only.
    await expect(plans.submit({ steps: [READ] })).rejects.toMatchObject({
      code: "ORCHESTRATOR_NOT_CONFIGURED",
    });
  });

  it("shares nothing with its program: neither a plan to submit nor an answer", async () => {
    await using app = await open();
    const { plans } = app.as(AGENT);
    const step = { ...READ, depends_on: [] as string[] };
    const submitted = plans.submit({
      steps: [step, { id: "b", query_template: "SELECT 1 AS n", depends_on: ["a"] }],
    });
    step.query_template = "SELECT 2 AS n";
    const { plan_id } = await submitted;
    expect((await plans.getStep({ plan_id, step_id: "a" })).definition.query_template).toBe(
      READ.query_template,
    );
    const plan = await plans.getPlan({ plan_id });
    // A program in JavaScript may do so.
    for (const { depends_on } of plan.steps) (depends_on as string[]).push("c");
    expect((await plans.getPlan({ plan_id })).steps.map(({ depends_on }) => depends_on)).toEqual([
      [],
      ["a"],
    ]);
  });

  it("answers the calls under way when it closes, refuses others, and ends streams", async () => {
    const app = await open();
    const { plans } = app.as(AGENT);
    const { plan_id } = await plans.submit({ steps: [SLOW, { ...READ, id: "b" }] });
    const running = plans.execute(plan_id, "a");
    const events = plans.watch(plan_id)[Symbol.asyncIterator]();
    for (let type = ""; type !== "PlanStepStarted";) {
      const next = await events.next();
      type = next.done === true ? "" : next.value.event_type;
    }
    const closed = app[Symbol.asyncDispose]();
    const gone = { code: "UNREACHABLE", message: "The app is closed" };
    await expect(plans.getPlan({ plan_id })).rejects.toMatchObject(gone);
    await expect(untilEnd(events)).rejects.toMatchObject(gone);
    expect((await running).step_result.status).toBe("completed");
    await closed;
    await expect(plans.getPlan({ plan_id })).rejects.toMatchObject(gone);
  });

  it("rejects an aborted call with the signal's reason, and lets its step end", async () => {
    await using app = await open();
    const { plans } = app.as(AGENT);
    const { plan_id } = await plans.submit({ steps: [SLOW] });
    const [abort, reason] = [new AbortController(), new Error("no longer needed")];
    const running = plans.execute(plan_id, "a", { signal: abort.signal });
    const rejected = expect(running).rejects.toBe(reason);
    for await (const { event_type } of plans.watch(plan_id)) {
      if (event_type === "PlanStepStarted") abort.abort(reason);
    }
    await rejected;
    await expect(plans.getPlan({ plan_id }, abort)).rejects.toBe(reason);
    expect((await plans.execute(plan_id, "a")).replayed).toBe(true);
    await expect(rest(plans.watch(plan_id, abort))).rejects.toBe(reason);
  });

  it("limits streams and requests as over the network, until a reader leaves", async () => {
    await using app = await open({ quotas: { requestsPerSecond: 10, stepsMax: 1, streamsMax: 1 } });
    const { plans } = app.as(AGENT);
    const { plan_id } = await plans.submit({ steps: [READ] });
    const over = { code: "QUOTA_EXCEEDED", status: 429 };
    for await (const { sequence } of plans.watch(plan_id)) {
      expect(sequence).toBe(1);
      await expect(rest(plans.watch(plan_id))).rejects.toMatchObject(over);
      break;
    }
    for await (const { sequence } of plans.watch(plan_id)) {
      expect(sequence).toBe(1);
      break;
    }
    const all = Promise.all(Array.from({ length: 20 }, () => plans.getPlan({ plan_id })));
    await expect(all).rejects.toMatchObject({
      ...over,
      retryAfterMs: expect.any(Number) as number,
    });
  });
});

function rest(items: AsyncIterable<unknown>): Promise<void> {
  return untilEnd(items[Symbol.asyncIterator]());
}

async function untilEnd(items: AsyncIterator<unknown>): Promise<void> {
  while ((await items.next()).done !== true);
}
