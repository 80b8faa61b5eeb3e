import { swept } from "../../plans/engine/testing/swept.js";
import { recordedCaller } from "@steward/kernel/caller.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { expect, it } from "vitest";
import { forkedSteps, forkOrigin } from "../../plans/fork.js";
import { LEASE_MS } from "../../plans/limits.js";
import type { PlanRef } from "../../plans/ports.js";
import type { PlanRevision } from "../../plans/transitions.js";
import type { PlanBattery } from "./plan-store-battery.js";
import { completed, failed, OTHER_ORG, step, toolCall } from "./sample-plans.js";

/** What every engine must do for changes of plans under way. */
export function planRevisionCases(battery: PlanBattery): void {
  const { store, restart, submit, claim, finish } = battery;

  const revise = (
    ref: PlanRef,
    change: PlanRevision["change"],
    expectedRevision: number,
    key?: string,
  ) =>
    store().plans.revisePlan(ref, {
      change,
      expectedRevision,
      deadlineMs: battery.clock().nowMs() + 1000,
      request: key === undefined ? undefined : { key, requestHash: JSON.stringify(change) },
    });

  it("keeps revised and appended steps, and runs what a revision says", async () => {
    const ref = await submit([step("a"), step("b", ["a"])], { onFailure: "pause" });
    await finish(await claim(ref, "a"), failed("no such table"));
    await restart();
    const paused = await store().plans.findPlan(ref);
    const waits = { status: "running", waitReason: "awaiting_revision" };
    expect(paused).toMatchObject({ ...waits, onFailure: "pause", revision: 1 });
    expect(paused?.steps[0]).toMatchObject({ status: "failed", waitReason: "awaiting_revision" });
    const mended = {
      ...step("a"),
      queryTemplate: "SELECT 2",
      statement: { sql: "SELECT 2", binds: [] },
    };
    expect(await revise(ref, { kind: "revise", step: mended }, 1)).toEqual({
      ...{ planId: ref.planId, status: "running", revision: 2 },
    });
    const more = [step("c", ["a"]), step("d", ["c"])];
    expect(await revise(ref, { kind: "append", steps: more }, 2)).toMatchObject({ revision: 3 });
    await restart();
    const plan = await store().plans.findPlan(ref);
    expect(plan?.steps.map((s) => [s.stepId, s.status, s.revision, s.dependsOn])).toEqual([
      ["a", "pending", 2, []],
      ["b", "pending", 1, ["a"]],
      ["c", "pending", 3, ["a"]],
      ["d", "pending", 3, ["c"]],
    ]);
    const claimed = await store().plans.claimStep({ ...ref, stepId: "a" }, "owner");
    expect(claimed).toMatchObject({
      kind: "claimed",
      attempt: 2,
      step: { statement: { sql: "SELECT 2" } },
    });
    await finish({ ...ref, stepId: "a", attempt: 2 });
    for (const id of ["b", "c", "d"]) await finish(await claim(ref, id));
    expect(await store().plans.findPlan(ref)).toMatchObject({ status: "completed", revision: 3 });
    const events = await store().plans.readEvents(ref, 0, 100);
    expect(
      events
        .filter((e) => /Appended|Revised/.test(e.eventType))
        .map((e) => [e.eventType, JSON.parse(e.payloadJson)]),
    ).toEqual([
      ["PlanStepRevised", expect.objectContaining({ step_id: "a", step_index: 0, revision: 2 })],
      [
        "PlanStepAppended",
        expect.objectContaining({ step_id: "c", step_index: 2, revision: 3, depends_on: ["a"] }),
      ],
      ["PlanStepAppended", expect.objectContaining({ step_id: "d", step_index: 3, revision: 3 })],
    ]);
  });

  it("keeps who wrote each step, with their rights", async () => {
    const bot = {
      ...NOBODY,
      kind: "agent",
      agentId: "bot",
      userId: "ann",
      roles: ["agent"],
    } as const;
    const key = { ...NOBODY, kind: "apiKey", keyId: "k", permissions: ["manage:schema"] } as const;
    const writers = [recordedCaller(bot), recordedCaller(NOBODY)];
    const byNobody = { writers: [recordedCaller(NOBODY)] };
    const ref = await submit([
      { ...step("a"), writers },
      { ...step("b"), writers },
      { ...step("c"), ...byNobody },
      step("d"),
    ]);
    const more = ["e", "f"].map((id) => ({ ...step(id), writers: [recordedCaller(key)] }));
    await revise(ref, { kind: "append", steps: [step("before"), ...more] }, 1);
    await restart();
    const { prepared, state } = await store().plans.loadPlan(ref);
    expect(prepared.map((each) => [each.id, each.writers])).toEqual([
      ["a", writers],
      ["b", writers],
      ["c", byNobody.writers],
      ["d", undefined],
      ["before", undefined],
      ["e", [recordedCaller(key)]],
      ["f", [recordedCaller(key)]],
    ]);
    expect(state.authors).toEqual(["ann"]);
  });

  it("makes a change once under its idempotency key, and refuses one that comes too late", async () => {
    const ref = await submit([step("a")]);
    const change = { kind: "append", steps: [step("b")] } as const;
    const told = await Promise.all([1, 2, 3].map(() => revise(ref, change, 1, "k")));
    expect(told.map(({ revision }) => revision)).toEqual([2, 2, 2]);
    await restart();
    expect(await revise(ref, change, 1, "k")).toMatchObject({ revision: 2 });
    expect((await store().plans.findPlan(ref))?.steps).toHaveLength(2);
    const other = { kind: "append", steps: [step("c")] } as const;
    await expect(revise(ref, other, 2, "k")).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
    await expect(revise(ref, other, 1)).rejects.toMatchObject({ code: "REVISION_CONFLICT" });
  });

  it("records the calls of a step as it was when it ran", async () => {
    const ref = await submit([step("a")], { onFailure: "pause" });
    const call = (stepId: string, number: number, query: string) => {
      const attempt = { ...ref, stepId, attempt: number };
      const isFirst = stepId === "a" && number === 1;
      const outcome = isFirst ? failed("no such table") : completed();
      const toolName = stepId === "z" ? "other" : "sql";
      return store().plans.finishStep(attempt, outcome, { ...toolCall(attempt), query, toolName });
    };
    await claim(ref, "a");
    await call("a", 1, "SELECT 1");
    const mended = { ...step("a"), queryTemplate: "SELECT 2" };
    await revise(ref, { kind: "revise", step: mended }, 1);
    await revise(
      ref,
      { kind: "append", steps: [{ ...step("z"), toolName: "other", queryTemplate: "SELECT 3" }] },
      2,
    );
    await claim(ref, "a");
    await call("a", 2, "SELECT 2");
    await claim(ref, "z");
    await call("z", 1, "SELECT 3");
    await restart();
    const { calls } = await store().memory.toolCalls.take(10);
    const told = calls.filter(({ planId }) => planId === ref.planId);
    expect(told.map((each) => [each.stepId, each.attempt, each.query, each.toolName])).toEqual([
      ["a", 1, "SELECT 1", "sql"],
      ["a", 2, "SELECT 2", "sql"],
      ["z", 1, "SELECT 3", "other"],
    ]);
  });

  it("forks a plan with references to the outputs of its completed steps", async () => {
    const ref = await submit([step("a"), step("b", ["a"])]);
    await finish(await claim(ref, "a"));
    const source = await store().plans.loadPlan(ref);
    const fork = forkOrigin(source, "b");
    expect(fork.taken).toMatchObject([{ stepId: "a", result: { planId: ref.planId } }]);
    const forked = await submit(forkedSteps(source.prepared), { fork });
    const atRoot = await submit(forkedSteps(source.prepared), { fork: forkOrigin(source, "a") });
    await restart();
    expect(await store().plans.findPlan(forked)).toMatchObject({
      ...{ status: "pending", forkedFrom: ref.planId },
      steps: [{ status: "completed", rowCount: 1 }, { status: "pending" }],
    });
    expect(await store().plans.findPlan(atRoot)).toMatchObject({
      ...{ status: "pending", forkedFrom: ref.planId },
      steps: [{ status: "pending" }, { status: "pending" }],
    });
    const taken = await store().plans.claimStep({ ...forked, stepId: "a" }, "owner");
    expect(taken).toMatchObject({ kind: "finished", execution: { replayed: true } });
    await finish(await claim(forked, "b"));
    const again = await store().plans.loadPlan(forked);
    expect(forkOrigin(again, undefined).taken.map(({ result }) => result.planId)).toEqual([
      ...[ref.planId, forked.planId],
    ]);
    const { calls } = await store().memory.toolCalls.take(10);
    const ofFork = calls.filter(({ planId }) => planId === forked.planId);
    expect(ofFork.map(({ stepId }) => stepId)).toEqual(["b"]);
  });

  it("keeps a plan open whose steps have all completed, until it is finished", async () => {
    const ref = await submit([step("a")], { keepOpen: true });
    const early = store().plans.finishPlan(ref);
    await expect(early).rejects.toMatchObject({ code: "PLAN_NOT_ACTIVE" });
    await finish(await claim(ref, "a"));
    await restart();
    const waiting = { status: "running", keepOpen: true, waitReason: "awaiting_steps" };
    expect(await store().plans.findPlan(ref)).toMatchObject(waiting);
    await revise(ref, { kind: "append", steps: [step("b", ["a"])] }, 1);
    await restart();
    expect((await store().plans.findPlan(ref))?.waitReason).toBeUndefined();
    await finish(await claim(ref, "b"));
    await Promise.all([store().plans.finishPlan(ref), store().plans.finishPlan(ref)]);
    await restart();
    await store().plans.finishPlan(ref);
    const plan = await store().plans.findPlan(ref);
    expect([plan?.status, plan?.keepOpen, plan?.waitReason]).toEqual([
      "completed",
      true,
      undefined,
    ]);
    const told = (await battery.events(ref)).map(({ eventType }) => eventType);
    expect(told.filter((type) => type === "PlanCompleted")).toHaveLength(1);
    const foreign = { ...ref, orgId: OTHER_ORG };
    const unknown = { code: "PLAN_NOT_FOUND" };
    await expect(store().plans.finishPlan(foreign)).rejects.toMatchObject(unknown);
  });

  it("completes an open plan at its deadline, unless a step of it has not completed", async () => {
    const open = { keepOpen: true, deadlineMs: battery.clock().nowMs() + 1000 };
    const done = await submit([step("a")], open);
    await finish(await claim(done, "a"));
    const undone = await submit([step("a"), step("b")], open);
    await finish(await claim(undone, "a"));
    await restart();
    battery.clock().advance(LEASE_MS + 1);
    expect(await swept(store().plans)).toEqual([]);
    expect((await store().plans.findPlan(done))?.status).toBe("completed");
    expect((await store().plans.findPlan(undone))?.status).toBe("failed");
    const told = (await battery.events(done)).map(({ eventType }) => eventType);
    expect(told).toEqual([
      "PlanCreated",
      "PlanStarted",
      "PlanStepStarted",
      "PlanStepExecuted",
      "PlanCompleted",
    ]);
  });

  it("settles a revised step that a crash left behind by its newest form", async () => {
    const ref = await submit([step("a")], { onFailure: "pause" });
    await finish(await claim(ref, "a"), failed("no such table"));
    const write = { ...step("a"), intent: "write_insert" as const, queryTemplate: "INSERT" };
    await revise(ref, { kind: "revise", step: write }, 1);
    await claim(ref, "a");
    await restart();
    battery.clock().advance(LEASE_MS + 1);
    const abandoned = await swept(store().plans);
    expect(abandoned).toMatchObject([
      {
        attempt: { ...ref, stepId: "a", attempt: 2 },
        step: { intent: "write_insert", revision: 2 },
      },
    ]);
  });
}
