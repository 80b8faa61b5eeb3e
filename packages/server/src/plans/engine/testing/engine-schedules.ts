import { expect } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { isReadIntent, type Intent } from "../../../governance/index.js";
import { forkedSteps, forkOrigin } from "../../fork.js";
import type { PlanEvent } from "../../plan-events.js";
import type { StepOutcome } from "../../plan-state.js";
import type { OnFailure, PreparedStep, StepExecution } from "../../plan.js";
import type { AttemptRef, ForkOrigin, PlanRef } from "../../ports.js";
import type { PlanRevision } from "../../transitions.js";
import type { LogEntry } from "../plan-log.js";
import { Killed, type Process } from "./process.js";
import { runSchedules, Schedule } from "./schedule.js";

/*
 * Two nodes, several clients and a target with side effects, in a simulation in which a seed
 * decides the order of all pending operations, every failure of the log, every crash and every
 * pause. The answers to clients, the effects on the target and the log must agree in every run.
 */

const ORG = "11111111-1111-4111-8111-111111111111";
/** Runs schedules with consecutive seeds, beginning with the seed of the test run. */
export function runEngineSchedules(count: number): Promise<void> {
  return runSchedules(count, (seed) => new EngineSchedule(seed));
}

class EngineSchedule {
  readonly #schedule: Schedule;
  readonly #acknowledged: { readonly attempt: AttemptRef; readonly told: StepExecution }[] = [];
  readonly #steps: readonly PreparedStep[];
  readonly #onFailure: OnFailure;
  readonly #keepOpen: boolean;
  /** Changes of steps that a client was told of: the step, and the plan's revision. */
  readonly #revised: {
    readonly key: string;
    readonly stepId: string;
    readonly revision: number;
  }[] = [];
  readonly #ref: PlanRef = { orgId: ORG, planId: "plan" };
  /** Forks of the plan, with the ids of the steps that each took over. */
  readonly #forks: { readonly ref: PlanRef; readonly taken: ReadonlySet<string> }[] = [];
  /** Whether no faults are injected: then no step is claimed twice. */
  readonly #isCalm: boolean;
  #owners = 0;

  constructor(seed: number) {
    const random = seededRandom(seed);
    this.#isCalm = random() < 0.3;
    const often = this.#isCalm || random() < 0.5 ? 0 : random() * 0.2;
    const unheard = this.#isCalm || random() < 0.5 ? 0 : 0.5;
    this.#schedule = new Schedule({
      ...{ random, isCalm: this.#isCalm, completed },
      faults: { refused: often, lost: often, unheard },
      expected: ["STORE_UNAVAILABLE", "PLAN_NOT_ACTIVE"],
    });
    this.#steps = randomSteps(random);
    this.#onFailure = random() < 0.5 ? "pause" : "fail";
    this.#keepOpen = random() < 0.3;
  }

  async run(): Promise<void> {
    const schedule = this.#schedule;
    const { world } = schedule;
    schedule.start();
    if (world.chance(0.7)) schedule.start();
    await schedule.until(() => this.#submit());
    for (const { id } of this.#steps) {
      const clients = 1 + Math.floor(world.random() * 2);
      for (let client = 0; client < clients; client += 1) schedule.actor(() => this.#client(id));
    }
    for (let reviser = 0; world.chance(0.4); reviser += 1) {
      schedule.actor(() => this.#reviser(`reviser-${String(reviser)}`));
    }
    for (let appender = 0; world.chance(0.25); appender += 1) {
      schedule.actor(() => this.#appender(`a${String(appender)}`));
    }
    for (let forker = 0; world.chance(0.2); forker += 1) {
      schedule.actor(() => this.#forker(`fork-${String(forker)}`));
    }
    if (world.chance(0.2)) schedule.actor(() => this.#canceller());
    if (!this.#isCalm && world.chance(0.4)) schedule.actor(() => this.#killer());
    if (!this.#isCalm && world.chance(0.3)) schedule.actor(() => this.#hanger());
    await schedule.runFaulty();
    await schedule.finish(async () => {
      for (const { ref } of [{ ref: this.#ref }, ...this.#forks]) await this.#finisher(ref);
      for (const { ref, taken } of this.#forks) await this.#expectTaken(ref, taken);
    });
    this.#check();
  }

  #submit(ref = this.#ref, steps = this.#steps, fork?: ForkOrigin): Promise<void> {
    const kind = { onFailure: this.#onFailure, keepOpen: this.#keepOpen };
    return this.#schedule.submit({ ref, steps, fork, ...kind });
  }

  /** Forks the plan as it is read, and has a step of the fork run. */
  async #forker(planId: string): Promise<void> {
    await this.#schedule.world.sleep(this.#schedule.world.random() * 2000);
    const plan = await this.#told(() =>
      this.#schedule.any().ask((engine) => engine.loadPlan(this.#ref)),
    );
    if (plan === undefined) return;
    const { id } = this.#schedule.world.pick(plan.prepared);
    const fork = forkOrigin(plan, this.#schedule.world.chance(0.7) ? id : undefined);
    if (fork.taken.length === plan.prepared.length) return;
    const ref = { ...this.#ref, planId };
    await this.#submit(ref, forkedSteps(plan.prepared), fork);
    this.#forks.push({ ref, taken: new Set(fork.taken.map(({ stepId }) => stepId)) });
    await this.#execute(this.#schedule.any(), id, ref);
  }

  /** A step that was taken over has the output that the plan's own step has. */
  async #expectTaken(ref: PlanRef, taken: ReadonlySet<string>): Promise<void> {
    const { entries } = this.#schedule.store.find(this.#ref);
    for (const stepId of taken) {
      const ask = () =>
        this.#schedule.any().ask((engine) => engine.claimStep({ ...ref, stepId }, "o"));
      let claim = await ask();
      // The node asks the plan's owner to release the plan.
      for (; claim.kind === "running"; claim = await ask()) await this.#schedule.world.sleep(100);
      if (claim.kind !== "finished") throw new Error(`${stepId} is ${claim.kind} in a fork`);
      const own = entries.flatMap(({ end }) =>
        end?.step.id === stepId ? (end.context ?? []) : [],
      );
      const { toolOutputJson } = claim.execution.llmContextUpdate;
      expect(toolOutputJson).toBe(own.at(-1)?.toolOutputJson);
    }
  }

  async #client(stepId: string): Promise<void> {
    for (let asked = 0; asked < 12; asked += 1) {
      if (await this.#execute(this.#schedule.any(), stepId)) return;
      await this.#schedule.world.sleep(100);
    }
  }

  /** @returns whether the client is finished. */
  async #execute(process: Process, stepId: string, plan = this.#ref): Promise<boolean> {
    const ref = { ...plan, stepId };
    this.#owners += 1;
    const owner = `owner-${String(this.#owners)}`;
    const claim = await this.#schedule.answer(
      process.ask((engine) => engine.claimStep(ref, owner)),
    );
    if (claim === undefined || claim.kind === "running") return false;
    if (claim.kind === "awaiting") return false;
    if (claim.kind === "finished") return true;
    if (claim.kind === "refused") return claim.refusal.code === "PLAN_NOT_ACTIVE";
    const attempt = { ...ref, attempt: claim.attempt };
    const outcome = await this.#attempt(process, attempt, claim.step.intent);
    if (outcome === undefined) return false;
    const finished = await this.#schedule.answer(
      process.ask((engine) => engine.finishStep(attempt, outcome, undefined)),
    );
    if (this.#isCalm) expect(finished?.kind).not.toBe("fenced");
    if (finished?.kind !== "ended") return false;
    this.#acknowledged.push({ attempt, told: finished.execution });
    return true;
  }

  /** Runs the statement. @returns `undefined` when the process died meanwhile. */
  async #attempt(
    process: Process,
    attempt: AttemptRef,
    intent: Intent,
  ): Promise<StepOutcome | undefined> {
    const world = this.#schedule.world;
    if (world.chance(0.15)) await world.sleep(world.random() * (this.#isCalm ? 1000 : 45_000));
    else await world.turn();
    if (process.isDead()) return undefined;
    if (world.chance(0.05)) return failed();
    if (world.chance(0.05)) return { kind: "retried", error: ERROR, durationMs: 1 };
    const isDone = isReadIntent(intent) || this.#schedule.target.run(attempt);
    await world.turn();
    if (process.isDead()) return undefined;
    return isDone ? completed(attempt) : { kind: "released" };
  }

  /** Gives steps another form, as read or as write. */
  async #reviser(key: string): Promise<void> {
    await this.#schedule.world.sleep(this.#schedule.world.random() * 1000);
    const { id } = this.#schedule.world.pick(this.#steps);
    await this.#revise(key, id, this.#schedule.world.chance(0.5) ? "read_select" : "write_insert");
  }

  /** Repeats a change until its outcome is known. */
  async #revise(key: string, stepId: string, intent: Intent, ref = this.#ref): Promise<void> {
    const plan = await this.#told(() => this.#schedule.any().ask((engine) => engine.loadPlan(ref)));
    const step = plan?.prepared.find(({ id }) => id === stepId);
    if (plan === undefined || step === undefined) return;
    const change = { kind: "revise", step: { ...step, intent } } as const;
    await this.#change(key, stepId, plan.state.revision, change, ref);
  }

  /** Appends a step, and has it run. */
  async #appender(id: string): Promise<void> {
    await this.#schedule.world.sleep(this.#schedule.world.random() * 1000);
    const plan = await this.#told(() =>
      this.#schedule.any().ask((engine) => engine.loadPlan(this.#ref)),
    );
    if (plan === undefined) return;
    const [step] = randomSteps(this.#schedule.world.random);
    const dependsOn = plan.prepared
      .map((each) => each.id)
      .filter(() => this.#schedule.world.chance(0.3));
    if (step === undefined) return;
    const appended = { ...step, id, dependsOn };
    const steps = [appended];
    if (await this.#change(id, id, plan.state.revision, { kind: "append", steps })) {
      await this.#client(id);
    }
  }

  /** @returns whether the change was made. */
  async #change(
    key: string,
    stepId: string,
    expectedRevision: number,
    change: PlanRevision["change"],
    ref = this.#ref,
  ): Promise<boolean> {
    const revision = {
      change,
      expectedRevision,
      deadlineMs: this.#schedule.world.nowMs() + 86_400_000,
      request: { key, requestHash: "h" },
    };
    const told = await this.#told(() =>
      this.#schedule.any().ask((engine) => engine.revisePlan(ref, revision)),
    );
    if (told !== undefined && ref === this.#ref)
      this.#revised.push({ key, stepId, revision: told.revision });
    return told !== undefined;
  }

  /** The final answer; `undefined` when it is a refusal. */
  async #told<T>(question: () => Promise<T>): Promise<T | undefined> {
    for (let asked = 0; asked < 200; asked += 1) {
      try {
        return await question();
      } catch (error) {
        if (error instanceof AppError && REFUSALS.has(error.code)) return undefined;
        const isUnknown =
          error instanceof Killed ||
          (error instanceof AppError && error.code === "STORE_UNAVAILABLE");
        if (!isUnknown) throw error;
      }
      await this.#schedule.world.sleep(500);
    }
    throw new Error("nobody answers");
  }

  async #canceller(): Promise<void> {
    await this.#schedule.world.sleep(this.#schedule.world.random() * 1000);
    await this.#schedule.answer(
      this.#schedule.any().ask((engine) => engine.cancelPlan(this.#ref, "enough")),
    );
  }

  /** Kills a process and starts another one. */
  async #killer(): Promise<void> {
    for (let turn = Math.floor(this.#schedule.world.random() * 20); turn > 0; turn -= 1) {
      await this.#schedule.world.turn();
    }
    this.#schedule.any().kill();
    this.#schedule.start();
  }

  async #hanger(): Promise<void> {
    await this.#schedule.world.turn();
    this.#schedule.any().node.hang(this.#schedule.world.random() * 15_000);
  }

  /** Drives a plan to its end after fault injection has stopped. */
  async #finisher(ref: PlanRef): Promise<void> {
    for (;;) {
      const { state: plan, prepared } = this.#schedule.store.find(ref);
      if (plan.status !== "pending" && plan.status !== "running") break;
      for (const { id, index, intent } of prepared) {
        await this.#execute(this.#schedule.any(), id, ref);
        const isFailed = this.#schedule.store.find(ref).state.steps[index]?.status === "failed";
        const key = `finisher-${id}-${String(plan.revision)}`;
        if (isFailed && this.#onFailure === "pause") await this.#revise(key, id, intent, ref);
      }
      if (this.#keepOpen) {
        await this.#schedule.answer(this.#schedule.any().ask((engine) => engine.finishPlan(ref)));
      }
      await this.#schedule.world.sleep(1000);
    }
  }

  #check(): void {
    this.#checkPlan(this.#ref, new Set());
    for (const { ref, taken } of this.#forks) this.#checkPlan(ref, taken);
    const { entries } = this.#schedule.store.find(this.#ref);
    for (const { key, stepId, revision } of this.#revised) {
      const made = entries.filter(({ request }) => request?.key === key);
      expect(made.map(({ definitions }) => definitions.map(({ id }) => id))).toEqual([[stepId]]);
      expect(made[0]?.request?.revision).toBe(revision);
    }
    for (const { attempt, told } of this.#acknowledged) {
      const ends = this.#schedule.store
        .find(attempt)
        .entries.filter(
          ({ end, steps }) =>
            end?.step.id === attempt.stepId &&
            steps.some(
              (step) => step.stepId === attempt.stepId && step.attempt === attempt.attempt,
            ),
        );
      expect(ends).toHaveLength(1);
      expect(ends[0]?.end?.context?.toolOutputJson).toBe(told.llmContextUpdate.toolOutputJson);
    }
  }

  /** @param taken steps that a fork took over, which do not run in it. */
  #checkPlan(ref: PlanRef, taken: ReadonlySet<string>): void {
    const { entries, state, leases, prepared } = this.#schedule.store.find(ref);
    const events = entries.flatMap((entry) => entry.events);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(leases.size).toBe(0);
    for (const { id, index, intent } of prepared) {
      checkTurns(id, events);
      const isCompleted = state.steps[index]?.status === "completed";
      const effects = this.#schedule.target.effects.filter(
        ({ planId, stepId }) => planId === ref.planId && stepId === id,
      );
      const expected = isCompleted && !isReadIntent(intent) && !taken.has(id) ? 1 : 0;
      expect(effects.length, `effects of ${id}`).toBe(expected);
      if (taken.has(id)) {
        expect(isCompleted).toBe(true);
        expect(entries.filter(({ end }) => end?.step.id === id)).toEqual([]);
      }
    }
    checkRevisions(entries);
    const isCompleted = state.status === "completed";
    expect(events.filter(({ eventType }) => eventType === "PlanCompleted")).toHaveLength(
      isCompleted ? 1 : 0,
    );
  }
}

