import type { TestDatabase } from "@steward/test-postgres";
import assert from "node:assert";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import type { AnnouncedToolCall, Intent } from "../../governance/index.js";
import type { PlanEngine, PreparedStep } from "../../plans/index.js";
import type { AttemptRef, PlanRef } from "../../plans/ports.js";
import type { StepOutcome } from "../../plans/transitions.js";
import type { Store } from "../store.js";
import { recordToolCalls } from "../testing/record-tool-calls.js";
import { acknowledge } from "./tool-calls/unread-calls.js";
import { Database } from "./database.js";
import { openTestStore } from "./testing/open-store.js";
import { nodesMeet } from "./testing/nodes-meet.js";
import { storeDatabase } from "./testing/store-database.js";
import { rowsBetween } from "../testing/rows-between.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const IDS = systemIds(systemClock);

describe("two nodes of one store", () => {
  let database: TestDatabase;
  let a: Store;
  let b: Store;
  beforeEach(async () => {
    database = await storeDatabase();
    a = await openTestStore(database.url);
    b = await openTestStore(database.url);
    await nodesMeet(database);
  });
  afterEach(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("hand a plan over, and a read that one of them runs is not run by the other", async () => {
    const ref = await submit(a.plans, ["a", "b"]);
    const running = await claim(a.plans, ref, "a");
    // Only node A knows of the claim yet.
    expect(await b.plans.claimStep({ ...ref, stepId: "a" }, "b")).toEqual({ kind: "running" });
    await vi.waitFor(async () => {
      const other = await b.plans.claimStep({ ...ref, stepId: "b" }, "b");
      expect(other.kind).toBe("claimed");
    }, 60_000);
    expect(await b.plans.claimStep({ ...ref, stepId: "a" }, "b")).toEqual({ kind: "running" });
    await a.plans.finishStep(running, completed(), undefined);
    const replayed = await b.plans.claimStep({ ...ref, stepId: "a" }, "b");
    expect(replayed).toMatchObject({ kind: "finished", execution: { replayed: true } });
    await b.plans.finishStep({ ...ref, stepId: "b", attempt: 1 }, completed(), undefined);
    expect((await a.plans.findPlan(ref))?.status).toBe("completed");
    const log = await a.plans.readEvents(ref, 0, 100);
    expect(log.map((event) => event.sequence)).toEqual(log.map((_, index) => index + 1));
  });

  it("wake each other when a plan has news", async () => {
    const ref = await submit(a.plans, ["a"]);
    const woken = new Promise<void>((resolve) => b.plans.onPlanEvents(ref.planId, resolve));
    await a.plans.finishStep(await claim(a.plans, ref, "a"), completed(), undefined);
    await woken;
    expect((await b.plans.readEvents(ref, 0, 100)).at(-1)?.eventType).toBe("PlanCompleted");
  });

  it("let one of them claim a write, however many ask at once", async () => {
    const ref = await submit(a.plans, ["w"], "write_insert");
    await released(b.plans, ref);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? a : b).plans.claimStep({ ...ref, stepId: "w" }, `owner-${index}`),
      ),
    );
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === "running")).toHaveLength(19);
  });

  it("take a plan over from a node that has left", async () => {
    const ref = await submit(a.plans, ["a", "b"]);
    await a.plans.finishStep(await claim(a.plans, ref, "a"), completed(), undefined);
    await a[Symbol.asyncDispose]();
    const attempt = await claim(b.plans, ref, "b");
    await b.plans.finishStep(attempt, completed(), undefined);
    expect((await b.plans.findPlan(ref))?.status).toBe("completed");
  });

  it("go on at once with what a node held that was killed and comes back", async () => {
    const dir = mkdtempSync(join(tmpdir(), "steward-node-"));
    const file = join(dir, "node.json");
    await using killed = await openTestStore(database.url, { nodeFile: file });
    const ref = await submit(killed.plans, ["a"]);
    await using back = await openTestStore(database.url, { nodeFile: file });
    expect(await back.plans.claimStep({ ...ref, stepId: "a" }, "back")).toMatchObject({
      kind: "claimed",
    });
    rmSync(dir, { recursive: true });
  });

  it("fence a node that was taken for gone, and whose read another has claimed since", async () => {
    const ref = await submit(a.plans, ["a"]);
    // Simulates that node A hangs before its claim is written: the timer for the write never fires.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const late = await claim(a.plans, ref, "a");
    vi.useRealTimers();
    await database.query("UPDATE plans SET owner_node = NULL");
    const attempt = await claim(b.plans, ref, "a");
    expect(attempt).toEqual(late);
    expect(await a.plans.finishStep(late, completed(), undefined)).toEqual({ kind: "fenced" });
    expect(await b.plans.finishStep(attempt, completed(), undefined)).toMatchObject({
      kind: "ended",
    });
  });

  it("see what a node that was taken for gone has still written", async () => {
    const ref = await submit(a.plans, ["a", "b"], "read_select", [["b", "a"]]);
    const late = await claim(a.plans, ref, "a");
    // Simulates that node A is killed while the end of its step is being sent to the database.
    await database.query("DELETE FROM nodes WHERE node_id = (SELECT owner_node FROM plans)");
    const isEarly = await b.plans.claimStep({ ...ref, stepId: "b" }, "b");
    expect(isEarly).toMatchObject({ kind: "refused" });
    expect(await a.plans.finishStep(late, completed(), undefined)).toMatchObject({ kind: "ended" });
    expect(await b.plans.claimStep({ ...ref, stepId: "b" }, "b")).toMatchObject({
      kind: "claimed",
    });
  });

  it("tell each other that a running step's plan is cancelled", async () => {
    const ref = await submit(a.plans, ["a", "b"]);
    const cancelled = new Promise<PlanRef>((resolve) => a.plans.onCancelRequested(resolve));
    const attempt = await claim(a.plans, ref, "a");
    expect((await b.plans.cancelPlan(ref, "enough")).status).toBe("running");
    expect(await cancelled).toEqual(ref);
    await a.plans.finishStep(attempt, { kind: "cancelled", durationMs: 1 }, undefined);
    expect((await b.plans.findPlan(ref))?.status).toBe("cancelled");
  });

  it("lose a race for one plan without losing what was written beside it", async () => {
    const refs = await Promise.all(["x", "y", "z"].map(() => submit(a.plans, ["a"])));
    // Simulates that node A is presumed dead without knowing it: node B runs one of the steps.
    await database.query("UPDATE plans SET owner_node = NULL WHERE plan_id = $1", [
      refs[1]?.planId,
    ]);
    await claim(b.plans, refs[1] ?? assert.fail(), "a");
    const attempts = await Promise.all(refs.map((ref) => claim(a.plans, ref, "a")));
    const finished = await Promise.all(
      attempts.map((attempt) => a.plans.finishStep(attempt, completed(), undefined)),
    );
    expect(finished.map(({ kind }) => kind)).toEqual(["ended", "fenced", "ended"]);
    const plans = await Promise.all(refs.map((ref) => b.plans.findPlan(ref)));
    expect(plans.map((plan) => plan?.status)).toEqual(["completed", "running", "completed"]);
  });

  it("record each tool call once, and what a node that has left did not", async () => {
    const calls = Array.from({ length: 30 }, () => ({ orgId: ORG }));
    const [onA, onB] = await Promise.all([
      recordToolCalls(a.plans, calls),
      recordToolCalls(b.plans, calls),
    ]);
    const recorded = await Promise.all(
      [a, b, a, b].map(({ usage }) => usage.recording.recordPending(100)),
    );
    expect(recorded.flat()).toHaveLength(60);
    const left = await recordToolCalls(a.plans, calls);
    await a[Symbol.asyncDispose]();
    await vi.waitFor(
      async () => {
        await b.usage.recording.recordPending(100);
        const rows = await rowsBetween(b.usage, ORG, { fromMs: 0, untilMs: 1e15 }, 1000);
        const ids = rows.map(({ event }) => event.id);
        expect(ids.sort()).toEqual([...onA, ...onB, ...left].map((call) => call.eventId).sort());
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  it("keep a plan unsettled whose last call is written while the one before is consumed", async () => {
    const ref = await submit(a.plans, ["a"]);
    await database.query("UPDATE plans SET usage_through = 1");
    await using db = new Database(database.url);
    let consumed: Promise<unknown> = Promise.resolve();
    await db.transaction(async (ending) => {
      await ending.query(
        `INSERT INTO plan_changes (org_id, plan_id, sequence, events, steps)
         SELECT org_id, plan_id, 2, '[]', '[]' FROM plans`,
      );
      await ending.query("UPDATE plans SET finished_at_ms = 1");
      consumed = db.transaction((connection) =>
        acknowledge(connection, "memory", [{ ref, from: 0, through: 1 }]),
      );
      await untilSomebodyWaits(database);
    });
    expect(await consumed).toEqual(new Set([ref.planId]));
    expect(await database.query("SELECT memory_through, is_settled FROM plans")).toEqual([
      { memory_through: 1, is_settled: false },
    ]);
  });

  it("admit together no more calls than a budget has room for", async () => {
    const call = (): AnnouncedToolCall => ({
      eventId: randomUUID(),
      orgId: ORG,
      sessionId: "s",
      toolName: "sql",
      intent: "write_insert",
      ormModel: undefined,
    });
    const budget = { scope: "organization", unit: "aau", period: "day", action: "block" } as const;
    await a.usage.budgets.save(ORG, {
      ...budget,
      id: randomUUID(),
      limit: 10n,
      setBy: "organization",
    });
    const calls = Array.from({ length: 20 }, call);
    const admissions = await Promise.all(
      calls.map(async (each, index) => (index % 2 === 0 ? a : b).reservations?.reserve(each)),
    );
    const admitted = calls.filter((_, index) => admissions[index]?.kind === "admitted");
    expect(admitted).toHaveLength(3);
    const [given, recorded] = admitted;
    await b.reservations?.release(ORG, given?.eventId ?? "");
    // A usage row replaces its call's reservation.
    await recordToolCalls(a.plans, [
      {
        orgId: ORG,
        eventId: recorded?.eventId ?? "",
        intent: "write_insert",
        finishedAtMs: systemClock.nowMs(),
      },
    ]);
    await a.usage.recording.recordPending(10);
    expect(await b.reservations?.reserve(call())).toMatchObject({ kind: "admitted" });
    expect(await a.reservations?.reserve(call())).toMatchObject({
      kind: "refused",
      retryAfterMs: expect.any(Number) as number,
    });
  });

  it("give back what a call reserved whose commit is still under way, after it", async () => {
    const budget = { scope: "organization", unit: "aau", period: "day", action: "block" } as const;
    await a.usage.budgets.save(ORG, {
      ...budget,
      id: randomUUID(),
      limit: 10n,
      setBy: "organization",
    });
    const callId = randomUUID();
    await database.query("BEGIN; SELECT FROM usage_budgets FOR UPDATE");
    await database.query("INSERT INTO usage_reservations VALUES ($1, $2, 's', 3, 0, $3)", [
      ORG,
      callId,
      randomUUID(),
    ]);
    const released = a.reservations?.release(ORG, callId);
    await untilSomebodyWaits(database);
    await database.query("COMMIT");
    await released;
    expect(await database.query("SELECT FROM usage_reservations")).toEqual([]);
  });
});

/** Waits until a transaction waits for another one. */
async function untilSomebodyWaits(database: TestDatabase): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await vi.waitFor(async () => expect(await database.query(waiting)).toHaveLength(1), 60_000);
}

async function submit(
  plans: PlanEngine,
  stepIds: readonly string[],
  intent: Intent = "read_select",
  dependencies: readonly (readonly [stepId: string, on: string])[] = [],
): Promise<PlanRef> {
  const ref = { orgId: ORG, planId: IDS.orderedUuid() };
  const createdAtMs = systemClock.nowMs();
  await plans.createPlan({
    ref,
    sessionId: "s",
    name: "plan",
    description: "",
    steps: stepIds.map((id, index) => ({
      ...step(id, index, intent),
      dependsOn: dependencies.filter(([stepId]) => stepId === id).map(([, on]) => on),
    })),
    createdAtMs,
    deadlineMs: createdAtMs + 86_400_000,
  });
  return ref;
}

async function claim(plans: PlanEngine, ref: PlanRef, stepId: string): Promise<AttemptRef> {
  const claimed = await vi.waitUntil(async () => {
    const result = await plans.claimStep({ ...ref, stepId }, IDS.uuid());
    return result.kind === "claimed" ? result : undefined;
  }, 60_000);
  return { ...ref, stepId, attempt: claimed.attempt };
}

/** Requests a plan until its owner has released it. */
async function released(plans: PlanEngine, ref: PlanRef): Promise<void> {
  await vi.waitUntil(async () => {
    const result = await plans.claimStep({ ...ref, stepId: "none" }, "nobody");
    return result.kind === "refused";
  }, 60_000);
}

function step(id: string, index: number, intent: Intent): PreparedStep {
  return {
    id,
    index,
    name: id,
    toolName: "sql",
    intent,
    intentSource: "explicit",
    statementClass: intent,
    dataSource: "default",
    queryTemplate: "SELECT 1",
    dependsOn: [],
    schemaTableHints: [],
    statement: { sql: "SELECT 1", binds: [] },
  };
}

function completed(): StepOutcome {
  const context = { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] };
  return { kind: "completed", rowCount: 1, durationMs: 1, context };
}
