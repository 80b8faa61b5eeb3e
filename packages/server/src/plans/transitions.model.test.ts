import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forkOrigin } from "./fork.js";
import { isTerminalEvent, type PlanEvent } from "./plan-events.js";
import type { PlanStatus, PreparedStep, StepStatus } from "./plan.js";
import { awaitsSteps, type ForkOrigin } from "./plan-state.js";
import {
  cancelPlan,
  claimStep,
  createPlan,
  expirePlan,
  finishPlan,
  finishStep,
  retryPlan,
  revisePlan,
  type PlanChange,
  type PlanRevision,
  type PlanState,
  type StepOutcome,
} from "./transitions.js";

/**
 * Random commands of several clients against a plan, compared with a model that does not use the
 * code: sets and flags taken from Decision §3. After every command the statuses must equal the
 * model's, and the statuses reconstructed from the log alone must be the same.
 */

const TIME_MS = 100_000;
const CONTEXT = { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] };
const ERROR = { code: "STEP_FAILED", message: "failed" } as const;
/** Approvals have a model of their own (plan-approval.model.test.ts). */
type Outcome = Exclude<StepOutcome["kind"], "awaiting_approval">;
const OUTCOMES: Readonly<Record<Outcome, StepOutcome>> = {
  completed: { kind: "completed", rowCount: 1, durationMs: 1, context: CONTEXT },
  failed: { kind: "failed", error: ERROR, durationMs: 1, context: CONTEXT },
  retried: { kind: "retried", error: ERROR, durationMs: 1 },
  cancelled: { kind: "cancelled", durationMs: 1 },
  released: { kind: "released" },
};

/** The dependencies of each step, by index. */
type Shape = readonly (readonly number[])[];

/** An attempt that a client considers running. */
interface Held {
  readonly step: number;
  readonly attempt: number;
}

/** How a plan was submitted. */
interface Kind {
  /** A failed step waits for its revision. */
  readonly pausing: boolean;
  /** The plan waits for further steps when all its steps have completed. */
  readonly open: boolean;
}

/** The model. Steps are identified by their indexes. */
class Model {
  plan: PlanStatus = "pending";
  readonly steps: StepStatus[];
  readonly attempts: number[];
  cancelling = false;
  failing = false;
  nowMs = 0;
  deadlineMs: number = TIME_MS;
  /** Attempts that clients consider theirs, even if they have been revoked. */
  readonly held: Held[] = [];
  readonly shape: (readonly number[])[];
  readonly kind: Kind;
  revision = 1;
  /** The request under each idempotency key, and the revision that it made. */
  readonly requests = new Map<
    string,
    { readonly requestHash: string; readonly revision: number }
  >();

  constructor(shape: Shape, kind: Kind) {
    this.shape = [...shape];
    this.kind = kind;
    this.steps = shape.map(() => "pending");
    this.attempts = shape.map(() => 0);
  }

  get active(): boolean {
    return this.plan === "pending" || this.plan === "running";
  }

  claim(step: number): string {
    const status = this.steps[step];
    if (status === "running") return "running";
    if (status === "completed" || status === "failed") return "finished";
    const late = this.nowMs > this.deadlineMs;
    if (status !== "pending" || !this.active || this.cancelling || this.failing || late) {
      return "PLAN_NOT_ACTIVE";
    }
    if (this.shape[step]?.some((before) => this.steps[before] !== "completed") !== false) {
      return "STEP_DEPENDENCIES_NOT_MET";
    }
    this.plan = "running";
    this.steps[step] = "running";
    this.attempts[step] = (this.attempts[step] ?? 0) + 1;
    this.held.push({ step, attempt: this.attempts[step] });
    return "claimed";
  }

  isRunning({ step, attempt }: Held): boolean {
    return this.steps[step] === "running" && this.attempts[step] === attempt;
  }

  finish(step: number, outcome: Outcome): void {
    this.steps[step] = outcome === "retried" || outcome === "released" ? "pending" : outcome;
    if (outcome === "failed" && !this.kind.pausing) this.failing = true;
    this.settle();
  }

  settle(): void {
    if (this.steps.includes("running")) return;
    if (this.cancelling) this.end("cancelled");
    else if (this.failing) this.end("failed");
    else if (this.isDone && !this.kind.open) this.plan = "completed";
  }

  get isDone(): boolean {
    return this.steps.every((status) => status === "completed");
  }

