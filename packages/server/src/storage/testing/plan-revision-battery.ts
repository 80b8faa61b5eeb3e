import { expect, it } from "vitest";
import { forkedSteps, forkOrigin } from "../../plans/fork.js";
import type { PreparedStep } from "../../plans/index.js";
import type { AttemptRef, NewPlan, PlanRef } from "../../plans/ports.js";
import type { PlanRevision, StepOutcome } from "../../plans/transitions.js";
import type { StoreUnderTest } from "../contract.js";

/** What the cases of the plan battery give to those of revisions. */
export interface RevisionBattery {
  /** The store as it is opened at the moment. */
  readonly store: () => StoreUnderTest;
  readonly restart: () => Promise<void>;
  readonly nowMs: () => number;
  readonly submit: (steps: readonly PreparedStep[], over?: Partial<NewPlan>) => Promise<PlanRef>;
  readonly claim: (ref: PlanRef, stepId: string) => Promise<AttemptRef>;
  readonly finish: (attempt: AttemptRef, outcome?: StepOutcome) => Promise<unknown>;
  readonly step: (id: string, dependsOn?: readonly string[]) => PreparedStep;
  readonly failed: (message: string) => StepOutcome;
  /** Ends an attempt: its first fails, a later one completes. The call is recorded with this statement. */
  readonly finishWith: (attempt: AttemptRef, query: string) => Promise<unknown>;
  /** Lets the leases of running steps end. */
  readonly leasesEnd: () => void;
}

/** What every engine must do for changes of plans under way. */
export function planRevisionCases(battery: RevisionBattery): void {
  const { store, restart, submit, claim, finish, step, failed } = battery;

  const revise = (
    ref: PlanRef,
    change: PlanRevision["change"],
    expectedRevision: number,
    key?: string,
  ) =>
    store().plans.revisePlan(ref, {
      change,
      expectedRevision,
      deadlineMs: battery.nowMs() + 1000,
      request: key === undefined ? undefined : { key, requestHash: JSON.stringify(change) },
    });

  it("keeps revised and appended steps, and runs what a revision says", async () => {
    const ref = await submit([step("a"), step("b", ["a"])], { onFailure: "pause" });
    await finish(await claim(ref, "a"), failed("no such table"));
    await restart();
    const paused = await store().plans.findPlan(ref);
    expect(paused).toMatchObject({ status: "running", onFailure: "pause", revision: 1 });
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
    const call = (stepId: string, attempt: number, query: string) =>
      battery.finishWith({ ...ref, stepId, attempt }, query);
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

  it("settles a revised step that a crash left behind by its newest form", async () => {
    const ref = await submit([step("a")], { onFailure: "pause" });
    await finish(await claim(ref, "a"), failed("no such table"));
    const write = { ...step("a"), intent: "write_insert" as const, queryTemplate: "INSERT" };
    await revise(ref, { kind: "revise", step: write }, 1);
    await claim(ref, "a");
    await restart();
    battery.leasesEnd();
    const abandoned = await store().plans.sweep(10);
    expect(abandoned).toMatchObject([
      {
        attempt: { ...ref, stepId: "a", attempt: 2 },
        step: { intent: "write_insert", revision: 2 },
      },
    ]);
  });
}
