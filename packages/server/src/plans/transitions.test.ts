import { beforeEach, describe, expect, it } from "vitest";
import { PLAN_EVENTS_MAX } from "./limits.js";
import type { PlanEvent } from "./plan-events.js";
import {
  cancelPlan,
  claimStep,
  createPlan,
  expirePlan,
  finishStep,
  retryPlan,
  type ClaimDecision,
  type PlanChange,
  type PlanState,
  type StepOutcome,
} from "./transitions.js";

const CREATED_MS = Date.parse("2026-01-01T00:00:00.000Z");
const DEADLINE_MS = CREATED_MS + 60_000;
const CONTEXT = { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] };
const COMPLETED: StepOutcome = {
  kind: "completed",
  rowCount: 3,
  durationMs: 2.5,
  context: CONTEXT,
};
const ERROR = { code: "STEP_FAILED", message: "no such table: t" } as const;
const FAILED: StepOutcome = { kind: "failed", error: ERROR, durationMs: 1, context: CONTEXT };
const RETRIED: StepOutcome = { kind: "retried", error: ERROR, durationMs: 1 };
const CANCELLED: StepOutcome = { kind: "cancelled", durationMs: 1 };
const RELEASED: StepOutcome = { kind: "released" };

/** A plan, its log, and a clock that the tests move. */
class Plan {
  state: PlanState;
  events: readonly PlanEvent[];
  nowMs: number = CREATED_MS;

  /** Steps are written as `id` or `id: dependency dependency`. */
  constructor(...lines: readonly string[]) {
    const { events, ...state } = createPlan(
      {
        orgId: "org",
        planId: "plan",
        sessionId: "session",
        name: "report",
        createdAtMs: CREATED_MS,
        deadlineMs: DEADLINE_MS,
      },
      lines.map((line) => {
        const [id = "", dependencies = ""] = line.split(":");
        return { id, dependsOn: dependencies.split(" ").filter((name) => name !== "") };
      }),
    );
    this.state = state;
    this.events = events;
  }

  claim(stepId: string, owner = "owner"): ClaimDecision {
    const decision = claimStep(this.state, stepId, owner, this.nowMs);
    if (decision.kind === "claimed") this.#apply(decision.change());
    return decision;
  }

  /** Ends an attempt, by default the running one. @returns whether it was still the running one. */
  finish(stepId: string, outcome: StepOutcome, attempt = this.step(stepId).attempt): boolean {
    const change = finishStep(this.state, stepId, attempt, outcome, this.nowMs);
    if (change !== undefined) this.#apply(change);
    return change !== undefined;
  }

  run(stepId: string, outcome: StepOutcome = COMPLETED): void {
    expect(this.claim(stepId).kind).toBe("claimed");
    expect(this.finish(stepId, outcome)).toBe(true);
  }

  cancel(): string | undefined {
    return this.#applied(cancelPlan(this.state, "not needed", this.nowMs));
  }

  retry(deadlineMs = DEADLINE_MS): string | undefined {
    return this.#applied(retryPlan(this.state, this.nowMs, deadlineMs));
  }

  expire(): boolean {
    const change = expirePlan(this.state, this.nowMs);
    if (change !== undefined) this.#apply(change);
    return change !== undefined;
  }

  step(stepId: string): PlanState["steps"][number] {
    const step = this.state.steps.find((candidate) => candidate.stepId === stepId);
    if (step === undefined) throw new Error(`no step ${stepId}`);
    return step;
  }

  /** The plan's status, then every step's. */
  get statuses(): string {
    return [this.state.status, ...this.state.steps.map(({ status }) => status)].join(" ");
  }

  /** The log from an event on, as `type step`. */
  log(from = 1): readonly string[] {
    return this.events.slice(from - 1).map(({ eventType, payloadJson }) => {
      const { step_id: stepId } = JSON.parse(payloadJson) as { readonly step_id?: string };
      return stepId === undefined ? eventType : `${eventType} ${stepId}`;
    });
  }

  payload(eventType: string): unknown {
    const event = this.events.findLast((candidate) => candidate.eventType === eventType);
    return JSON.parse(event?.payloadJson ?? "null");
  }

