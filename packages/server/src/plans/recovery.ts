import type { Log } from "../kernel/log.js";
import { isReadIntent } from "../governance/index.js";
import type { AttemptEnd, AttemptRunner } from "./attempt.js";
import { contextOfFailure } from "./context-update.js";
import type { AbandonedStep, PlanStore, ToolRegistry } from "./ports.js";
import type { StepOutcome } from "./transitions.js";

/** How often abandoned steps and overdue plans are looked for, in ms. */
const SWEEP_MS = 2000;
/** Abandoned steps settled in one sweep. */
const SWEEP_STEPS_MAX = 100;

/**
 * Settles what a crash left behind (Decision §3): a read is handed back, a write is completed or
 * handed back as its marker in the target says. Nothing is ever run again on a guess.
 */
export class Recovery implements AsyncDisposable {
  readonly #store: PlanStore;
  readonly #tools: ToolRegistry;
  readonly #runner: AttemptRunner;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void> | undefined;

  constructor(store: PlanStore, tools: ToolRegistry, runner: AttemptRunner, log: Log) {
    this.#store = store;
    this.#tools = tools;
    this.#runner = runner;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.#wake();
    }, SWEEP_MS).unref();
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  #wake(): void {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
  }

  async #sweep(): Promise<void> {
    try {
      const abandoned = await this.#store.abandonedSteps(SWEEP_STEPS_MAX);
      for (const step of abandoned) await this.#settle(step);
      await this.#store.expirePlans();
    } catch (error) {
      this.#log.warn({ err: error }, "the sweep for abandoned steps failed and will be repeated");
    }
  }

  /** One that cannot be settled now, because its target cannot be asked, waits for the next sweep. */
  async #settle({ attempt, step, sessionId }: AbandonedStep): Promise<void> {
    try {
      const end = await this.#endOf({ attempt, step, sessionId });
      await this.#store.finishStep(attempt, end.outcome, end.toolCall);
      this.#tools.target(step.dataSource)?.forget(attempt);
      this.#log.info({ ...attempt, outcome: end.outcome.kind }, "an abandoned step was settled");
    } catch (error) {
      this.#log.warn({ err: error, ...attempt }, "an abandoned step could not be settled yet");
    }
  }

  async #endOf({ attempt, step, sessionId }: AbandonedStep): Promise<AttemptEnd> {
    if (isReadIntent(step.intent)) return { outcome: { kind: "released" }, toolCall: undefined };
    const target = this.#tools.target(step.dataSource);
    if (target === undefined) {
      return { outcome: outcomeUnknown(step.dataSource), toolCall: undefined };
    }
    const result = await target.settle(attempt, step.statement.sql);
    return result === undefined
      ? { outcome: { kind: "released" }, toolCall: undefined }
      : this.#runner.recovered(target, { ref: attempt, step, sessionId }, result);
  }
}

/** Said when the database a write went to is no longer configured: nobody can tell (Decision §3). */
function outcomeUnknown(dataSource: string): StepOutcome {
  const message =
    `Whether the step took effect is not known: data source ${dataSource} is no longer ` +
    "configured. It is never run again silently.";
  return {
    kind: "failed",
    error: { code: "OUTCOME_UNKNOWN", message },
    durationMs: 0,
    context: contextOfFailure([]),
  };
}