  /** Whether only a finish, a cancel or the deadline ends the plan, unless steps are appended. */
  get awaitsSteps(): boolean {
    return this.active && this.isDone && !this.cancelling && !this.failing;
  }

  end(status: PlanStatus): void {
    this.plan = status;
    for (const [step, was] of this.steps.entries()) {
      if (was === "pending") this.steps[step] = "skipped";
    }
  }

  /** The expected result of a change that names no step. */
  change({ expectedRevision, request }: PlanRevision, refusal: string | undefined): string {
    const earlier = this.requests.get(request?.key ?? "");
    if (earlier !== undefined) {
      return earlier.requestHash === request?.requestHash ? "repeated" : "IDEMPOTENCY_CONFLICT";
    }
    if (refusal !== undefined) return refusal;
    if (expectedRevision !== this.revision) return "REVISION_CONFLICT";
    this.revision += 1;
    if (request !== undefined) {
      const { key, requestHash } = request;
      this.requests.set(key, { requestHash, revision: this.revision });
    }
    return "changed";
  }

  /** Why nothing of the plan can change; `undefined` when it can. */
  closed(): string | undefined {
    const late = this.nowMs > this.deadlineMs;
    const open = this.active && !this.cancelling && !this.failing && !late;
    return open ? undefined : "PLAN_NOT_ACTIVE";
  }

  revise(step: number, before: readonly number[], revision: PlanRevision): string {
    const status = this.steps[step];
    const over = status === "running" || status === "completed";
    const refusal = over
      ? "STEP_NOT_REVISABLE"
      : this.plan === "failed"
        ? undefined
        : this.closed();
    const kind = this.change(revision, refusal);
    if (kind !== "changed") return kind;
    if (this.plan === "failed") this.retry();
    this.steps[step] = "pending";
    this.shape[step] = before;
    return kind;
  }

  append(before: readonly number[], revision: PlanRevision): string {
    const kind = this.change(revision, this.closed());
    if (kind !== "changed") return kind;
    this.steps.push("pending");
    this.attempts.push(0);
    this.shape.push(before);
    return kind;
  }

  /** The plan becomes its own fork. @returns false, and changes nothing, when nothing would be left to run. */
  fork(step: number | undefined): boolean {
    const anew = new Set(step === undefined ? [] : [step]);
    // Once for each step, because a step may stand before those that it depends on.
    for (const _round of this.shape) {
      for (const [each, before] of this.shape.entries()) {
        if (before.some((other) => anew.has(other))) anew.add(each);
      }
    }
    const isTaken = this.steps.map((status, each) => status === "completed" && !anew.has(each));
    if (!isTaken.includes(false)) return false;
    for (const [each, taken] of isTaken.entries()) {
      this.steps[each] = taken ? "completed" : "pending";
      if (!taken) this.attempts[each] = 0;
    }
    Object.assign(this, { plan: "pending", revision: 1, cancelling: false, failing: false });
    this.deadlineMs = this.nowMs + TIME_MS;
    this.held.length = 0;
    this.requests.clear();
    return true;
  }

  retry(): void {
    this.plan = "running";
    this.failing = false;
    this.deadlineMs = this.nowMs + TIME_MS;
    for (const [step, was] of this.steps.entries()) {
      if (was !== "completed") this.steps[step] = "pending";
    }
  }
}

/** The real state machine and its log. */
class Real {
  state: PlanState;
  reader: LogReader;

  constructor(shape: Shape, { pausing, open }: Kind, createdAtMs = 0, fork?: ForkOrigin) {
    const { events, ...state } = createPlan(
      {
        ...{ orgId: "o", planId: "p", sessionId: "s", name: "n" },
        ...{ createdAtMs, deadlineMs: createdAtMs + TIME_MS, fork },
        onFailure: pausing ? "pause" : "fail",
        keepOpen: open,
      },
      shape.map((before, step) => ({ id: idOf(step), dependsOn: before.map(idOf) })),
    );
    this.state = state;
    this.reader = new LogReader(shape);
    for (const event of events) this.reader.read(event);
  }

  apply(change: PlanChange): void {
    for (const step of change.steps) expect(step).not.toBe(this.state.steps[step.index]);
    this.state = change.plan;
    for (const event of change.events) this.reader.read(event);
    expect(this.state.lastSequence).toBe(change.events.at(-1)?.sequence ?? this.state.lastSequence);
  }

  finish({ step, attempt }: Held, outcome: Outcome, nowMs: number): boolean {
    const change = finishStep(this.state, idOf(step), attempt, OUTCOMES[outcome], nowMs);
    if (change !== undefined) this.apply(change);
    return change !== undefined;
  }
}