  #applied(change: PlanChange | { readonly refused: string } | undefined): string | undefined {
    if (change === undefined || "refused" in change) return change?.refused;
    this.#apply(change);
    return undefined;
  }

  #apply(change: PlanChange): void {
    this.state = change.plan;
    this.events = [...this.events, ...change.events];
  }
}

describe("a plan that goes well", () => {
  it("starts with its first step and completes with its last", () => {
    const plan = new Plan("a", "b: a");
    expect(plan.statuses).toBe("pending pending pending");
    plan.nowMs += 10;
    plan.claim("a");
    expect(plan.statuses).toBe("running running pending");
    plan.finish("a", COMPLETED);
    plan.nowMs += 10;
    plan.run("b");
    expect(plan.statuses).toBe("completed completed completed");
    expect(plan.log()).toEqual([
      "PlanCreated",
      "PlanStarted",
      "PlanStepStarted a",
      "PlanStepExecuted a",
      "PlanStepStarted b",
      "PlanStepExecuted b",
      "PlanCompleted",
    ]);
    expect(plan.state).toMatchObject({
      startedAtMs: CREATED_MS + 10,
      finishedAtMs: CREATED_MS + 20,
    });
  });

  it("tells in its events what the decisions promise", () => {
    const plan = new Plan("a", "b");
    plan.run("a");
    plan.nowMs += 40;
    plan.run("b");
    expect(plan.payload("PlanCreated")).toEqual({
      session_id: "session",
      name: "report",
      total_steps: 2,
    });
    expect(plan.payload("PlanStepStarted")).toEqual({ step_id: "b", step_index: 1, attempt: 1 });
    expect(plan.payload("PlanStepExecuted")).toEqual({
      step_id: "b",
      step_index: 1,
      status: "completed",
      attempt: 1,
      row_count: 3,
      duration_ms: 2.5,
    });
    expect(plan.payload("PlanCompleted")).toEqual({
      session_id: "session",
      total_steps: 2,
      duration_ms: 40,
    });
    expect(plan.events[1]).toMatchObject({
      planId: "plan",
      sequence: 2,
      timestamp: "2026-01-01T00:00:00.000Z",
    });
  });

  it("numbers its events without gaps and never lets time go back", () => {
    const plan = new Plan("a", "b", "c");
    plan.run("a");
    plan.nowMs -= 5000;
    plan.run("b");
    plan.nowMs += 9000;
    plan.run("c", FAILED);
    expect(plan.events.map(({ sequence }) => sequence)).toEqual(plan.events.map((_, i) => i + 1));
    const times = plan.events.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    expect(plan.step("b").executedAtMs).toBe(CREATED_MS);
  });

  it("is not said to have started before it was created, whatever the clock says", () => {
    const plan = new Plan("a");
    plan.nowMs -= 5000;
    plan.run("a");
    expect(plan.state.startedAtMs).toBe(CREATED_MS);
    expect(plan.payload("PlanCompleted")).toMatchObject({ duration_ms: 0 });
  });
});

