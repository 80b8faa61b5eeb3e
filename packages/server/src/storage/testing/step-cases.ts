import { expect, it } from "vitest";
import { LEASE_MS } from "../../plans/limits.js";
import { swept } from "../../plans/engine/testing/swept.js";
import type { AttemptRef } from "../../plans/ports.js";
import type { PlanBattery } from "./plan-store-battery.js";
import { claimed, completed, step } from "./sample-plans.js";

/** What every engine must do for the claims and the ends of steps. */
export function stepCases(battery: PlanBattery): void {
  const { clock, store, restart, submit, claim, finish, events } = battery;

  it("runs a plan to its end and replays a step byte for byte, also after a restart", async () => {
    const ref = await submit([step("a"), step("b", ["a"])]);
    const outcome = completed({
      toolOutputJson: '[{"n":1.0,"t":"é\\u0000"}]',
      schemaAdditions: [{ tableName: "t", operation: "NEW", tableDefJson: "{}" }],
      augmentationHints: ["Table t now exists."],
    });
    const first = await finish(await claim(ref, "a"), outcome);
    expect(first).toMatchObject({
      kind: "ended",
      execution: { replayed: false, stepResult: { status: "completed" } },
    });
    await finish(await claim(ref, "b"));
    await restart();
    const replay = await store().plans.claimStep({ ...ref, stepId: "a" }, "other");
    const execution = first.kind === "ended" ? first.execution : undefined;
    expect(replay).toMatchObject({ kind: "finished", execution: { ...execution, replayed: true } });
    expect((await store().plans.findPlan(ref))?.status).toBe("completed");
    expect((await events(ref)).map((e) => e.eventType)).toEqual([
      "PlanCreated",
      "PlanStarted",
      "PlanStepStarted",
      "PlanStepExecuted",
      "PlanStepStarted",
      "PlanStepExecuted",
      "PlanCompleted",
    ]);
  });

  it("hands a claim the outputs its statement refers to, with their types, also after a restart", async () => {
    const metadata = {
      types: [
        { name: "id", storage: "it" },
        { name: "v", type: "public.mood", jsonNulls: [1] },
      ],
      cut: { rowsKept: 2, rowCount: 9, isLowerBound: true },
    } as const;
    const kept = { toolOutputJson: '[{"id":"7"}]', outputMetadata: metadata };
    const ref = await submit([
      step("a"),
      step("plain"),
      step("b", ["a", "plain"], { reads: ["a", "plain"] }),
    ]);
    await finish(await claim(ref, "a"), completed(kept));
    await finish(await claim(ref, "plain"), completed({ toolOutputJson: '[{"id":7}]' }));
    const outputs = async () => {
      const attempt = { ...ref, stepId: "b" };
      const result = claimed(await store().plans.claimStep(attempt, "owner"));
      const released = { kind: "released" } as const;
      await store().plans.finishStep({ ...attempt, attempt: result.attempt }, released, undefined);
      return [...result.outputs];
    };
    const expected = [
      ["a", { json: kept.toolOutputJson, metadata }],
      ["plain", { json: '[{"id":7}]' }],
    ];
    expect(await outputs()).toEqual(expected);
    await restart();
    expect(await outputs()).toEqual(expected);
  });

  it("lets one of many claim a step, and tells the others that it runs", async () => {
    const ref = await submit([step("a", [], { intent: "write_insert" })]);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store().plans.claimStep({ ...ref, stepId: "a" }, `owner-${String(i)}`),
      ),
    );
    expect(results.filter((result) => result.kind === "claimed")).toHaveLength(1);
    expect(results.filter((result) => result.kind === "running")).toHaveLength(19);
  });

  it("fences an attempt that is not the running one, and changes nothing", async () => {
    const ref = await submit([step("a", [], { intent: "write_insert" })]);
    const attempt = await claim(ref, "a");
    expect(await finish({ ...attempt, attempt: 7 })).toEqual({ kind: "fenced" });
    expect(await finish(attempt)).toMatchObject({ kind: "ended" });
    expect(await finish(attempt)).toEqual({ kind: "fenced" });
    expect((await store().memory.toolCalls.take(10)).calls).toHaveLength(1);
  });

  it.each([
    ["a read", "read_select"],
    ["a write that a crash left behind", "write_insert"],
  ] as const)("tells of the end of %s only what is stored, however soon", async (_name, intent) => {
    const attempts = new Map<number, AttemptRef>();
    for (let apart = -20; apart <= 20; apart += 1) {
      const ref = await submit([step("a", [], { intent }), step("b")]);
      attempts.set(apart, await claim(ref, "a"));
    }
    if (intent === "write_insert") await restart();
    for (const [apart, attempt] of attempts) {
      const [answer] = await Promise.all([
        afterTurns(apart, () => store().plans.claimStep(attempt, "another")),
        afterTurns(-apart, () => finish(attempt, completed({ toolOutputJson: '[{"n":1}]' }))),
      ]);
      const told = answer.kind === "finished" ? answer.execution.llmContextUpdate : undefined;
      expect(told?.toolOutputJson ?? answer.kind, `${apart} turns apart`).toBe(
        answer.kind === "running" ? "running" : '[{"n":1}]',
      );
    }
  });

  it("keeps a write's claim over a crash, and finds it abandoned when its lease is over", async () => {
    const ref = await submit([step("w", [], { intent: "write_insert" })], { sessionId: "s9" });
    const attempt = await claim(ref, "w");
    expect(await swept(store().plans)).toEqual([]);
    await restart();
    clock().advance(LEASE_MS + 1);
    const [abandoned] = await swept(store().plans);
    expect(abandoned).toMatchObject({ attempt, sessionId: "s9", step: { id: "w" } });
    await store().plans.finishStep(attempt, { kind: "released" }, undefined);
    expect((await claim(ref, "w")).attempt).toBe(2);
    expect((await events(ref)).map((e) => e.eventType)).toContain("PlanStepLeaseExpired");
  });

  it("renews a lease for its owner only", async () => {
    const ref = await submit([step("w", [], { intent: "write_insert" })]);
    const attempt = await claim(ref, "w");
    clock().advance(LEASE_MS - 1);
    expect(await store().plans.renewLease(attempt, "somebody else")).toBe(false);
    expect(await store().plans.renewLease(attempt, "owner")).toBe(true);
    clock().advance(LEASE_MS - 1);
    expect(await swept(store().plans)).toEqual([]);
    clock().advance(2);
    expect(await swept(store().plans)).toHaveLength(1);
  });

  it("holds a retried step back as pending, with the reason", async () => {
    const ref = await submit([step("a")]);
    const error = { code: "STEP_FAILED", message: "database is locked" } as const;
    const retried = { kind: "retried", error, durationMs: 1 } as const;
    expect(await finish(await claim(ref, "a"), retried)).toEqual({ kind: "pending" });
    const plan = await store().plans.findPlan(ref);
    expect(plan?.steps[0]).toMatchObject({
      status: "pending",
      waitReason: "retry_backoff",
      attempt: 1,
      error,
    });
    expect((await claim(ref, "a")).attempt).toBe(2);
  });
}

/** Runs an action after a number of microtask turns. */
async function afterTurns<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  return work();
}
