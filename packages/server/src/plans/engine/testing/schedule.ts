import { AppError } from "@steward/kernel/errors.js";
import { testSeed } from "@steward/kernel/testing/seeded-random.js";
import { isReadIntent } from "../../../governance/index.js";
import type { StepOutcome } from "../../plan-state.js";
import type { AttemptRef, NewPlan } from "../../ports.js";
import { MemoryStore, type Faults } from "./memory-log.js";
import { Killed, MarkedTarget, Process } from "./process.js";
import { Simulation } from "./simulation.js";
import { swept } from "./swept.js";

const START_MS = Date.parse("2026-01-01T00:00:00.000Z");
const SWEEP_MS = 2000;
/** Time limit of the part of a simulation in which faults are injected, in simulated ms. */
const FAULTY_MS = 3_600_000;

/** Runs schedules with consecutive seeds, beginning with the seed of the test run. */
export async function runSchedules(
  count: number,
  scheduleOf: (seed: number) => { run: () => Promise<void> },
): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const seed = (testSeed() + number) >>> 0;
    try {
      await scheduleOf(seed).run();
    } catch (error) {
      throw new Error(`schedule ${String(seed)} failed`, { cause: error });
    }
  }
}

/** What differs between the schedules of two tests. */
export interface ScheduleOptions {
  readonly random: () => number;
  /** Whether no call is delayed. */
  readonly isCalm: boolean;
  readonly faults: Faults;
  /** Codes of errors that a client may get. */
  readonly expected: readonly string[];
  /** The outcome of an attempt that took effect. */
  readonly completed: (attempt: AttemptRef) => StepOutcome;
}

/**
 * One simulation: nodes on one log, actors that use them, and a target with side effects. A seed
 * decides the order of all pending operations, every failure of the log and every crash.
 */
export class Schedule {
  readonly world: Simulation;
  readonly store: MemoryStore = new MemoryStore();
  readonly target: MarkedTarget = new MarkedTarget();
  readonly #options: ScheduleOptions;
  readonly #expected: ReadonlySet<string>;
  #processes: Process[] = [];
  #isOver = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#expected = new Set(options.expected);
    this.world = new Simulation(options.random, START_MS, options.isCalm ? 0 : 0.05);
  }

  /** Starts an actor, which runs while the simulation does. */
  actor(actor: () => Promise<void>): void {
    this.world.act(actor);
  }

  /** Runs one actor to its end while the sweeps run. */
  async until(actor: () => Promise<void>): Promise<void> {
    this.actor(actor);
    await this.world.run(START_MS + 2 * FAULTY_MS);
  }

  /** Runs all actors under faults. Afterwards no fault is injected any more. */
  async runFaulty(): Promise<void> {
    await this.world.run(START_MS + FAULTY_MS);
    Object.assign(this.#options.faults, { refused: 0, lost: 0, unheard: 0 });
  }

  /** Runs one last actor to its end, and then stops the sweeps. */
  async finish(actor: () => Promise<void>): Promise<void> {
    await this.until(async () => {
      await actor();
      this.#isOver = true;
    });
  }

  /** Starts a process with its sweeps. */
  start(): void {
    const process = new Process(this.world, this.store, this.#options.faults);
    this.#processes.push(process);
    this.#sweepSoon(process);
  }

  /** A process that has not been killed. */
  any(): Process {
    this.#processes = this.#processes.filter((process) => !process.isDead());
    return this.world.pick(this.#processes);
  }

  /** Stores a plan, asking again until its creation is acknowledged. */
  async submit(
    plan: Pick<NewPlan, "ref" | "steps" | "fork" | "onFailure" | "keepOpen">,
  ): Promise<void> {
    const createdAtMs = this.world.nowMs();
    for (;;) {
      const submitted = this.any().ask((engine) =>
        engine.createPlan({
          ...plan,
          ...{ sessionId: "s", name: "plan", description: "" },
          ...{ createdAtMs, deadlineMs: createdAtMs + 86_400_000 },
          idempotency: { key: plan.ref.planId, requestHash: "h" },
        }),
      );
      if ((await this.answer(submitted)) !== undefined) return;
    }
  }

  /** The answer; `undefined` when there was none, or when it is an expected error. */
  async answer<T>(question: Promise<T>): Promise<T | undefined> {
    try {
      return await question;
    } catch (error) {
      if (!this.isExpected(error)) throw error;
      return undefined;
    }
  }

  /** Whether a client may get this error. */
  isExpected(error: unknown): boolean {
    return error instanceof Killed || (error instanceof AppError && this.#expected.has(error.code));
  }

  #sweepSoon(process: Process): void {
    this.world.timers.after(SWEEP_MS, () => {
      if (process.isDead() || this.#isOver) return;
      void this.#sweep(process)
        .catch(() => undefined)
        .finally(() => {
          this.#sweepSoon(process);
        });
    });
  }

  async #sweep(process: Process): Promise<void> {
    for (const { attempt, step } of await process.ask(swept)) {
      let outcome: StepOutcome = { kind: "released" };
      if (!isReadIntent(step.intent)) {
        await this.world.turn();
        if (process.isDead()) return;
        if (this.target.settle(attempt)) outcome = this.#options.completed(attempt);
      }
      await this.answer(process.ask((engine) => engine.finishStep(attempt, outcome, undefined)));
    }
  }
}