describe("claiming a step", () => {
  let plan: Plan;
  beforeEach(() => {
    plan = new Plan("a", "b", "c: b a");
  });
  const refusal = (stepId: string): unknown => {
    const decision = plan.claim(stepId);
    return decision.kind === "refused" ? decision.refusal : decision.kind;
  };

  it("raises its attempt and names its owner", () => {
    plan.claim("a", "me");
    expect(plan.step("a")).toMatchObject({
      attempt: 1,
      owner: "me",
    });
    plan.finish("a", RETRIED);
    plan.claim("a", "you");
    expect(plan.step("a")).toMatchObject({ attempt: 2, owner: "you", error: undefined });
  });

  it("finds an attempt under way, and the result of one that ended", () => {
    plan.claim("a");
    expect(plan.claim("a").kind).toBe("running");
    plan.finish("a", COMPLETED);
    expect(plan.claim("a")).toMatchObject({ kind: "finished", step: { rowCount: 3 } });
    plan.run("b", FAILED);
    expect(plan.claim("b")).toMatchObject({ kind: "finished", step: { error: ERROR } });
  });

  it("is refused until every dependency has completed, naming the missing ones", () => {
    expect(refusal("c")).toMatchObject({
      code: "STEP_DEPENDENCIES_NOT_MET",
      message: "Step c depends on steps that are not completed: b, a",
    });
    plan.run("b");
    plan.claim("a");
    expect(refusal("c")).toMatchObject({
      message: "Step c depends on steps that are not completed: a",
    });
    plan.finish("a", COMPLETED);
    expect(refusal("c")).toBe("claimed");
  });

  it("is refused for a step that the plan does not have", () => {
    expect(refusal("x")).toMatchObject({ code: "STEP_NOT_FOUND" });
  });

  it("is refused when the plan is over, is being cancelled, has failed or is late", () => {
    plan.claim("a");
    plan.cancel();
    expect(refusal("b")).toMatchObject({
      code: "PLAN_NOT_ACTIVE",
      message: "Plan plan is being cancelled",
    });
    plan.finish("a", CANCELLED);
    expect(refusal("b")).toMatchObject({ message: "Step b is skipped: its plan has ended" });
    expect(refusal("a")).toMatchObject({ message: "Step a is cancelled: its plan has ended" });

    plan = new Plan("a", "b", "c");
    plan.claim("a");
    plan.run("b", FAILED);
    expect(refusal("c")).toMatchObject({ message: "Plan plan has failed" });

    plan = new Plan("a");
    plan.nowMs = DEADLINE_MS;
    expect(claimStep(plan.state, "a", "owner", DEADLINE_MS).kind).toBe("claimed");
    plan.nowMs += 1;
    expect(refusal("a")).toMatchObject({
      code: "PLAN_NOT_ACTIVE",
      message: "Plan plan is past its deadline, 2026-01-01T00:01:00.000Z",
    });
  });
});

describe("ending an attempt", () => {
  it("is fenced off when it is not the running one any more", () => {
    const plan = new Plan("a");
    plan.claim("a", "first");
    plan.finish("a", RELEASED);
    plan.claim("a", "second");
    const before = plan.state;
    expect(plan.finish("a", COMPLETED, 1)).toBe(false);
    expect(plan.state).toBe(before);
    expect(plan.finish("a", COMPLETED, 2)).toBe(true);
    expect(plan.finish("a", FAILED, 2)).toBe(false);
    expect(plan.finish("x", COMPLETED, 1)).toBe(false);
    expect(plan.statuses).toBe("completed completed");
    expect(plan.log().filter((event) => event === "PlanCompleted")).toHaveLength(1);
  });

  it("that will be tried again leaves the step waiting, with its error", () => {
    const plan = new Plan("a");
    plan.run("a", RETRIED);
    expect(plan.step("a")).toMatchObject({
      status: "pending",
      waitReason: "retry_backoff",
      error: ERROR,
      attempt: 1,
      owner: undefined,
    });
    expect(plan.payload("PlanStepExecuted")).toMatchObject({ status: "failed", error: ERROR });
    plan.run("a");
    expect(plan.step("a")).toMatchObject({ waitReason: undefined, error: undefined, attempt: 2 });
  });

  it("whose owner died hands the step back", () => {
    const plan = new Plan("a");
    plan.run("a", RELEASED);
    expect(plan.step("a")).toMatchObject({ status: "pending", owner: undefined, attempt: 1 });
    expect(plan.log(3)).toEqual(["PlanStepStarted a", "PlanStepLeaseExpired a"]);
    plan.run("a");
    expect(plan.statuses).toBe("completed completed");
  });

  it("as cancelled is our own mistake while the plan goes on", () => {
    const plan = new Plan("a");
    plan.claim("a");
    expect(() => plan.finish("a", CANCELLED)).toThrow("only a plan that is ending");
  });
});

