import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anonymousCaller, recordedCaller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { uuidV7 } from "@steward/kernel/ids.js";
import { LEASE_MS } from "../plans/limits.js";
import type { ToolCallRecord } from "../kernel/tool-call.js";
import type { Intent } from "../governance/index.js";
import type { PlanEvent, PreparedStep } from "../plans/index.js";
import type { AttemptRef, ClaimResult, NewPlan, PlanRef } from "../plans/ports.js";
import type { StepOutcome } from "../plans/transitions.js";
import type { Store } from "./store.js";
import { approvalCases } from "./testing/approval-battery.js";
import { planRevisionCases, type RevisionBattery } from "./testing/plan-revision-battery.js";

/** An engine under test. */
export type StoreUnderTest = AsyncDisposable &
  Pick<Store, "plans" | "approvals" | "toolCalls" | "usage" | "memory">;

/** A clock that the tests move. */
export class HandClock implements Clock {
  #nowMs: number = Date.parse("2026-01-01T00:00:00.000Z");

  nowMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

/**
 * The required behaviour of every engine for plans and tool calls. Within one test, each call of
 * `open` opens the same database, as a restarted process would.
 */
export function planStoreBattery(
  engine: string,
  open: (clock: Clock) => Promise<StoreUnderTest>,
): void {
  describe(`plan store on ${engine}`, () => {
    let clock: HandClock;
    let store: StoreUnderTest;

    beforeEach(async () => {
      clock = new HandClock();
      store = await open(clock);
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });

    const restart = async (): Promise<void> => {
      await store[Symbol.asyncDispose]();
      store = await open(clock);
    };
    const submit = async (steps: readonly PreparedStep[], over: Partial<NewPlan> = {}) => {
      const plan = newPlan(clock, steps, over);
      await store.plans.createPlan(plan);
      return plan.ref;
    };
    const claim = async (ref: PlanRef, stepId: string): Promise<AttemptRef> => {
      const result = await store.plans.claimStep({ ...ref, stepId }, "owner");
      expect(result.kind).toBe("claimed");
      return { ...ref, stepId, attempt: claimed(result).attempt };
    };
    const finish = async (attempt: AttemptRef, outcome: StepOutcome = completed()) =>
      store.plans.finishStep(attempt, outcome, toolCall(attempt));
    const events = (ref: PlanRef): Promise<readonly PlanEvent[]> =>
      store.plans.readEvents(ref, 0, 1000);

    const battery: RevisionBattery = {
      store: () => store,
      restart,
      nowMs: () => clock.nowMs(),
      ...{ submit, claim, finish, step, failed },
      finishWith: (attempt, query) =>
        store.plans.finishStep(
          attempt,
          attempt.stepId === "a" && attempt.attempt === 1 ? failed("no such table") : completed(),
          { ...toolCall(attempt), query, toolName: attempt.stepId === "z" ? "other" : "sql" },
        ),
      leasesEnd: () => {
        clock.advance(LEASE_MS + 1);
      },
    };
    planRevisionCases(battery);
    approvalCases(battery);

    it("keeps a plan as submitted, pending, with its first event", async () => {
      const ref = await submit([step("a"), step("b", ["a"])], { name: "report", sessionId: "s1" });
      await restart();
      const plan = await store.plans.findPlan(ref);
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
      expect((await events(ref)).map((e) => [e.sequence, e.eventType])).toEqual([
        [1, "PlanCreated"],
      ]);
    });

    it("hides a plan from every other organization", async () => {
      const ref = await submit([step("a")]);
      const foreign = { ...ref, orgId: OTHER_ORG };
      expect(await store.plans.findPlan(foreign)).toBeUndefined();
      expect((await store.plans.listPlans(OTHER_ORG, {}, { limit: 10 })).plans).toEqual([]);
      const unknown = { code: "PLAN_NOT_FOUND" };
      await expect(store.plans.claimStep({ ...foreign, stepId: "a" }, "o")).rejects.toMatchObject(
        unknown,
      );
      await expect(store.plans.readEvents(foreign, 0, 10)).rejects.toMatchObject(unknown);
      await expect(store.plans.cancelPlan(foreign, "no")).rejects.toMatchObject(unknown);
      await expect(store.plans.retryPlan(foreign, clock.nowMs() + 1000)).rejects.toMatchObject(
        unknown,
      );
    });

    it("answers a repeated request under one idempotency key with the first plan", async () => {
      const idempotency = { key: "k1", requestHash: "h1" };
      const plans = await Promise.all(
        [1, 2, 3].map(() => store.plans.createPlan(newPlan(clock, [step("a")], { idempotency }))),
      );
      expect(new Set(plans.map((plan) => plan.planId)).size).toBe(1);
      await restart();
      const again = await store.plans.createPlan(newPlan(clock, [step("a")], { idempotency }));
      expect(again.planId).toBe(plans[0]?.planId);
      expect((await store.plans.listPlans(ORG, {}, { limit: 10 })).plans).toHaveLength(1);
    });

    it("refuses another request under a used idempotency key, and keeps keys per organization", async () => {
      const idempotency = { key: "k1", requestHash: "h1" };
      await submit([step("a")], { idempotency });
      await expect(
        submit([step("a")], { idempotency: { key: "k1", requestHash: "h2" } }),
      ).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
      const elsewhere = newPlan(clock, [step("a")], { idempotency });
      await store.plans.createPlan({ ...elsewhere, ref: { ...elsewhere.ref, orgId: OTHER_ORG } });
    });

    it("lists newest first, filtered, page by page", async () => {
      const refs: PlanRef[] = [];
      for (let index = 0; index < 5; index += 1) {
        refs.push(await submit([step("a")], { sessionId: index % 2 === 0 ? "even" : "odd" }));
        clock.advance(1);
      }
      const newestFirst = refs.map((ref) => ref.planId).reverse();
      const first = await store.plans.listPlans(ORG, {}, { limit: 3 });
      expect(first.plans.map((plan) => plan.planId)).toEqual(newestFirst.slice(0, 3));
      const second = await store.plans.listPlans(
        ORG,
        {},
        { limit: 3, ...(first.nextCursor === undefined ? {} : { cursor: first.nextCursor }) },
      );
      expect(second.plans.map((plan) => plan.planId)).toEqual(newestFirst.slice(3));
      expect(second.nextCursor).toBeUndefined();
      const odd = await store.plans.listPlans(ORG, { sessionId: "odd" }, { limit: 10 });
      expect(odd.plans).toHaveLength(2);
      const second3 = newestFirst[2] ?? "";
      for (const [text, found] of [
        ["ODD", 2],
        [second3.toUpperCase(), 1],
        ["%", 0],
        ["odd\\", 0],
      ] as const) {
        const page = await store.plans.listPlans(ORG, { text }, { limit: 10 });
        expect(page.plans).toHaveLength(found);
      }
      const running = await store.plans.listPlans(ORG, { status: "running" }, { limit: 10 });
      expect(running.plans).toEqual([]);
    });

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
      const replay = await store.plans.claimStep({ ...ref, stepId: "a" }, "other");
      const execution = first.kind === "ended" ? first.execution : undefined;
      expect(replay).toEqual({ kind: "finished", execution: { ...execution, replayed: true } });
      expect((await store.plans.findPlan(ref))?.status).toBe("completed");
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
        const result = claimed(await store.plans.claimStep(attempt, "owner"));
        const released = { kind: "released" } as const;
        await store.plans.finishStep({ ...attempt, attempt: result.attempt }, released, undefined);
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
          store.plans.claimStep({ ...ref, stepId: "a" }, `owner-${String(i)}`),
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
      expect((await store.memory.toolCalls.take(10)).calls).toHaveLength(1);
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
      expect(await store.plans.readEvents(ref, 2, 2)).toEqual(log.slice(2, 4));
      expect(await store.plans.readEvents(ref, log.length, 10)).toEqual([]);
      await expect(store.plans.readEvents(ref, log.length + 1, 10)).rejects.toMatchObject({
        code: "CURSOR_OUT_OF_RANGE",
      });
    });

    it("wakes whoever waits for a plan's events after they can be read", async () => {
      const ref = await submit([step("a", [], { intent: "write_insert" })]);
      let woken = 0;
      const unsubscribe = store.plans.onPlanEvents(ref.planId, () => (woken += 1));
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
      const plan = await store.plans.findPlan(ref);
      expect(plan?.status).toBe("failed");
      expect(plan?.steps.map((s) => s.status)).toEqual(["completed", "failed", "skipped"]);
      const stored = await store.plans.claimStep({ ...ref, stepId: "b" }, "owner");
      expect(stored).toMatchObject({
        kind: "finished",
        execution: { stepResult: { error: { message: "no such table" } } },
      });
      await restart();
      const retried = await store.plans.retryPlan(ref, clock.nowMs() + 1000);
      expect(retried.status).toBe("running");
      expect(retried.steps.map((s) => s.status)).toEqual(["completed", "pending", "pending"]);
      const again = await claim(ref, "b");
      expect(again.attempt).toBe(2);
      await finish(again);
      await finish(await claim(ref, "c"));
      expect((await store.plans.findPlan(ref))?.status).toBe("completed");
      await expect(store.plans.retryPlan(ref, clock.nowMs() + 1000)).rejects.toMatchObject({
        code: "PLAN_NOT_ACTIVE",
      });
    });

    it.each([
      ["a read", "read_select"],
      ["a write that a crash left behind", "write_insert"],
    ] as const)(
      "tells of the end of %s only what is stored, however soon",
      async (_name, intent) => {
        const attempts = new Map<number, AttemptRef>();
        for (let apart = -20; apart <= 20; apart += 1) {
          const ref = await submit([step("a", [], { intent }), step("b")]);
          attempts.set(apart, await claim(ref, "a"));
        }
        if (intent === "write_insert") await restart();
        for (const [apart, attempt] of attempts) {
          const [answer] = await Promise.all([
            afterTurns(apart, () => store.plans.claimStep(attempt, "another")),
            afterTurns(-apart, () => finish(attempt, completed({ toolOutputJson: '[{"n":1}]' }))),
          ]);
          const told = answer.kind === "finished" ? answer.execution.llmContextUpdate : undefined;
          expect(told?.toolOutputJson ?? answer.kind, `${apart} turns apart`).toBe(
            answer.kind === "running" ? "running" : '[{"n":1}]',
          );
        }
      },
    );

    it("ends a cancelled plan at once when nothing runs, else with the running step", async () => {
      const idle = await submit([step("a")]);
      expect((await store.plans.cancelPlan(idle, "enough")).status).toBe("cancelled");
      expect((await store.plans.cancelPlan(idle, "again")).status).toBe("cancelled");
      const busy = await submit([step("a"), step("b")]);
      const attempt = await claim(busy, "a");
      expect((await store.plans.cancelPlan(busy, "enough")).status).toBe("running");
      const refused = await store.plans.claimStep({ ...busy, stepId: "b" }, "owner");
      expect(refused).toMatchObject({ kind: "refused", refusal: { code: "PLAN_NOT_ACTIVE" } });
      await finish(attempt, { kind: "cancelled", durationMs: 1 });
      const plan = await store.plans.findPlan(busy);
      expect(plan?.status).toBe("cancelled");
      expect(plan?.steps.map((s) => s.status)).toEqual(["cancelled", "skipped"]);
    });

    it("refuses to cancel a plan that has completed", async () => {
      const ref = await submit([step("a")]);
      await finish(await claim(ref, "a"));
      await expect(store.plans.cancelPlan(ref, "late")).rejects.toMatchObject({
        code: "PLAN_NOT_ACTIVE",
      });
    });

    it("keeps a write's claim over a crash, and finds it abandoned when its lease is over", async () => {
      const ref = await submit([step("w", [], { intent: "write_insert" })], { sessionId: "s9" });
      const attempt = await claim(ref, "w");
      expect(await store.plans.sweep(10)).toEqual([]);
      await restart();
      clock.advance(LEASE_MS + 1);
      const [abandoned] = await store.plans.sweep(10);
      expect(abandoned).toMatchObject({ attempt, sessionId: "s9", step: { id: "w" } });
      await store.plans.finishStep(attempt, { kind: "released" }, undefined);
      expect((await claim(ref, "w")).attempt).toBe(2);
      expect((await events(ref)).map((e) => e.eventType)).toContain("PlanStepLeaseExpired");
    });

    it("renews a lease for its owner only", async () => {
      const ref = await submit([step("w", [], { intent: "write_insert" })]);
      const attempt = await claim(ref, "w");
      clock.advance(LEASE_MS - 1);
      expect(await store.plans.renewLease(attempt, "somebody else")).toBe(false);
      expect(await store.plans.renewLease(attempt, "owner")).toBe(true);
      clock.advance(LEASE_MS - 1);
      expect(await store.plans.sweep(10)).toEqual([]);
      clock.advance(2);
      expect(await store.plans.sweep(10)).toHaveLength(1);
    });

    it("fails plans whose deadline has passed", async () => {
      const ref = await submit([step("a")], { deadlineMs: clock.nowMs() + 1000 });
      const patient = await submit([step("a")]);
      clock.advance(1001);
      expect(await store.plans.sweep(10)).toEqual([]);
      expect((await store.plans.findPlan(ref))?.status).toBe("failed");
      expect((await store.plans.findPlan(patient))?.status).toBe("pending");
      expect((await events(ref)).map((e) => e.eventType)).toEqual([
        "PlanCreated",
        "PlanStepSkipped",
        "PlanFailed",
      ]);
    });

    it("holds a retried step back as pending, with the reason", async () => {
      const ref = await submit([step("a")]);
      const error = { code: "STEP_FAILED", message: "database is locked" } as const;
      const retried = { kind: "retried", error, durationMs: 1 } as const;
      expect(await finish(await claim(ref, "a"), retried)).toEqual({ kind: "pending" });
      const plan = await store.plans.findPlan(ref);
      expect(plan?.steps[0]).toMatchObject({
        status: "pending",
        waitReason: "retry_backoff",
        attempt: 1,
        error,
      });
      expect((await claim(ref, "a")).attempt).toBe(2);
    });

    it("keeps who had a tool call run, and what it touched", async () => {
      const ref = await submit([step("a")]);
      const attempt = await claim(ref, "a");
      const kinds: readonly Partial<ToolCallRecord>[] = [
        { caller: recordedCaller(anonymousCaller()), touched: undefined },
        { caller: undefined, touched: { tables: [], functions: [] } },
        {
          caller: {
            ...{ kind: "agent", authenticatedBy: "jwt", userId: "ann", agentId: "a1" },
            ...{ roles: ["agent", "contractor"], permissions: [] },
          },
          dataSource: "shop",
          touched: {
            tables: [
              { name: "orders", columns: ["id", "total"] },
              { name: "__proto__", columns: [] },
            ],
            functions: ["public.total_of"],
          },
        },
        {
          caller: {
            ...{ kind: "apiKey", authenticatedBy: "apikey", keyId: "k1" },
            ...{ roles: [], permissions: ["manage:schema"] },
          },
        },
      ];
      const error = { code: "STEP_FAILED", message: "database is locked" } as const;
      const made: ToolCallRecord[] = [];
      let current = attempt;
      for (const kind of kinds) {
        const record = { ...toolCall(current), ...kind };
        made.push(record);
        const outcome = { kind: "retried", error, durationMs: 1 } as const;
        await store.plans.finishStep(current, outcome, record);
        current = await claim(ref, "a");
      }
      await restart();
      expect((await store.memory.toolCalls.take(10)).calls).toEqual(made);
    });

    it("logs a tool call with the end of its attempt, in order, and keeps each consumer's place", async () => {
      const ref = await submit([step("a"), step("b")]);
      const attempts = [await claim(ref, "a"), await claim(ref, "b")];
      for (const attempt of attempts) await finish(attempt);
      const { calls } = await store.memory.toolCalls.take(10);
      expect(calls).toEqual(attempts.map(toolCall));
      await store.memory.toolCalls.done(await store.memory.toolCalls.take(1));
      await restart();
      expect((await store.memory.toolCalls.take(10)).calls.map(({ stepId }) => stepId)).toEqual([
        "b",
      ]);
    });

    it("tells of tool calls when they are recorded, and of those without a usage row once more", async () => {
      const ref = await submit([step("a"), step("b")]);
      await finish(await claim(ref, "a"));
      await store.usage.recording.recordPending(10);
      const told: string[] = [];
      const unsubscribe = store.toolCalls.onRecorded((calls) => {
        told.push(...calls.map(({ stepId }) => stepId));
      });
      await finish(await claim(ref, "b"));
      expect(told).toEqual(["b"]);
      unsubscribe();
      await restart();
      store.toolCalls.onRecorded((calls) => {
        told.push(...calls.map(({ stepId }) => stepId));
      });
      await store.toolCalls.replay();
      expect(new Set(told.slice(1))).toEqual(new Set(["b"]));
    });

    it("stores a plan of a thousand steps", async () => {
      const ids = Array.from({ length: 1000 }, (_, i) => `s${String(i)}`);
      const ref = await submit(ids.map((id, i) => step(id, i === 0 ? [] : [`s${String(i - 1)}`])));
      await restart();
      expect((await store.plans.findPlan(ref))?.steps.map((s) => s.stepId)).toEqual(ids);
    });
  });
}

