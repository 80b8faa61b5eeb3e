import type { Log } from "@steward/kernel/log.js";
import { isReadIntent } from "../../governance/index.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { AttemptEnd } from "./attempt-end.js";
import type { AttemptRunner } from "./attempt-runner.js";
import { contextOfFailure } from "../context-update.js";
import type { PlanEngine } from "../engine/index.js";
import {
  type AbandonedStep,
  StatementError,
  type StatementResult,
  type StepTarget,
  type ToolRegistry,
} from "../ports.js";
import type { StepOutcome } from "../transitions.js";

/** Interval for finding abandoned steps and overdue plans, in ms. */
const SWEEP_MS = 2000;
/** Longest pause before a plan or step that failed is tried again, in ms: a target may be back. */
const RETRY_MS_MAX = 30_000;
/** Maximum number of abandoned steps settled in one sweep. */
const SWEEP_STEPS_MAX = 100;

/**
 * Settles the steps that a crash left running (Decision §3). A read is released. A write is
 * completed or released, depending on its marker in the target. No write is ever repeated on a
 * guess.
 */
export class Recovery implements AsyncDisposable {
  readonly #engine: PlanEngine;
  readonly #tools: ToolRegistry;
  readonly #runner: AttemptRunner;
  readonly #log: Log;
  readonly #loop: WorkerLoop;

  constructor(engine: PlanEngine, tools: ToolRegistry, runner: AttemptRunner, log: Log) {
    this.#engine = engine;
    this.#tools = tools;
    this.#runner = runner;
    this.#log = log;
    this.#loop = new WorkerLoop({
      name: "settling abandoned steps",
      work: () => this.#sweep(),
      pollMs: SWEEP_MS,
      backoff: { baseMs: SWEEP_MS, capMs: SWEEP_MS },
      itemBackoff: { baseMs: SWEEP_MS, capMs: RETRY_MS_MAX },
      begin: "now",
      end: "finish",
      log,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  async #sweep(): Promise<BatchEnd> {
    const away = new Map<string, unknown>();
    await this.#engine.sweep(SWEEP_STEPS_MAX, this.#loop.setAside, async (abandoned) => {
      const { dataSource } = abandoned.step;
      // One try in a sweep, so that many steps of a target that does not answer delay nothing else.
      if (away.has(dataSource)) throw away.get(dataSource);
      try {
        await this.#settle(abandoned);
      } catch (error) {
        away.set(dataSource, error);
        throw error;
      }
    });
    return "idle";
  }

  /** @throws when the step cannot be settled yet, such as when its target cannot be reached. */
  async #settle({ attempt, step, sessionId }: AbandonedStep): Promise<void> {
    const end = await this.#endOf({ attempt, step, sessionId });
    await this.#engine.finishStep(attempt, end.outcome, end.toolCall);
    this.#tools.target(step.dataSource)?.forget(attempt);
    this.#log.info({ ...attempt, outcome: end.outcome.kind }, "an abandoned step was settled");
  }

  async #endOf({ attempt, step, sessionId }: AbandonedStep): Promise<AttemptEnd> {
    if (isReadIntent(step.intent)) return { outcome: { kind: "released" }, toolCall: undefined };
    const target = this.#tools.target(step.dataSource);
    if (target === undefined) {
      const reason = `data source ${step.dataSource} is no longer configured`;
      return { outcome: outcomeUnknown(reason), toolCall: undefined };
    }
    const result = await settled(target, { attempt, step });
    if (result === "unknown") {
      const reason = `the server died during the call of ${step.dataSource}, which keeps no record of it`;
      return { outcome: outcomeUnknown(reason), toolCall: undefined };
    }
    return result === undefined
      ? { outcome: { kind: "released" }, toolCall: undefined }
      : this.#runner.recovered(target, { ref: attempt, step, sessionId }, result);
  }
}

/** The outcome of an attempt according to its target; `unknown` when the target can never tell. */
async function settled(
  target: StepTarget,
  { attempt, step }: Pick<AbandonedStep, "attempt" | "step">,
): Promise<StatementResult | undefined | "unknown"> {
  try {
    return await target.settle(attempt, step.statement.sql);
  } catch (error) {
    if (error instanceof StatementError && error.reason === "unknown") return "unknown";
    throw error;
  }
}

/** The error of a write whose outcome cannot be determined (Decision §3). */
function outcomeUnknown(reason: string): StepOutcome {
  const message =
    `It is unknown whether the step took effect, because ${reason}. ` +
    "The step is not run again automatically.";
  return {
    kind: "failed",
    error: { code: "OUTCOME_UNKNOWN", message },
    durationMs: 0,
    context: contextOfFailure([]),
  };
}