describe("a plan that fails", () => {
  it("does so with its first failed step, skipping the rest in topological order", () => {
    const plan = new Plan("z: y", "y: b", "a", "b: a", "c");
    plan.run("a", FAILED);
    expect(plan.statuses).toBe("failed skipped skipped failed skipped skipped");
    expect(plan.log(4)).toEqual([
      "PlanStepExecuted a",
      "PlanStepSkipped b",
      "PlanStepSkipped y",
      "PlanStepSkipped z",
      "PlanStepSkipped c",
      "PlanFailed",
    ]);
    expect(plan.payload("PlanFailed")).toEqual({
      failed_step_id: "a",
      reason: "no such table: t",
    });
    expect(plan.payload("PlanStepExecuted")).toMatchObject({ status: "failed", row_count: 0 });
  });

  it("waits for the siblings that run, whose results count", () => {
    const plan = new Plan("a", "b", "c: a", "d");
    plan.claim("a");
    plan.claim("b");
    plan.claim("d");
    plan.finish("b", FAILED);
    expect(plan.statuses).toBe("running running failed pending running");
    plan.finish("a", COMPLETED);
    plan.finish("d", { ...FAILED, error: { code: "STEP_TIMEOUT", message: "too slow" } });
    expect(plan.statuses).toBe("failed completed failed skipped failed");
    expect(plan.payload("PlanFailed")).toMatchObject({ failed_step_id: "b" });
  });

  it("at its deadline names no step, and waits for what runs", () => {
    const plan = new Plan("a", "b");
    expect(plan.expire()).toBe(false);
    plan.claim("a");
    plan.nowMs = DEADLINE_MS + 1;
    expect(plan.expire()).toBe(true);
    expect(plan.expire()).toBe(false);
    expect(plan.statuses).toBe("running running pending");
    plan.finish("a", CANCELLED);
    expect(plan.statuses).toBe("failed cancelled skipped");
    expect(plan.payload("PlanFailed")).toEqual({
      reason: "The plan did not finish by its deadline, 2026-01-01T00:01:00.000Z",
    });
    expect(plan.expire()).toBe(false);
  });
});

describe("cancelling a plan", () => {
  it("ends it at once when nothing runs", () => {
    const plan = new Plan("b: a", "a");
    expect(plan.cancel()).toBeUndefined();
    expect(plan.statuses).toBe("cancelled skipped skipped");
    expect(plan.log()).toEqual([
      "PlanCreated",
      "PlanCancelRequested",
      "PlanStepSkipped a",
      "PlanStepSkipped b",
      "PlanCancelled",
    ]);
    expect(plan.payload("PlanCancelled")).toEqual({ reason: "not needed" });
  });

  it("waits for the running step and tells the truth about it", () => {
    const interrupted = new Plan("a", "b");
    interrupted.claim("a");
    interrupted.cancel();
    expect(interrupted.statuses).toBe("running running pending");
    interrupted.finish("a", CANCELLED);
    expect(interrupted.statuses).toBe("cancelled cancelled skipped");
    expect(interrupted.log(4)).toEqual([
      "PlanCancelRequested",
      "PlanStepCancelled a",
      "PlanStepSkipped b",
      "PlanCancelled",
    ]);

    const tooLate = new Plan("a", "b");
    tooLate.claim("a");
    tooLate.cancel();
    tooLate.finish("a", COMPLETED);
    expect(tooLate.statuses).toBe("cancelled completed skipped");

    const lost = new Plan("a");
    lost.claim("a");
    lost.cancel();
    lost.finish("a", RELEASED);
    expect(lost.statuses).toBe("cancelled skipped");
  });

  it("wins over a step that fails meanwhile or was to be tried again", () => {
    const plan = new Plan("a", "b");
    plan.claim("a");
    plan.claim("b");
    plan.cancel();
    plan.finish("a", FAILED);
    plan.finish("b", RETRIED);
    expect(plan.statuses).toBe("cancelled failed skipped");
    expect(plan.step("b").waitReason).toBeUndefined();
    expect(plan.log()).not.toContain("PlanFailed");
  });

  it("is harmless when repeated and refused when the plan is over", () => {
    const plan = new Plan("a");
    plan.claim("a");
    plan.cancel();
    const events = plan.events.length;
    expect(plan.cancel()).toBeUndefined();
    plan.finish("a", CANCELLED);
    expect(plan.cancel()).toBeUndefined();
    expect(plan.events).toHaveLength(events + 2);
    const done = new Plan("a");
    done.run("a");
    expect(done.cancel()).toBe("Plan plan is completed and cannot be cancelled");
    const failed = new Plan("a");
    failed.run("a", FAILED);
    expect(failed.cancel()).toBe("Plan plan is failed and cannot be cancelled");
  });

  it("is final", () => {
    const plan = new Plan("a");
    plan.cancel();
    expect(plan.retry()).toBe("Plan plan is cancelled; only a failed plan can be retried");
    plan.nowMs = DEADLINE_MS + 1;
    expect(plan.expire()).toBe(false);
  });
});