/** Revisions are counted without gaps, and an attempt that ends is of its step's newest form. */
function checkRevisions(entries: readonly LogEntry[]): void {
  const forms = new Map<string, number | undefined>();
  let newest = 1;
  for (const { definitions, end } of entries) {
    for (const { id, revision } of definitions) {
      expect(revision).toBe(newest + 1);
      forms.set(id, revision);
    }
    if (definitions.length > 0) newest += 1;
    if (end !== undefined) expect(end.step.revision).toBe(forms.get(end.step.id));
  }
}

/** Events that name a step but no attempt of it. */
const UNRUN: ReadonlySet<string> = new Set(["PlanStepSkipped", "PlanStepAppended", "PlanForked"]);

/** A step's attempts must not overlap. */
function checkTurns(stepId: string, events: readonly PlanEvent[]): void {
  let attempts = 0;
  let isRunning = false;
  for (const { eventType, payloadJson } of events) {
    const payload = JSON.parse(payloadJson) as { step_id?: string; attempt?: number };
    if (payload.step_id !== stepId) continue;
    if (eventType === "PlanStepStarted") {
      expect(isRunning, `${stepId} is started while it runs`).toBe(false);
      expect(payload.attempt).toBe(attempts + 1);
      attempts += 1;
      isRunning = true;
    } else if (eventType === "PlanStepRevised") {
      expect(isRunning, `${stepId} is revised while it runs`).toBe(false);
    } else if (!UNRUN.has(eventType)) {
      expect(isRunning, `${stepId} ends while it runs`).toBe(true);
      expect(payload.attempt).toBe(attempts);
      isRunning = false;
    }
  }
  expect(isRunning, `${stepId} runs for ever`).toBe(false);
}