/** Runs an action after a number of microtask turns. */
async function afterTurns<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  return work();
}

function claimed(result: ClaimResult): ClaimResult & { readonly kind: "claimed" } {
  if (result.kind !== "claimed") throw new Error(`expected a claim, got ${result.kind}`);
  return result;
}

/** Plan ids are ordered in time, as the service makes them, even within one millisecond. */
let planCount = 0;

function newPlan(clock: Clock, steps: readonly PreparedStep[], over: Partial<NewPlan>): NewPlan {
  planCount += 1;
  const createdAtMs = clock.nowMs();
  return {
    ref: { orgId: ORG, planId: uuidV7(planCount, randomBytes(10)) },
    sessionId: "session",
    name: "plan",
    description: "",
    steps: steps.map((prepared, index) => ({ ...prepared, index })),
    createdAtMs,
    deadlineMs: createdAtMs + 86_400_000,
    ...over,
  };
}

function step(
  id: string,
  dependsOn: readonly string[] = [],
  over: { readonly intent?: Intent; readonly reads?: readonly string[] } = {},
): PreparedStep {
  const { intent = "read_select" } = over;
  return {
    id,
    index: 0,
    name: id,
    toolName: "sql",
    intent,
    intentSource: "explicit",
    statementClass: intent,
    dataSource: "default",
    queryTemplate: "SELECT 1",
    dependsOn,
    schemaTableHints: [],
    statement: {
      sql: "SELECT 1",
      binds: (over.reads ?? []).map((stepId) => ({ stepId, path: [], form: "value" })),
    },
  };
}

function completed(
  context: Partial<Extract<StepOutcome, { kind: "completed" }>["context"]> = {},
): StepOutcome {
  return {
    kind: "completed",
    rowCount: 1,
    durationMs: 1.5,
    context: {
      toolOutputJson: "[]",
      schemaAdditions: [],
      augmentationHints: [],
      ...context,
    },
  };
}

function failed(message: string): StepOutcome {
  return {
    kind: "failed",
    error: { code: "STEP_FAILED", message },
    durationMs: 1,
    context: { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: ["look again"] },
  };
}

function toolCall(attempt: AttemptRef): ToolCallRecord {
  return {
    ...attempt,
    caller: recordedCaller(anonymousCaller()),
    dataSource: "default",
    touched: undefined,
    eventId: uuidOf(`${attempt.planId} ${attempt.stepId} ${String(attempt.attempt)}`),
    sessionId: "session",
    toolName: "sql",
    intent: "read_select",
    intentSource: "explicit",
    ormModel: undefined,
    status: "completed",
    rowCount: 1,
    error: undefined,
    query: "SELECT 1",
    output: "[]",
    finishedAtMs: 1_767_225_600_000,
    durationMs: 1.5,
  };
}

/** A UUID derived from a text. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