describe("retrying a failed plan", () => {
  it("keeps what completed, does the rest again, and fences the attempts of before", () => {
    const plan = new Plan("a", "b: a", "c: b");
    plan.run("a");
    plan.run("b", FAILED);
    expect(plan.retry()).toBeUndefined();
    expect(plan.statuses).toBe("running completed pending pending");
    expect(plan.step("a")).toMatchObject({ rowCount: 3, attempt: 1 });
    expect(plan.step("b")).toMatchObject({ attempt: 1, error: undefined, executedAtMs: undefined });
    expect(plan.state).toMatchObject({ finishedAtMs: undefined, failure: undefined });
    expect(plan.payload("PlanRetried")).toEqual({ step_ids: ["b", "c"] });
    plan.claim("b");
    expect(plan.finish("b", COMPLETED, 1)).toBe(false);
    plan.finish("b", COMPLETED, 2);
    plan.run("c");
    expect(plan.statuses).toBe("completed completed completed completed");
    expect(plan.log().filter((event) => event === "PlanStarted")).toHaveLength(1);
    expect(plan.retry()).toBe("Plan plan is completed; only a failed plan can be retried");
  });

  it("gives it a new deadline, which passes like the first", () => {
    const plan = new Plan("a");
    plan.nowMs = DEADLINE_MS + 1;
    plan.expire();
    plan.retry(DEADLINE_MS + 1000);
    expect(plan.claim("a").kind).toBe("claimed");
    plan.finish("a", RETRIED);
    plan.nowMs = DEADLINE_MS + 1001;
    expect(plan.claim("a").kind).toBe("refused");
    expect(plan.expire()).toBe(true);
    expect(plan.statuses).toBe("failed skipped");
  });

  it("starts it when it had never started", () => {
    const plan = new Plan("a");
    plan.nowMs = DEADLINE_MS + 1;
    plan.expire();
    expect(plan.log()).toEqual(["PlanCreated", "PlanStepSkipped a", "PlanFailed"]);
    plan.retry(DEADLINE_MS + 1000);
    plan.run("a");
    expect(plan.log(4)).toEqual([
      "PlanRetried",
      "PlanStarted",
      "PlanStepStarted a",
      "PlanStepExecuted a",
      "PlanCompleted",
    ]);
    expect(plan.state.startedAtMs).toBe(DEADLINE_MS + 1);
  });
});

describe("a log that is nearly full", () => {
  it("starts no more steps, so that the plan can still be ended within the limit", () => {
    for (const last of [RETRIED, RELEASED, COMPLETED, FAILED, CANCELLED]) {
      const ids = Array.from({ length: 20 }, (_, index) => `s${String(index)}`);
      const plan = new Plan(...ids);
      plan.state = { ...plan.state, lastSequence: PLAN_EVENTS_MAX - 80 };
      for (const id of ids) plan.claim(id);
      while (plan.claim("s0").kind !== "refused" && plan.step("s0").status === "running") {
        plan.finish("s0", RETRIED);
      }
      expect(plan.claim("s0")).toMatchObject({ refusal: { code: "LIMIT_EXCEEDED" } });
      plan.cancel();
      for (const id of ids) plan.finish(id, last);
      expect(plan.state.status).toBe("cancelled");
      expect(plan.state.lastSequence).toBeLessThanOrEqual(PLAN_EVENTS_MAX);
    }
  });

  it("refuses a retry that could not be run", () => {
    const plan = new Plan("a");
    plan.run("a", FAILED);
    plan.state = { ...plan.state, lastSequence: PLAN_EVENTS_MAX - 5 };
    expect(plan.retry()).toBe(`The plan's log is full: ${String(PLAN_EVENTS_MAX)} events`);
  });
});

describe("a plan of a thousand steps", () => {
  it("is claimed and finished step by step in a moment, and skipped as a whole", () => {
    const chain = Array.from({ length: 1000 }, (_, index) =>
      index === 0 ? "s0" : `s${String(index)}: s${String(index - 1)}`,
    );
    const plan = new Plan(...chain);
    plan.run("s0");
    plan.run("s1", FAILED);
    expect(plan.events).toHaveLength(6 + 998 + 1);
    expect(plan.log(7)[0]).toBe("PlanStepSkipped s2");
  });
});