/** Codes with which a change of steps may be refused permanently. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...["PLAN_NOT_ACTIVE", "STEP_NOT_REVISABLE", "REVISION_CONFLICT"],
]);
const ERROR = { code: "STEP_FAILED", message: "failed" } as const;

function completed({ stepId, attempt }: AttemptRef): StepOutcome {
  const toolOutputJson = JSON.stringify([{ stepId, attempt }]);
  const context = { toolOutputJson, schemaAdditions: [], augmentationHints: [] };
  return { kind: "completed", rowCount: 1, durationMs: 1, context };
}

function failed(): StepOutcome {
  const context = { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] };
  return { kind: "failed", error: ERROR, durationMs: 1, context };
}

/** One to four steps, reads and writes, each depending on some of the steps before it. */
function randomSteps(random: () => number): readonly PreparedStep[] {
  const count = 1 + Math.floor(random() * 4);
  return Array.from({ length: count }, (_, index): PreparedStep => {
    const before = Array.from({ length: index }, (_each, other) => `s${String(other)}`);
    const dependsOn = before.filter(() => random() < 0.4);
    const intent = random() < 0.5 ? "read_select" : "write_insert";
    return {
      id: `s${String(index)}`,
      index,
      name: "",
      toolName: "sql",
      intent,
      intentSource: "explicit",
      statementClass: intent,
      dataSource: "default",
      queryTemplate: "",
      dependsOn,
      schemaTableHints: [],
      statement: {
        sql: "",
        binds: dependsOn.map((stepId) => ({ stepId, path: [], form: "value" })),
      },
    };
  });
}
