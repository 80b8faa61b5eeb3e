import { expect, it } from "vitest";
import { swept } from "../../plans/engine/testing/swept.js";
import type { PlanRef } from "../../plans/ports.js";
import type { PlanBattery } from "./plan-store-battery.js";
import { failed, newPlan, ORG, OTHER_ORG, step } from "./sample-plans.js";

/** What every engine must do for whole plans: submission, reading, events, cancels, retries and deadlines. */
export function planCases(battery: PlanBattery): void {
  const { clock, store, restart, submit, claim, finish, events } = battery;

  it("keeps a plan as submitted, pending, with its first event", async () => {
    const ref = await submit([step("a"), step("b", ["a"])], { name: "report", sessionId: "s1" });
    await restart();
    const plan = await store().plans.findPlan(ref);
    expect(plan).toMatchObject({
      planId: ref.planId,
      name: "report",
      sessionId: "s1",
      status: "pending",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect(plan?.steps.map((s) => [s.stepId, s.status, s.attempt, s.dependsOn])).toEqual([
      ["a", "pending", 0, []],
      ["b", "pending", 0, ["a"]],
    ]);
    expect((await events(ref)).map((e) => [e.sequence, e.eventType])).toEqual([[1, "PlanCreated"]]);
  });

  it("hides a plan from every other organization", async () => {
    const ref = await submit([step("a")]);
    const foreign = { ...ref, orgId: OTHER_ORG };
    expect(await store().plans.findPlan(foreign)).toBeUndefined();
    expect((await store().plans.listPlans(OTHER_ORG, {}, { limit: 10 })).plans).toEqual([]);
    const unknown = { code: "PLAN_NOT_FOUND" };
    await expect(store().plans.claimStep({ ...foreign, stepId: "a" }, "o")).rejects.toMatchObject(
      unknown,
    );
    await expect(store().plans.readEvents(foreign, 0, 10)).rejects.toMatchObject(unknown);
    await expect(store().plans.cancelPlan(foreign, "no")).rejects.toMatchObject(unknown);
    await expect(store().plans.retryPlan(foreign, clock().nowMs() + 1000)).rejects.toMatchObject(
      unknown,
    );
  });

  it("answers a repeated request under one idempotency key with the first plan", async () => {
    const idempotency = { key: "k1", requestHash: "h1" };
    const plans = await Promise.all(
      [1, 2, 3].map(() => store().plans.createPlan(newPlan(clock(), [step("a")], { idempotency }))),
    );
    expect(new Set(plans.map((plan) => plan.planId)).size).toBe(1);
    await restart();
    const again = await store().plans.createPlan(newPlan(clock(), [step("a")], { idempotency }));
    expect(again.planId).toBe(plans[0]?.planId);
    expect((await store().plans.listPlans(ORG, {}, { limit: 10 })).plans).toHaveLength(1);
  });

  it("refuses another request under a used idempotency key, and keeps keys per organization", async () => {
    const idempotency = { key: "k1", requestHash: "h1" };
    await submit([step("a")], { idempotency });
    await expect(
      submit([step("a")], { idempotency: { key: "k1", requestHash: "h2" } }),
    ).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
    const elsewhere = newPlan(clock(), [step("a")], { idempotency });
    await store().plans.createPlan({ ...elsewhere, ref: { ...elsewhere.ref, orgId: OTHER_ORG } });
  });

  it("lists newest first, filtered, page by page", async () => {
    const refs: PlanRef[] = [];
    for (let index = 0; index < 5; index += 1) {
      refs.push(await submit([step("a")], { sessionId: index % 2 === 0 ? "even" : "odd" }));
      clock().advance(1);
    }
    const newestFirst = refs.map((ref) => ref.planId).reverse();
    const first = await store().plans.listPlans(ORG, {}, { limit: 3 });
    expect(first.plans.map((plan) => plan.planId)).toEqual(newestFirst.slice(0, 3));
    const second = await store().plans.listPlans(
      ORG,
      {},
      { limit: 3, ...(first.nextCursor === undefined ? {} : { cursor: first.nextCursor }) },
    );
    expect(second.plans.map((plan) => plan.planId)).toEqual(newestFirst.slice(3));
    expect(second.nextCursor).toBeUndefined();
    const odd = await store().plans.listPlans(ORG, { sessionId: "odd" }, { limit: 10 });
    expect(odd.plans).toHaveLength(2);
    const second3 = newestFirst[2] ?? "";
    for (const [text, found] of [
      ["ODD", 2],
      [second3.toUpperCase(), 1],
      ["%", 0],
      ["odd\\", 0],
    ] as const) {
      const page = await store().plans.listPlans(ORG, { text }, { limit: 10 });
      expect(page.plans).toHaveLength(found);
    }
    const running = await store().plans.listPlans(ORG, { status: "running" }, { limit: 10 });
    expect(running.plans).toEqual([]);
  });

  it("numbers events without gaps whatever finishes at once", async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `s${String(i)}`);
    const ref = await submit(ids.map((id) => step(id)));
    await Promise.all(ids.map(async (id) => finish(await claim(ref, id))));
    const log = await events(ref);
    expect(log.map((event) => event.sequence)).toEqual(log.map((_, index) => index + 1));
    expect(log.at(-1)?.eventType).toBe("PlanCompleted");
    await restart();
    expect(await events(ref)).toEqual(log);
  });

  it("reads events from a cursor, and refuses one beyond the log", async () => {
    const ref = await submit([step("a")]);
    await finish(await claim(ref, "a"));
    const log = await events(ref);
    expect(await store().plans.readEvents(ref, 2, 2)).toEqual(log.slice(2, 4));
    expect(await store().plans.readEvents(ref, log.length, 10)).toEqual([]);
    await expect(store().plans.readEvents(ref, log.length + 1, 10)).rejects.toMatchObject({
      code: "CURSOR_OUT_OF_RANGE",
    });
  });

  it("wakes whoever waits for a plan's events after they can be read", async () => {
    const ref = await submit([step("a", [], { intent: "write_insert" })]);
    let woken = 0;
    const unsubscribe = store().plans.onPlanEvents(ref.planId, () => (woken += 1));
    const attempt = await claim(ref, "a");
    expect(woken).toBeGreaterThan(0);
    unsubscribe();
    const before = woken;
    await finish(attempt);
    expect(woken).toBe(before);
  });

  it("fails a plan with its step, skipping the rest, and runs it on when it is retried", async () => {
    const ref = await submit([step("a"), step("b"), step("c", ["b"])]);
    await finish(await claim(ref, "a"));
    await finish(await claim(ref, "b"), failed("no such table"));
    const plan = await store().plans.findPlan(ref);
    expect(plan?.status).toBe("failed");
    expect(plan?.steps.map((s) => s.status)).toEqual(["completed", "failed", "skipped"]);
    const stored = await store().plans.claimStep({ ...ref, stepId: "b" }, "owner");
    expect(stored).toMatchObject({
      kind: "finished",
      execution: { stepResult: { error: { message: "no such table" } } },
    });
    await restart();
    const retried = await store().plans.retryPlan(ref, clock().nowMs() + 1000);
    expect(retried.status).toBe("running");
    expect(retried.steps.map((s) => s.status)).toEqual(["completed", "pending", "pending"]);
    const again = await claim(ref, "b");
    expect(again.attempt).toBe(2);
    await finish(again);
    await finish(await claim(ref, "c"));
    expect((await store().plans.findPlan(ref))?.status).toBe("completed");
    await expect(store().plans.retryPlan(ref, clock().nowMs() + 1000)).rejects.toMatchObject({
      code: "PLAN_NOT_ACTIVE",
    });
  });

  it("ends a cancelled plan at once when nothing runs, else with the running step", async () => {
    const idle = await submit([step("a")]);
    expect((await store().plans.cancelPlan(idle, "enough")).status).toBe("cancelled");
    expect((await store().plans.cancelPlan(idle, "again")).status).toBe("cancelled");
    const busy = await submit([step("a"), step("b")]);
    const attempt = await claim(busy, "a");
    expect((await store().plans.cancelPlan(busy, "enough")).status).toBe("running");
    const refused = await store().plans.claimStep({ ...busy, stepId: "b" }, "owner");
    expect(refused).toMatchObject({ kind: "refused", refusal: { code: "PLAN_NOT_ACTIVE" } });
    await finish(attempt, { kind: "cancelled", durationMs: 1 });
    const plan = await store().plans.findPlan(busy);
    expect(plan?.status).toBe("cancelled");
    expect(plan?.steps.map((s) => s.status)).toEqual(["cancelled", "skipped"]);
  });

  it("refuses to cancel a plan that has completed", async () => {
    const ref = await submit([step("a")]);
    await finish(await claim(ref, "a"));
    await expect(store().plans.cancelPlan(ref, "late")).rejects.toMatchObject({
      code: "PLAN_NOT_ACTIVE",
    });
  });

  it("fails plans whose deadline has passed", async () => {
    const ref = await submit([step("a")], { deadlineMs: clock().nowMs() + 1000 });
    const patient = await submit([step("a")]);
    clock().advance(1001);
    expect(await swept(store().plans)).toEqual([]);
    expect((await store().plans.findPlan(ref))?.status).toBe("failed");
    expect((await store().plans.findPlan(patient))?.status).toBe("pending");
    expect((await events(ref)).map((e) => e.eventType)).toEqual([
      "PlanCreated",
      "PlanStepSkipped",
      "PlanFailed",
    ]);
  });

  it("stores a plan of a thousand steps", async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => `s${String(i)}`);
    const ref = await submit(ids.map((id, i) => step(id, i === 0 ? [] : [`s${String(i - 1)}`])));
    await restart();
    expect((await store().plans.findPlan(ref))?.steps.map((s) => s.stepId)).toEqual(ids);
  });
}