function idOf(step: number): string {
  return `s${String(step)}`;
}

function indexOf(id: string): number {
  return Number(id.slice(1));
}

function prepared(step: number, before: readonly number[]): PreparedStep {
  return {
    ...{ id: idOf(step), index: step, name: "", toolName: "sql", dataSource: "default" },
    ...{ intent: "read_select", intentSource: "explicit", queryTemplate: "" },
    statementClass: "read_select",
    ...{ dependsOn: before.map(idOf), schemaTableHints: [] },
    statement: { sql: "", binds: [] },
  };
}

/** A reader that knows only the plan's log. */
class LogReader {
  /** `failed`: the newest attempt failed; a later event shows whether it is retried. */
  readonly steps: StepStatus[];
  readonly #shape: (readonly number[])[];
  #last: PlanEvent | undefined;
  #started = false;

  constructor(shape: Shape) {
    this.#shape = [...shape];
    this.steps = shape.map(() => "pending");
  }

  read(event: PlanEvent): void {
    expect(event.sequence).toBe((this.#last?.sequence ?? 0) + 1);
    expect(event.timestamp >= (this.#last?.timestamp ?? "")).toBe(true);
    if (this.#last !== undefined && isTerminalEvent(this.#last.eventType)) {
      expect(event.eventType).toBe("PlanRetried");
    }
    this.#last = event;
    const payload = JSON.parse(event.payloadJson) as {
      readonly step_index: number;
      readonly status: StepStatus;
      readonly step_ids: readonly string[];
      readonly depends_on: readonly string[];
    };
    const step = payload.step_index;
    switch (event.eventType) {
      case "PlanStarted":
        expect(this.#started).toBe(false);
        this.#started = true;
        return;
      case "PlanStepStarted":
        expect(this.#started).toBe(true);
        expect(["pending", "failed"]).toContain(this.steps[step]);
        expect(this.#before(step).every((status) => status === "completed")).toBe(true);
        this.steps[step] = "running";
        return;
      case "PlanStepExecuted":
      case "PlanStepCancelled":
      case "PlanStepLeaseExpired":
        expect(this.steps[step]).toBe("running");
        this.steps[step] =
          event.eventType === "PlanStepExecuted"
            ? payload.status
            : event.eventType === "PlanStepCancelled"
              ? "cancelled"
              : "pending";
        return;
      case "PlanStepSkipped":
        expect(["pending", "failed"]).toContain(this.steps[step]);
        // Skipping follows topological order, so no dependency may still be waiting to be skipped.
        expect(this.#before(step)).not.toContain("pending");
        this.steps[step] = "skipped";
        return;
      case "PlanForked":
        for (const id of payload.step_ids) this.steps[indexOf(id)] = "completed";
        return;
      case "PlanRetried":
        for (const id of payload.step_ids) this.steps[Number(id.slice(1))] = "pending";
        return;
      case "PlanStepAppended":
        expect(step).toBe(this.steps.length);
        this.steps[step] = "pending";
        this.#shape[step] = payload.depends_on.map(indexOf);
        return;
      case "PlanStepRevised":
        expect(["pending", "failed"]).toContain(this.steps[step]);
        this.steps[step] = "pending";
        this.#shape[step] = payload.depends_on.map(indexOf);
        return;
      case "PlanCompleted":
        expect(this.steps.every((status) => status === "completed")).toBe(true);
        return;
      case "PlanFailed":
      case "PlanCancelled":
        expect(this.steps).not.toContain("running");
        expect(this.steps).not.toContain("pending");
        return;
      default:
        return;
    }
  }

  #before(step: number): readonly (StepStatus | undefined)[] {
    return (this.#shape[step] ?? []).map((before) => this.steps[before]);
  }
}

type Command = fc.Command<Model, Real>;

/** A command that is always possible; the model predicts its result. */
function command(name: string, run: (model: Model, real: Real) => void): Command {
  return {
    check: () => true,
    run: (model, real) => {
      run(model, real);
      checkInvariants(model, real);
    },
    toString: () => name,
  };
}

function checkInvariants(model: Model, { state, reader }: Real): void {
  expect(state.status).toBe(model.plan);
  expect(state.revision).toBe(model.revision);
  expect(awaitsSteps(state)).toBe(model.awaitsSteps && model.kind.open);
  expect(state.steps.map(({ dependsOn }) => dependsOn)).toEqual(
    model.shape.map((before) => before.map(idOf)),
  );
  expect(state.steps.map(({ status }) => status)).toEqual(model.steps);
  expect(state.steps.map(({ attempt }) => attempt)).toEqual(model.attempts);
  expect(state.finishedAtMs === undefined).toBe(model.active);
  const owned = state.steps.map((step) => step.owner !== undefined);
  expect(owned).toEqual(model.steps.map((status) => status === "running"));
  expect(state.steps.map((step) => step.rowCount !== undefined)).toEqual(
    model.steps.map((status) => status === "completed" || status === "failed"),
  );
  for (const [step, told] of reader.steps.entries()) {
    const known = model.steps[step];
    if (told === "failed") expect(["failed", "pending"]).toContain(known);
    else expect(told).toBe(known);
  }
}

const claim = (step: number): Command =>
  command(`claim ${String(step)}`, (model, real) => {
    const index = step % model.shape.length;
    const decision = claimStep(real.state, idOf(index), "owner", model.nowMs);
    if (decision.kind === "claimed") real.apply(decision.change());
    const kind = decision.kind === "refused" ? decision.refusal.code : decision.kind;
    expect(kind).toBe(model.claim(index));
  });

/** A client that reports an end, possibly of a revoked attempt. */
const finish = (pick: number, outcome: Outcome): Command =>
  command(`finish ${String(pick)} ${outcome}`, (model, real) => {
    const held = model.held[pick % model.held.length];
    if (held === undefined) return;
    // Statements are only interrupted when their plan is being cancelled.
    if (outcome === "cancelled" && !model.cancelling && !model.failing) return;
    const running = model.isRunning(held);
    expect(real.finish(held, outcome, model.nowMs)).toBe(running);
    if (running) model.finish(held.step, outcome);
  });

/** A crash of a client: every running attempt is released, and may still be reported later. */
const crash = command("crash", (model, real) => {
  for (const held of model.held) {
    if (!model.isRunning(held)) continue;
    expect(real.finish(held, "released", model.nowMs)).toBe(true);
    model.finish(held.step, "released");
  }
});

const cancel = command("cancel", (model, real) => {
  const change = cancelPlan(real.state, "reason", model.nowMs);
  const over = model.plan === "completed" || model.plan === "failed";
  expect(change !== undefined && "refused" in change).toBe(over);
  expect(change === undefined).toBe(model.plan === "cancelled" || model.cancelling);
  if (change === undefined || "refused" in change) return;
  real.apply(change);
  model.cancelling = true;
  model.settle();
});

const retry = command("retry", (model, real) => {
  const change = retryPlan(real.state, model.nowMs, model.nowMs + TIME_MS);
  expect("refused" in change).toBe(model.plan !== "failed");
  if ("refused" in change) return;
  real.apply(change);
  model.retry();
});

/** How a change is asked for: perhaps of a plan that was read before another change, perhaps once more. */
interface Asked {
  readonly stale: boolean;
  readonly key: number | undefined;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  stale: fc.nat(5).map((drawn) => drawn === 0),
  key: fc.option(fc.nat(2), { nil: undefined }),
});

function revisionOf(
  model: Model,
  { stale, key }: Asked,
  change: PlanRevision["change"],
): PlanRevision {
  const request =
    key === undefined ? undefined : { key: String(key), requestHash: JSON.stringify(change) };
  const expectedRevision = stale ? model.revision - 1 : model.revision;
  return { change, expectedRevision, deadlineMs: model.nowMs + TIME_MS, request };
}

function decided(real: Real, model: Model, revision: PlanRevision): string {
  const decision = revisePlan(real.state, revision, model.nowMs);
  if (decision.kind === "changed") real.apply(decision.change);
  return decision.kind === "refused" ? decision.code : decision.kind;
}

/** A step loses some of its dependencies. */
const revise = (step: number, mask: number, as: Asked): Command =>
  command(`revise ${String(step)} ${String(mask)} ${JSON.stringify(as)}`, (model, real) => {
    const index = step % model.shape.length;
    const before = (model.shape[index] ?? []).filter((_each, place) => (mask >> place) & 1);
    const revision = revisionOf(model, as, { kind: "revise", step: prepared(index, before) });
    const kind = decided(real, model, revision);
    expect(kind).toBe(model.revise(index, before, revision));
  });

const append = (mask: number, as: Asked): Command =>
  command(`append ${String(mask)} ${JSON.stringify(as)}`, (model, real) => {
    const index = model.shape.length;
    const before = [...model.shape.keys()].filter((each) => (mask >> each) & 1);
    const revision = revisionOf(model, as, { kind: "append", steps: [prepared(index, before)] });
    const kind = decided(real, model, revision);
    expect(kind).toBe(model.append(before, revision));
  });

/** The plan goes on as its fork at a step, or as that of all its completed steps. */
const fork = (pick: number | undefined): Command =>
  command(`fork ${String(pick)}`, (model, real) => {
    const { state } = real;
    const step = pick === undefined ? undefined : pick % model.shape.length;
    const origin = forkOrigin(
      {
        state,
        prepared: model.shape.map((before, index) => prepared(index, before)),
        results: new Map(state.steps.map(({ index }) => [index, { planId: "p", sequence: index }])),
      },
      step === undefined ? undefined : idOf(step),
    );
    const isWorth = origin.taken.length < state.steps.length;
    expect(model.fork(step)).toBe(isWorth);
    if (!isWorth) return;
    Object.assign(real, new Real(model.shape, model.kind, model.nowMs, origin));
  });

const expire = command("expire", (model, real) => {
  const change = expirePlan(real.state, model.nowMs);
  const due = model.active && !model.cancelling && !model.failing;
  expect(change !== undefined).toBe(due && model.nowMs > model.deadlineMs);
  if (change === undefined) return;
  real.apply(change);
  if (model.awaitsSteps) {
    model.plan = "completed";
    return;
  }
  model.failing = true;
  model.settle();
});

const finishOpen = command("finish the plan", (model, real) => {
  const change = finishPlan(real.state, model.nowMs);
  const kind = change === undefined ? "repeated" : "refused" in change ? "refused" : "changed";
  const expected = model.awaitsSteps ? "changed" : "refused";
  expect(kind).toBe(model.plan === "completed" ? "repeated" : expected);
  if (change === undefined || "refused" in change) return;
  real.apply(change);
  model.plan = "completed";
});

const passTime = (ms: number): Command =>
  command(`pass ${String(ms)} ms`, (model) => {
    model.nowMs = Math.max(0, model.nowMs + ms);
  });

/** A plan of up to six steps, in an order unrelated to their dependencies. */
const shape: fc.Arbitrary<Shape> = fc
  .tuple(
    fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
    fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }),
  )
  .map(([order, edges]) => {
    const steps = order.toSorted((a, b) => a - b);
    return steps.map((step) =>
      order
        .slice(0, order.indexOf(step))
        .filter((before) => edges[step * 6 + before])
        .map((before) => steps.indexOf(before)),
    );
  });

const kind: fc.Arbitrary<Kind> = fc.record({ pausing: fc.boolean(), open: fc.boolean() });
const outcome = fc.constantFrom<Outcome>("completed", "completed", "retried");
const commands = fc.commands(
  [
    fc.oneof(
      { weight: 20, arbitrary: fc.nat(5).map(claim) },
      { weight: 20, arbitrary: fc.tuple(fc.nat(20), outcome).map((held) => finish(...held)) },
      { weight: 2, arbitrary: fc.nat(20).map((pick) => finish(pick, "failed")) },
      { weight: 4, arbitrary: fc.nat(20).map((pick) => finish(pick, "cancelled")) },
      { weight: 1, arbitrary: fc.constantFrom(crash, cancel, expire) },
      { weight: 4, arbitrary: fc.constant(retry) },
      { weight: 2, arbitrary: fc.constant(finishOpen) },
      {
        weight: 6,
        arbitrary: fc.tuple(fc.nat(9), fc.nat(63), asked).map((args) => revise(...args)),
      },
      { weight: 2, arbitrary: fc.tuple(fc.nat(63), asked).map((args) => append(...args)) },
      { weight: 2, arbitrary: fc.option(fc.nat(9), { nil: undefined }).map(fork) },
      { weight: 2, arbitrary: fc.integer({ min: -50_000, max: 60_000 }).map(passTime) },
    ),
  ],
  { maxCommands: 80, size: "max" },
);

describe("the state machine of a plan", () => {
  it("does what its model does, and writes a log that tells it, whatever its clients do", () => {
    fc.assert(
      fc.property(shape, kind, commands, (steps, plan, script) => {
        const start = () => ({
          model: new Model(steps, plan),
          real: new Real(steps, plan),
        });
        fc.modelRun(start, script);
      }),
      { numRuns: 300 },
    );
  });
});
